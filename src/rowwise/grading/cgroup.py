"""A memory and process limit by the kernel, for one worker's sandbox, where this user may set one."""

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class Cgroup:
    """Folders of the cgroup tree that the sandbox's first process joins. ``remove`` when it has ended."""

    def __init__(self, folders: list[Path]):
        self.folders = folders

    def join(self) -> None:
        """Move the calling process in; every process that it starts is born there."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self) -> None:
        """Take the folders away; they are empty once the sandbox has ended."""
        for folder in self.folders:
            for _ in range(20):  # the last processes may be on their way out
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.05)


def make(name: str, memory_mb: int, processes: int) -> Cgroup | None:
    """A cgroup that holds ``memory_mb`` and ``processes`` at most, or None where none can be had."""
    return _version_1(name, memory_mb, processes) or _version_2(name, memory_mb, processes)


def _mine(controller: str) -> Path | None:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            for folder in (ROOT / controller / path.lstrip("/"), ROOT / controller):
                if folder.is_dir():
                    return folder
    return None


def _sweep(top: Path) -> None:
    """Take away what graders left that were killed: groups are called rowwise-<process>-<number>."""
    for folder in top.glob("rowwise-*-*"):
        if not Path(f"/proc/{folder.name.split('-')[1]}").exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _version_1(name: str, memory_mb: int, processes: int) -> Cgroup | None:
    try:
        memory, pids = _mine("memory"), _mine("pids")
        if memory is None:
            return None
        _sweep(memory)
        folder = memory / name
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(memory_mb << 20))
        folders = [folder]
        if pids is not None:
            _sweep(pids)
            (pids / name).mkdir()
            folders.append(pids / name)
            (pids / name / "pids.max").write_text(str(processes))
        return Cgroup(folders)
    except OSError:
        return None


def _version_2(name: str, memory_mb: int, processes: int) -> Cgroup | None:
    try:
        own = ROOT / Path("/proc/self/cgroup").read_text().split("0::", 1)[1].strip().lstrip("/")
        if "memory" not in (own / "cgroup.subtree_control").read_text().split():
            (own / "cgroup.subtree_control").write_text("+memory +pids")
        _sweep(own)
        folder = own / name
        folder.mkdir()
        (folder / "memory.max").write_text(str(memory_mb << 20))
        (folder / "pids.max").write_text(str(processes))
        return Cgroup([folder])
    except (OSError, IndexError):
        return None


def scope(memory_mb: int, processes: int) -> list[str]:
    """The start of a command line that runs the rest in a scope of the user's systemd, or [] where there is none."""
    if not shutil.which("systemd-run") or not os.environ.get("XDG_RUNTIME_DIR"):
        return []
    limits = [f"--property=MemoryMax={memory_mb}M", "--property=MemorySwapMax=0", f"--property=TasksMax={processes}"]
    command = ["systemd-run", "--user", "--scope", "--quiet", "--collect", *limits, "--"]
    tried = subprocess.run([*command, "true"], capture_output=True, timeout=10, check=False)
    return command if tried.returncode == 0 else []
