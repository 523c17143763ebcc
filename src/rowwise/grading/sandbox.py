"""The outside of the sandbox: starts the warm interpreter behind its walls and talks to one submission at a time."""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import rowwise
from rowwise.grading import cgroup, isolation
from rowwise.grading.inside import wire
from rowwise.grading.inside.wire import Lost
from rowwise.grading.limits import Limits

GRACE = 2.5  # seconds between the deadline inside, which can be ignored, and the end
START = "import sys; sys.path[:0] = sys.argv[2:4]; import zygote; zygote.main()"


class Sandbox:
    """One warm interpreter. Use as a context manager; ``open`` gives a fresh process for one submission."""

    def __init__(self, limits: Limits | None = None, level: str | None = None):
        """``level`` as isolation.best gives it. Raises NoIsolation, or RuntimeError when it does not start."""
        self.limits = limits or Limits()
        self.level = level or isolation.best()
        self._stage = Path(tempfile.mkdtemp(prefix="rowwise-", dir="/tmp" if os.getuid() == 0 else None))
        self._group = None
        self._process = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        _lay_out(self._stage)
        self._door, theirs = socket.socketpair()
        program = None
        if self.level != "none":
            from rowwise.grading import seccomp

            program = os.memfd_create("filter")
            os.write(program, seccomp.program(self.level == "namespaces"))
        memory, count = self.limits.memory_mb + 512, self.limits.processes + 8
        wrap = []
        if self.level != "none":
            self._group = cgroup.make(f"rowwise-{os.getpid()}-{id(self):x}", memory, count)
            wrap = [] if self._group or os.getuid() == 0 else cgroup.scope(memory, count)
        self.memory_by = "cgroup" if self._group or wrap else "watcher"
        given = {"door": theirs.fileno(), "filter": program, "level": self.level}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the sandbox)
        self._process = subprocess.Popen(
            [*wrap, *self._walls(), sys.executable, "-I", "-B", "-c", START, json.dumps(given), *_paths(self._stage)],
            pass_fds=[theirs.fileno(), *([program] if program else [])],
            stdin=subprocess.DEVNULL, stdout=self._errors, stderr=self._errors,
            env=_environment("/w" if self.level == "namespaces" else str(self._stage / "home")),
            cwd="/", preexec_fn=self._before_exec(), start_new_session=True,
        )  # fmt: skip
        theirs.close()
        if program:
            os.close(program)
        self._door.settimeout(60)  # a first start may have to build matplotlib's list of fonts
        try:
            ready = self._door.recv(16)
        except OSError:
            ready = b""
        if ready != b"ready":
            raise RuntimeError(f"The sandbox did not start: {self._said()}")

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-600:].decode("utf-8", "replace").strip() or "no message"

    def _walls(self) -> list[str]:
        """bubblewrap's command line."""
        if self.level != "namespaces":
            return []
        line = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
                "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr"]  # fmt: skip
        for name in ("lib", "lib64", "bin", "sbin"):
            if os.path.islink(f"/{name}"):
                line += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
            elif os.path.isdir(f"/{name}"):
                line += ["--ro-bind", f"/{name}", f"/{name}"]
        for name in ("fonts", "ld.so.cache", "alternatives", "localtime"):
            line += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        for folder in _interpreter():
            line += ["--ro-bind", folder, folder]
        for folder in _hidden():
            line += ["--tmpfs", folder]
        stage = str(self._stage / "inside")
        line += ["--ro-bind", stage, stage, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/w"]
        return [*line, "--remount-ro", "/dev", "--remount-ro", "/"]  # else a file in /dev would outlive its submission

    def _before_exec(self):
        """What the new process does before it becomes bubblewrap: join the cgroup, and stop being root."""
        group, uid, root = self._group, isolation.user(), os.getuid() == 0
        closed = _closed_folders() if root else {}
        if root:
            os.chown(self._stage / "home", uid, uid)

        def prepare():
            if group:
                group.join()
            if closed:
                _open_folders(closed)
            if root:
                isolation.become(uid)

        return prepare

    def open(self, files: dict[str, bytes] | None = None, inputs: dict | None = None) -> "Session":
        """A fresh process behind walls of its own, with ``files`` in its folder. Raises Lost."""
        talk, theirs = socket.socketpair()
        report, keepers = socket.socketpair()
        limits = self.limits.as_dict() | {
            "work": str(self._stage / "home"),
            "read": [*_readable(), str(self._stage / "inside")],
        }
        try:
            socket.send_fds(self._door, [json.dumps(limits).encode()], [theirs.fileno(), keepers.fileno()])
        except OSError:
            raise Lost(f"The sandbox has ended: {self._said()}") from None
        finally:
            theirs.close()
            keepers.close()
        session = Session(talk, report, self.limits)
        session.call({"do": "files", "inputs": inputs or {},
                      "files": {n: base64.b64encode(b).decode() for n, b in (files or {}).items()}}, 30)  # fmt: skip
        return session

    def close(self):
        """End the interpreter and everything that it started."""
        with contextlib.suppress(AttributeError):
            self._door.close()
        if self._process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(2)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, 9)
            self._process.wait()
        if self._group:
            self._group.remove()
        shutil.rmtree(self._stage, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class Session:
    """One submission's process. Every call raises Lost when the process is gone or late; then only ``end`` is left."""

    def __init__(self, talk: socket.socket, report: socket.socket, limits: Limits):
        self._talk, self._report, self._limits, self._number = talk, report, limits, 0

    def call(self, message: dict, seconds: float) -> dict:
        """Send one message and wait for its answer."""
        self._number += 1
        try:
            self._talk.settimeout(seconds)
            wire.send(self._talk, message | {"number": self._number})
        except OSError:
            raise Lost("ended") from None
        reply = wire.receive(self._talk, seconds)
        if reply.get("number") != self._number:
            raise Lost(str(reply.get("failed", "sent something that is no answer"))[:300])
        return reply

    def run(self, source: str) -> tuple[list, object]:
        """Run one cell: (its outputs as they came, the execution count)."""
        seconds = self._limits.cell_seconds
        reply = self.call({"do": "cell", "source": source, "seconds": seconds}, seconds + GRACE)
        return reply.get("outputs"), reply.get("count")

    def ask(self, subject: str, cases: list[dict]) -> dict:
        """Put coded ``cases`` to the function (or variable) of that name."""
        seconds = self._limits.cell_seconds
        return self.call({"do": "ask", "subject": subject, "cases": cases, "seconds": seconds}, seconds + GRACE)

    def end(self, gone: bool = False) -> dict:
        """Stop the process, with everything that it started: how it ended, as ``why``, ``status``, ``cpu``, ``memory_mb``.

        ``gone`` says that it ended by itself: its keeper gets a moment to see how.
        """
        self._talk.close()
        try:
            if gone:
                with contextlib.suppress(Lost):
                    return wire.receive(self._report, 2)
            with contextlib.suppress(OSError):
                self._report.shutdown(socket.SHUT_WR)
            return wire.receive(self._report, 10)
        except Lost:
            return {"why": "", "cpu": 0.0, "memory_mb": 0}
        finally:
            self._report.close()


def _lay_out(stage: Path) -> None:
    """The files that the inside may read: the programs here, the stand-in library, and the probe."""
    os.chmod(stage, 0o755)
    shutil.copytree(Path(__file__).parent / "inside", stage / "inside", ignore=shutil.ignore_patterns("__pycache__"))
    library = Path(rowwise.__file__).parent
    for name in ("probe.py", "mark.py", "study/carry.py"):
        shutil.copy(library / name, stage / "inside" / "standin" / "rowwise")
    os.mkdir(stage / "home", 0o700)
    for folder, _, files in os.walk(stage / "inside"):
        os.chmod(folder, 0o755)
        for name in files:
            os.chmod(os.path.join(folder, name), 0o644)


def _paths(stage: Path) -> list[str]:
    return [str(stage / "inside"), str(stage / "inside" / "standin")]


def _environment(home: str) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home, "IPYTHONDIR": f"{home}/ipython",
        "MPLCONFIGDIR": f"{home}/matplotlib", "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "JUPYTER_PLATFORM_DIRS": "1",
    }  # fmt: skip


