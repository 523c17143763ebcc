"""Which walls this machine can put around a submission, and what to do where one is missing."""

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

NAMES = {
    "namespaces": "bubblewrap, namespaces and a system-call filter",
    "landlock": "Landlock and a system-call filter, without namespaces",
    "none": "no isolation",
}
BUBBLEWRAP = (
    "bubblewrap is not installed. Debian and Ubuntu: sudo apt-get install bubblewrap; Fedora: sudo dnf install "
    "bubblewrap; with conda: conda install -c conda-forge bubblewrap"
)
ELSEWHERE = (
    "This system has no sandbox that Rowwise can use. Grade on Linux: on Windows inside WSL2 (wsl --install, then "
    "sudo apt-get install bubblewrap), on macOS in a virtual machine or container with Linux."
)
UNPROTECTED = (
    " To run students' code without isolation all the same, with everything that you may do, set "
    "c.Grading.allow_without_sandbox = True in nbgrader_config.py; each result then says so."
)


class NoIsolation(Exception):
    """There is no sandbox here and the settings do not allow to go without; the text says how to get one."""


@dataclass(frozen=True)
class Finding:
    """One thing that isolation rests on: is it ``there``, what it ``gives``, the command that ``mends`` it."""

    name: str
    there: bool
    gives: str
    mends: str = ""


def user() -> int | None:
    """The uid that a sandbox of this process runs as: its own, or, for root, one that belongs to nobody."""
    if not hasattr(os, "getuid"):
        return None
    return os.getuid() or 61184 + os.getpid() % 4000  # the range that systemd keeps for passing users


def become(uid: int) -> None:
    """Give up root for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


@functools.cache
def findings() -> tuple[Finding, ...]:
    """Every part of isolation on this machine, tried and not guessed."""
    if sys.platform != "linux":
        return (Finding("Linux", False, "namespaces and Landlock", ELSEWHERE),)
    bubblewrap = shutil.which("bwrap") is not None
    return (
        Finding("bubblewrap", bubblewrap, "the outer walls", "" if bubblewrap else BUBBLEWRAP),
        _namespaces() if bubblewrap else Finding("namespaces", False, "not tried without bubblewrap", BUBBLEWRAP),
        _filter(),
        _landlock(),
    )


def _namespaces() -> Finding:
    command = ["bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink",
               "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--proc", "/proc", "--dev", "/dev",
               "/usr/bin/true"]  # fmt: skip
    drop = {"user": user(), "group": user(), "extra_groups": []} if os.getuid() == 0 else {}
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **drop)
    said = tried.stderr.strip().splitlines()[-1:] or [""]
    mends = (
        f"This user may not make namespaces ({said[0]}). Ubuntu 24.04 and later: sudo sysctl -w "
        "kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap; Debian: sudo sysctl -w "
        "kernel.unprivileged_userns_clone=1; Docker: --security-opt seccomp=unconfined"
    )
    gives = "no network, no other processes, no files but its own"
    return Finding("namespaces", tried.returncode == 0, gives, "" if tried.returncode == 0 else mends)


def _filter() -> Finding:
    try:
        from rowwise.grading import seccomp

        seccomp.program(namespaces=True)
    except Exception as problem:
        mends = f"pip install pyseccomp, and sudo apt-get install libseccomp2 ({type(problem).__name__}: {problem})"
        return Finding("system-call filter", False, "fewer ways into the kernel", mends)
    return Finding("system-call filter", True, "fewer ways into the kernel")


def _landlock() -> Finding:
    from rowwise.grading.inside import jail  # Linux only

    version = jail.landlock_version()
    mends = "" if version >= 3 else "Linux 6.2 or later with Landlock switched on (lsm=landlock,...)"
    return Finding(
        "Landlock", version >= 3, f"the second best, where namespaces are forbidden (version {version})", mends
    )


def best(allow_none: bool = False) -> str:
    """The strongest level of this machine: "namespaces", "landlock", or "none" where that is allowed.

    Raises NoIsolation where it is not.
    """
    there = {found.name for found in findings() if found.there}
    if {"bubblewrap", "namespaces", "system-call filter"} <= there:
        return "namespaces"
    if ("bubblewrap" in there or allow_none) and {"Landlock", "system-call filter"} <= there:
        return "landlock"
    if allow_none and sys.platform != "win32":
        return "none"
    if sys.platform != "linux":
        raise NoIsolation(ELSEWHERE + ("" if sys.platform == "win32" else UNPROTECTED))  # Windows cannot fork
    raise NoIsolation(next(found.mends for found in findings() if not found.there))
