"""Walls for one submission, raised by a freshly forked process around itself. Linux only, nothing but ctypes."""

import contextlib
import ctypes
import os
import resource
import struct

libc = ctypes.CDLL(None, use_errno=True)

NEWNS, NEWUTS, NEWIPC, NEWUSER = 0x20000, 0x4000000, 0x8000000, 0x10000000
NEWPID, NEWNET = 0x20000000, 0x40000000
NOSUID, NODEV, NOEXEC, BIND, RECURSIVE, PRIVATE = 2, 4, 8, 0x1000, 0x4000, 1 << 18


def _done(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces that ``flags`` name for new ones."""
    _done(libc.unshare(flags), "unshare")


def mount(source, target: str, kind, flags: int, options: str | None = None) -> None:
    """mount(2)."""
    given = [None if text is None else str(text).encode() for text in (source, target, kind, options)]
    _done(libc.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[3]), f"mount {target}")


def enter_namespaces() -> None:
    """Own user, mount, process, IPC, host-name and network namespaces; the next child is process 1 of its own."""
    uid, gid = os.getuid(), os.getgid()
    unshare(NEWUSER | NEWNS | NEWPID | NEWIPC | NEWUTS | NEWNET)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def empty_folders(megabytes: int) -> None:
    """A new /w and /dev/shm in memory and a /proc that shows this submission alone."""
    mount(None, "/", None, RECURSIVE | PRIVATE)
    for target, files in (("/w", 4096), ("/dev/shm", 256)):
        mount("tmpfs", target, "tmpfs", NOSUID | NODEV, f"size={megabytes}m,nr_inodes={files},mode=700")
    mount("proc", "/proc", "proc", NOSUID | NODEV | NOEXEC)


def limit(limits: dict, address_space: int, strict: bool = True) -> None:
    """Limits of each process: ``address_space`` in bytes; the rest as the settings say.

    Without ``strict`` a limit that the system refuses is left out.
    """
    rows = {
        "AS": address_space, "CPU": limits["cpu_seconds"], "NPROC": limits["processes"],
        "FSIZE": limits["file_mb"] << 20, "NOFILE": 256, "CORE": 0, "MSGQUEUE": 0, "MEMLOCK": 0,
    }  # fmt: skip
    for name, value in rows.items():
        if hasattr(resource, f"RLIMIT_{name}"):
            with contextlib.nullcontext() if strict else contextlib.suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def drop_capabilities() -> None:
    """Give up every capability for good, in this namespace too."""
    for capability in range(64):
        if libc.prctl(24, capability, 0, 0, 0) < 0:  # PR_CAPBSET_DROP
            break
    libc.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
    header = struct.pack("Ii", 0x20080522, 0)
    _done(libc.capset(header, struct.pack("6I", 0, 0, 0, 0, 0, 0)), "capset")


def no_new_privileges() -> None:
    """Nothing that is run from here on can gain a right."""
    _done(libc.prctl(38, 1, 0, 0, 0), "no_new_privs")


def load_filter(program: bytes) -> None:
    """Install the seccomp ``program``; it holds for every process that comes after."""
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    given = Program(len(program) // 8, ctypes.addressof(buffer))
    no_new_privileges()
    _done(libc.prctl(22, 2, ctypes.byref(given), 0, 0), "seccomp")


def die_with_parent() -> None:
    """SIGKILL when the process that waits for this one is gone."""
    if hasattr(libc, "prctl"):
        libc.prctl(1, 9, 0, 0, 0)


def landlock_version() -> int:
    """What this kernel's Landlock can do; 0 where there is none."""
    return max(0, libc.syscall(444, None, ctypes.c_size_t(0), 1))


def landlock(read: list[str], write: list[str]) -> None:
    """See no file but those below ``read`` (and run them) and ``write``. Version 3 or later of Landlock."""
    version = landlock_version()
    rights = (1 << 15) - 1 | (1 << 15 if version >= 5 else 0)
    words = [rights, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0]
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = _done(libc.syscall(444, struct.pack("3Q", *words), ctypes.c_size_t(size), 0), "landlock")
    for paths, allowed in ((read, 0b1101), (write, rights & ~(1 << 6 | 1 << 9 | 1 << 11))):
        for path in paths:
            if not os.path.exists(path):
                continue
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
            given = allowed if os.path.isdir(path) else allowed & 0b110 | 1
            _done(libc.syscall(445, rules, 1, struct.pack("=Qi", given, folder), 0), f"landlock {path}")
            os.close(folder)
    no_new_privileges()
    _done(libc.syscall(446, rules, 0), "landlock")
    os.close(rules)