def _interpreter() -> list[str]:
    """The folders that hold Python and its packages, outermost first, without what /usr already brings."""
    folders = {os.path.realpath(sys.base_prefix), os.path.abspath(sys.prefix), os.path.realpath(sys.prefix)}
    folders = {f for f in folders if not (f + "/").startswith("/usr/")}
    return sorted(f for f in folders if not any(f != g and (f + "/").startswith(g + "/") for g in folders))


def _closed_folders() -> dict[str, str]:
    """Interpreter's folders that another user cannot reach, each with the folder above it that is closed."""
    closed = {}
    for folder in _interpreter():
        above = [str(parent) for parent in reversed(Path(folder).parents)]
        shut = [parent for parent in above if not os.stat(parent).st_mode & 0o001]
        if shut:
            closed[folder] = shut[0]
    return closed


def _open_folders(closed: dict[str, str]) -> None:
    """Root only, in a mount namespace of its own: of each closed folder only Python remains, for everyone to read."""
    from rowwise.grading.inside import jail

    jail.unshare(jail.NEWNS)
    jail.mount(None, "/", None, jail.RECURSIVE | jail.PRIVATE)
    held = {folder: os.open(folder, os.O_PATH) for folder in closed}
    for shut in sorted(set(closed.values())):
        jail.mount("tmpfs", shut, "tmpfs", jail.NOSUID | jail.NODEV, "mode=755")
    for folder, number in held.items():
        os.makedirs(folder)
        jail.mount(f"/proc/self/fd/{number}", folder, None, jail.BIND | jail.RECURSIVE)


def _hidden() -> list[str]:
    """The real library, where the interpreter's folders hold it: an empty folder is put over it."""
    library = os.path.realpath(os.path.dirname(rowwise.__file__))
    roots = [*_interpreter(), "/usr"]
    return [library] if any((library + "/").startswith(root + "/") for root in roots) else []


def _readable() -> list[str]:
    """What Landlock lets a submission read. The library is never among it: its folder is left out by name."""
    places = [
        *_interpreter(),
        "/usr",
        "/lib",
        "/lib64",
        "/bin",
        "/etc/fonts",
        "/etc/ld.so.cache",
        "/dev/urandom",
        "/dev/null",
    ]
    hidden = _hidden()
    if not hidden:
        return places
    return [part for place in places for part in _without(place, hidden[0])]


def _without(folder: str, hidden: str) -> list[str]:
    """``folder`` as a list of what it holds, one level after the other, with ``hidden`` left out."""
    if not (hidden + "/").startswith(folder + "/"):
        return [folder]
    if folder == hidden:
        return []
    return [part for name in os.listdir(folder) for part in _without(os.path.join(folder, name), hidden)]
