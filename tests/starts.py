"""Copies of the course in folders of their own, and start.py run in them as a reader runs it."""

import contextlib
import importlib.metadata
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
# The Python that the tests' own environment was made with: it has nothing installed for us.
BASE_PYTHON = getattr(sys, "_base_executable", "") or sys.executable
FILES = ("start.py", "pyproject.toml", "README.md", "LICENSE", "LICENSE-text", "requirements.lock")
NOWHERE = "http://127.0.0.1:9/simple"  # nothing listens on the discard port
# What the course's own installation needs: small enough to install again and again.
SMALL = ("editables", "hatchling")


def entries(lock: Path) -> dict[str, str]:
    """The entries of a lock, hashes and all, by package; a package with several keeps the last."""
    found = re.split(r"^(?=[a-z])", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {re.match(r"[a-z0-9-]+", entry).group(): entry for entry in found}


def with_what_they_need(*packages: str) -> list[str]:
    """The packages and all that they depend on, as this environment has them."""
    found, ahead = set(), list(packages)
    while ahead:
        name = canonicalize_name(ahead.pop())
        if name not in found:
            found.add(name)
            needs = map(Requirement, importlib.metadata.requires(name) or [])
            ahead += [need.name for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
    return sorted(found)


class Course:
    """A copy of the course. `small`: with locks of a dozen packages, one chapter and one test of its own."""

    def __init__(self, folder: Path, small: bool = True):
        self.root = Path(folder)
        self.root.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copy(ROOT / name, self.root)
        junk = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        if not small:
            shutil.copytree(ROOT / "src", self.root / "src", ignore=junk)
            shutil.copytree(ROOT / "notebooks", self.root / "notebooks", ignore=junk)
            return
        (self.root / "src" / "rowwise").mkdir(parents=True)
        shutil.copy(ROOT / "src" / "rowwise" / "__init__.py", self.root / "src" / "rowwise")
        (self.root / "notebooks" / "00-start-here").mkdir(parents=True)
        (self.root / "notebooks" / "00-start-here" / "00-start-here.ipynb").write_text("{}")
        self.write_lock("requirements.lock", *SMALL)
        self.write_lock("requirements-test.lock", "pytest")
        self.write_test("def test_rowwise_can_be_imported():\n    import rowwise\n")

    def write_lock(self, name: str, *packages: str) -> None:
        known = entries(ROOT / "requirements-test.lock")
        (self.root / name).write_text("".join(known[package] for package in with_what_they_need(*packages)))

    def write_test(self, text: str) -> None:
        (self.root / "tests").mkdir(exist_ok=True)
        (self.root / "tests" / "test_it.py").write_text(text)

    def command(self, *arguments: str, python: str | None = None) -> list[str]:
        return [str(python or BASE_PYTHON), "start.py", *arguments]

    def start(self, *arguments, uv=False, python=None, timeout=240, **more) -> subprocess.CompletedProcess:
        """start.py run to its end; its output, both streams in one, is `.stdout`."""
        env = environment(uv) | more.pop("env", {})
        command = self.command(*arguments, python=python)
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.run(
            command, cwd=self.root, env=env, text=True, errors="replace", timeout=timeout, **streams, **more
        )


def environment(uv: bool) -> dict[str, str]:
    """This environment without the tests' own .venv on the PATH, and without uv where `uv` is False."""
    env = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    folders = [f for f in env["PATH"].split(os.pathsep) if Path(f) != Path(sys.prefix, "bin")]
    if not uv:
        folders = [f for f in folders if not shutil.which("uv", path=f)]
    return env | {"PATH": os.pathsep.join(folders), "ROWWISE_HOME": os.devnull}


def has_uv() -> bool:
    return shutil.which("uv", path=environment(uv=True)["PATH"]) is not None


def without_network(folder: Path) -> dict[str, str]:
    """Settings with which pip and uv reach no index and know no download of before."""
    empty = str(folder / "empty")
    pip = {"PIP_INDEX_URL": NOWHERE, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    uv = {"UV_DEFAULT_INDEX": NOWHERE, "UV_CACHE_DIR": empty, "UV_HTTP_RETRIES": "0"}
    return pip | uv | {"PIP_CACHE_DIR": empty}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Serving:
    """start.py serving JupyterLab at `url`, token and all, `seconds` later; it printed `output` so far."""

    def __init__(self, course: Course, *arguments: str, uv: bool = True, patience: float = 240):
        self.port = free_port()
        self.log = course.root.parent / f"{course.root.name}-{self.port}.log"
        home = course.root.parent / "home"
        env = environment(uv) | {"HOME": str(home), "JUPYTER_RUNTIME_DIR": str(home / "runtime")}
        if uv and "UV_CACHE_DIR" not in env and has_uv():
            uv_cache = subprocess.run(["uv", "cache", "dir"], capture_output=True, text=True)
            env["UV_CACHE_DIR"] = uv_cache.stdout.strip()
        began = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                course.command("--no-browser", "--port", str(self.port), *arguments),
                cwd=course.root,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - began > patience:
                self.stop()
                raise RuntimeError("start.py did not serve:\n" + self.output[-3000:])
            time.sleep(0.1)
        self.seconds = time.monotonic() - began

    def answers(self) -> bool:
        """True once JupyterLab has printed its address and listens there."""
        found = re.search(rf"http://127\.0\.0\.1:{self.port}/\S*token=\w+", self.output)
        self.url = found.group() if found else ""
        with contextlib.suppress(OSError):
            return bool(found) and urllib.request.urlopen(self.url, timeout=10).status == 200
        return False

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
