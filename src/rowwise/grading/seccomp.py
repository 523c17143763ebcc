"""The list of system calls that a submission may not make, as a program for the kernel's filter."""

import errno
import tempfile

NAMESPACE_FLAGS = (0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x02000000)
THREAD = 0x10000

ALWAYS = """
    unshare setns mount umount2 pivot_root chroot ptrace process_vm_readv process_vm_writev kcmp keyctl add_key
    request_key bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register init_module
    finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl name_to_handle_at
    open_by_handle_at fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr pidfd_getfd personality
    modify_ldt iopl ioperm syslog lookup_dcookie vmsplice mbind set_mempolicy migrate_pages move_pages
    clock_settime settimeofday adjtimex clock_adjtime sethostname setdomainname landlock_restrict_self
"""

# Without namespaces the submission shares its user with everything else: no signals, no shared memory, no changes of
# rights or owners (Landlock does not look at those), no processes of its own.
SHARED_USER = """
    kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open process_madvise
    process_mrelease prlimit64 setpriority ioprio_set sched_setaffinity sched_setscheduler sched_setparam
    sched_setattr shmget shmat semget msgget mq_open chmod fchmod fchmodat fchmodat2 chown fchown lchown
    fchownat utime utimes utimensat futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    fork vfork socket connect bind listen sendmsg sendmmsg inotify_init inotify_init1 inotify_add_watch
    fanotify_init
"""


def program(namespaces: bool) -> bytes:
    """The filter; without ``namespaces`` it also forbids what they would have hidden. ImportError without pyseccomp."""
    import pyseccomp as s

    rules = s.SyscallFilter(s.ALLOW)
    for name in (ALWAYS if namespaces else ALWAYS + SHARED_USER).split():
        try:
            rules.add_rule(s.ERRNO(errno.EPERM), name)
        except (OSError, RuntimeError, ValueError):  # a call that this architecture does not have
            continue
    rules.add_rule(s.ERRNO(errno.ENOSYS), "clone3")  # glibc then uses clone, whose flags can be looked at
    for flag in NAMESPACE_FLAGS:
        rules.add_rule(s.ERRNO(errno.EPERM), "clone", s.Arg(0, s.MASKED_EQ, flag, flag))
    if not namespaces:
        rules.add_rule(s.ERRNO(errno.EPERM), "clone", s.Arg(0, s.MASKED_EQ, THREAD, 0))
        rules.add_rule(s.ERRNO(errno.EPERM), "sendto", s.Arg(4, s.NE, 0))  # to somebody else than the other end
    else:
        rules.add_rule(s.ERRNO(errno.EACCES), "socket", s.Arg(0, s.NE, 1))  # AF_UNIX, within the submission
    rules.add_rule(s.ERRNO(errno.EPERM), "ioctl", s.Arg(1, s.MASKED_EQ, 0xFFFFFFFF, 0x5412))  # TIOCSTI
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.flush()
        file.seek(0)
        return file.read()
