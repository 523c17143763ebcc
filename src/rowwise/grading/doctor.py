"""What this machine offers for grading, what is missing, and what mends it."""

import sys

from rowwise.grading import isolation, settings


def examine() -> int:
    """Print what was found; 0 where a class can be graded behind full walls, else 1."""
    for found in isolation.findings():
        print(f"{'yes' if found.there else 'no ':3}  {found.name}: {found.gives}")
        if not found.there:
            print(f"     {found.mends}")
    try:
        course = settings.course()
        chosen = course.settings
        print(f"yes  course: {course.directory.root}")
    except settings.NoCourse as missing:
        chosen = settings.Grading()
        print(f"no   course: {missing}")
    try:
        level = chosen.level()
    except isolation.NoIsolation as missing:
        print(f"\nA class cannot be graded here. {missing}")
        return 1
    return _try_out(level, chosen)


def _try_out(level: str, chosen: settings.Grading) -> int:
    """Start a sandbox and let it prove itself."""
    if level == "none":
        print(f"\nNothing protects you from students' code: {isolation.NAMES[level]}, as nbgrader_config.py allows.")
        return 1
    from rowwise.grading.proof import proven

    try:
        with proven(chosen.limits(), level) as sandbox:
            by = {"cgroup": "by the kernel (cgroup)", "watcher": "by a watcher that looks 20 times a second"}
            print(f"yes  memory: {chosen.memory_mb} MB for a submission, held {by[sandbox.memory_by]}")
            if sandbox.memory_by == "watcher" and sys.platform == "linux":
                print("     A cgroup holds more tightly: grade inside a systemd user session (loginctl enable-linger).")
    except RuntimeError as problem:
        print(f"\nThe sandbox does not start. {problem}")
        return 1
    print(f"\nGrading works here, with {isolation.NAMES[level]}. The sandbox tried what it must not do, and could not.")
    return 0 if level == "namespaces" else 1
