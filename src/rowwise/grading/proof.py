"""A sandbox proves itself before it is trusted: it tries what it must not be able to do."""

import json
import os
from pathlib import Path

import rowwise
from rowwise.grading.limits import Limits
from rowwise.grading.sandbox import Sandbox

# Runs in the sandbox as a student's cell would. Each line that comes out true is a hole.
PROBES = """
import json, os, socket, sys

def works(attempt):
    try:
        attempt()
        return True
    except BaseException:
        return False

print(json.dumps({
    "it runs as root": os.getuid() == 0,
    "it can open a network connection": works(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
    "it can read the course": any(os.path.exists(p) and works(lambda: open(p).read(1)) for p in %(secrets)r),
    "it can read the accounts of this machine": works(lambda: open("/etc/passwd").read(1)),
    "it can write beside its own folder": any(works(lambda: open(p + "/rowwise-probe", "w")) for p in %(closed)r),
    "it can signal other processes": works(lambda: os.kill(os.getppid() or %(pid)d, 0)),
    "it can mount": works(lambda: os.mkdir("m") or __import__("ctypes").CDLL(None).mount(b"t", b"m", b"tmpfs", 0, None)
                          and 1 / 0),
    "it finds the mathematics": works(lambda: __import__("rowwise.reference").reference.scores),
}))
"""


def holes(sandbox: Sandbox) -> list[str]:
    """What the sandbox lets through that it must not, as sentences' ends; [] for a tight one."""
    library = Path(rowwise.__file__).parent
    secrets = [str(library / "reference.py"), str(library / "exercises" / "__init__.py"), os.getcwd() + "/gradebook.db"]
    closed = ["/tmp", "/dev/shm/..", str(library), os.path.expanduser("~"), os.getcwd(), "/"]
    session = sandbox.open()
    try:
        shown, _ = session.run(PROBES % {"secrets": secrets, "closed": closed, "pid": os.getpid()})
    finally:
        session.end()
    try:
        found = json.loads(shown[0]["text"])
    except (LookupError, TypeError, ValueError):
        return [f"its probes did not run: {str(shown)[:300]}"]
    return [what for what, open_ in found.items() if open_]


def proven(limits: Limits, level: str) -> Sandbox:
    """A sandbox that has shown that it holds. Raises RuntimeError where it does not; "none" is not asked to."""
    sandbox = Sandbox(limits, level)
    found = holes(sandbox) if level != "none" else []
    if found:
        sandbox.close()
        raise RuntimeError(f"The sandbox does not hold: {'; '.join(found)}. See rowwise doctor.")
    return sandbox
