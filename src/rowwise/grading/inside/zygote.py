"""A warm interpreter that forks once for each submission. Started by sandbox.py, already inside its outer walls.

Its arguments are one JSON object: the level of isolation, the socket to listen on, the seccomp program's descriptor.
"""

import builtins
import contextlib
import functools
import gc
import io
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time

import asking
import jail
import shell
import wire


def warm_up() -> shell.Shell:
    """Import what chapters import and draw once, so that no submission pays for it."""
    import matplotlib.pyplot as plt
    import numpy.testing  # noqa: F401

    run = shell.make()
    run.run_cell("%matplotlib inline\nimport rowwise")
    figure, axes = plt.subplots()
    axes.plot([0, 1])
    axes.set_title("$x_i$")
    figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")
    plt.close("all")
    shell.watched(5, None, lambda: run.run_cell("1 / 0"))  # the first traceback is the slow one
    run.reset(new_session=True)
    return run


def main() -> None:
    """Serve until the socket closes: each message brings limits and two sockets, each gets a process of its own."""
    given = json.loads(sys.argv[1])
    door = socket.socket(fileno=given["door"])
    program = os.pread(given["filter"], 1 << 20, 0) if given["filter"] is not None else b""
    run = warm_up()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    door.send(b"ready")
    while True:
        message, sockets, _, _ = socket.recv_fds(door, 65536, 2)
        if not message:
            return
        if os.fork() == 0:
            door.close()
            keep(run, given["level"], json.loads(message), program, *(socket.socket(fileno=n) for n in sockets))
        for number in sockets:
            os.close(number)


def keep(run, level: str, limits: dict, program: bytes, talk: socket.socket, report: socket.socket) -> None:
    """The keeper: raises the walls, forks the student's process inside, watches it, reports how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY) if os.path.isdir("/proc/self") else None
    strangers = {name for name in os.listdir(proc) if name.isdigit()} if level == "namespaces" else None
    folder = "/w"
    if level == "namespaces":
        jail.enter_namespaces()
    else:
        folder = tempfile.mkdtemp(prefix="submission-", dir=limits["work"])
    child = os.fork()
    if child == 0:
        report.close()
        if proc is not None:
            os.close(proc)
        try:
            student(run, level, limits, program, folder, talk)
        except BaseException as problem:
            wire.send(talk, {"failed": f"{type(problem).__name__}: {problem}"})
            os._exit(99)
    talk.close()
    why, most = watch(child, report, proc, strangers, limits)
    os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    if level != "namespaces":
        shutil.rmtree(folder, ignore_errors=True)
    if not why and os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        why = "cpu" if used.ru_utime + used.ru_stime >= limits["cpu_seconds"] - 0.5 else ""
    memory_mb = round(max(most, used.ru_maxrss << 10) / 2**20)
    with contextlib.suppress(OSError):
        wire.send(report, {"why": why, "status": status, "cpu": used.ru_utime + used.ru_stime, "memory_mb": memory_mb})
    os._exit(0)


def watch(child: int, report: socket.socket, proc: int, strangers, limits: dict) -> tuple[str, int]:
    """Wait for the child's end, its time, its memory or the word to stop: (why it must end or "", most bytes seen)."""
    ended = [os.pidfd_open(child)] if hasattr(os, "pidfd_open") else []
    until, most = time.monotonic() + limits["total_seconds"], 0
    while True:
        ready, _, _ = select.select([*ended, report], [], [], 0.05)
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return "", most
        if report in ready:
            return "stopped", most
        if time.monotonic() > until:
            return "time", most
        if proc is not None:
            most = max(most, memory(proc, strangers, child, limits["memory_mb"] << 20))
        if most > limits["memory_mb"] << 20:
            return "memory", most


def memory(proc: int, strangers, child: int, allowed: int) -> int:
    """Bytes that the submission's processes hold together; pages they share are counted once when it matters."""
    if strangers is None:
        names = [str(child)]
    else:
        own = str(os.getpid())
        names = [n for n in os.listdir(proc) if n.isdigit() and n not in strangers and n != own]
    total = sum(_pages(proc, name) for name in names) * 4096
    return total if total <= allowed else sum(_share(proc, name) for name in names)


def _read(proc: int, name: str) -> str:
    try:
        file = os.open(name, os.O_RDONLY, dir_fd=proc)
    except OSError:
        return ""
    try:
        return os.read(file, 4096).decode()
    except OSError:
        return ""
    finally:
        os.close(file)


def _pages(proc: int, name: str) -> int:
    words = _read(proc, f"{name}/statm").split()
    return int(words[1]) if words else 0


def _share(proc: int, name: str) -> int:
    for line in _read(proc, f"{name}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) << 10
    return _pages(proc, name) * 4096


def _unused_addresses() -> int:
    """Bytes of address space that this process has reserved without using them; 1 GB where that is not to be seen."""
    try:
        with open("/proc/self/statm") as file:
            size, held = (int(word) * 4096 for word in file.read().split()[:2])
    except OSError:
        return 1 << 30
    return size - held


def student(run, level: str, limits: dict, program: bytes, folder: str, talk: socket.socket) -> None:
    """Inside: no rights, no network, an empty folder; then cells and questions until the outside is done."""
    jail.die_with_parent()
    if level == "namespaces":
        jail.empty_folders(limits["disk_mb"])
        os.mkdir("/w/tmp")
    for name in ("work", "tmp"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    os.environ.update(HOME=f"{folder}/tmp", TMPDIR=f"{folder}/tmp", NBGRADER_EXECUTION="autograde")
    tempfile.tempdir = None
    os.chdir(f"{folder}/work")
    sys.path.insert(0, "")  # a module handed in beside the notebook, as in JupyterLab
    capture = shell.Capture()
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.setsid()
    jail.limit(limits, _unused_addresses() + (limits["memory_mb"] << 20) + (64 << 20), strict=level != "none")
    if level == "namespaces":
        jail.drop_capabilities()
    elif level == "landlock":
        jail.landlock(limits["read"], [folder, "/dev/null"])
    if program:
        jail.load_filter(program)
    builtins.input = shell.no_input
    serve(run, capture, talk)


def serve(run, capture, talk: socket.socket) -> None:
    """Answer messages: files to write, cells to run, questions to a function."""
    while True:
        try:
            message = wire.receive(talk)
        except wire.Lost:
            os._exit(0)
        if message["do"] == "files":
            reply = asking.write_files(message["files"], message["inputs"])
        elif message["do"] == "cell":
            cell = functools.partial(run.run_cell, message["source"], store_history=True)
            shown = shell.watched(message["seconds"], capture, cell)
            count = run.execution_count - 1
            shown = [item | {"execution_count": count} if "execution_count" in item else item for item in shown]
            reply = {"outputs": shown, "count": count}
        else:
            reply = asking.ask(run, capture, message)
        wire.send(talk, {"number": message["number"], **reply})


if __name__ == "__main__":
    main()
