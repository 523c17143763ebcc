"""What a student's code can do in the sandbox: each attack is really tried, and what is allowed really works."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rowwise
from rowwise.grading import isolation, proof
from rowwise.grading.inside import codec
from rowwise.grading.limits import Limits
from rowwise.grading.sandbox import Lost, Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
LIMITS = Limits(cell_seconds=3, total_seconds=20, cpu_seconds=15, memory_mb=400, processes=30, file_mb=8, disk_mb=16)


def needs(level):
    there = {found.name for found in isolation.findings() if found.there}
    wanted = {"namespaces": {"bubblewrap", "namespaces", "system-call filter"},
              "landlock": {"Landlock", "system-call filter"}}[level]  # fmt: skip
    if not wanted <= there:
        pytest.skip(f"not on this machine: {', '.join(wanted - there)}")


@pytest.fixture(scope="module", params=["namespaces", "landlock"])
def either(request):
    needs(request.param)
    with Sandbox(LIMITS, request.param) as box:
        yield box


@pytest.fixture(scope="module")
def box():
    needs("namespaces")
    with Sandbox(LIMITS, "namespaces") as box:
        yield box


def tried(box, code):
    """What a cell shows, as one string; a cell that ended its process shows why."""
    session = box.open()
    try:
        shown, _ = session.run(code)
        return "\n".join(
            o.get("text") or (f"ERROR {o['ename']} {o['evalue']}" if "ename" in o else o["data"]["text/plain"])
            for o in shown
        )
    except Lost as lost:
        return f"LOST {lost}"
    finally:
        session.end()


def blocked(shown):
    return shown.startswith(("ERROR", "LOST"))


LIBRARY = Path(rowwise.__file__).parent
ATTACKS = {
    "read the reference": f"open({str(LIBRARY / 'reference.py')!r}).read()",
    "read the exercises": f"import os; os.listdir({str(LIBRARY / 'exercises')!r}) and 'HOLE'",
    "read the course": f"open({str(LIBRARY.parent.parent / 'pyproject.toml')!r}).read()",
    "read the accounts": "open('/etc/passwd').read()",
    "read the passwords": "open('/etc/shadow').read()",
    "read root's home": "import os; os.listdir('/root/.ssh')",
    "read another process's memory": "open('/proc/2/mem', 'rb').read(1)",
    "read the grader's environment": f"open('/proc/{os.getppid()}/environ').read()",
    "read a disk": "open('/dev/vda', 'rb').read(1)",
    "read kernel messages": "open('/dev/kmsg').read()",
    "write the interpreter": "import json; open(json.__file__, 'a').write('#')",
    "write numpy": "import numpy; open(numpy.__file__, 'a').write('#')",
    "write the stand-in": "import rowwise; open(rowwise.__file__, 'a').write('#')",
    "write /": "open('/x', 'w')",
    "write /tmp": "open('/tmp/x', 'w')",
    "write /dev": "open('/dev/x', 'w')",
    "write /usr": "open('/usr/x', 'w')",
    "write kernel settings": "open('/proc/sys/kernel/hostname', 'w').write('x')",
    "mount": "import ctypes, os; os.mkdir('m'); l = ctypes.CDLL(None, use_errno=True)\n"
    "r = l.mount(b't', b'm', b'tmpfs', 0, None)\nassert r == 0, 'cannot'",
    "unmount": "import ctypes; r = ctypes.CDLL(None).umount2(b'/w', 2)\nassert r == 0, 'cannot'",
    "enter a new user namespace": "import ctypes; r = ctypes.CDLL(None).unshare(0x10000000)\nassert r == 0, 'cannot'",
    "enter the grader's namespaces": "import ctypes, os; r = ctypes.CDLL(None).setns(0, 0)\nassert r == 0, 'cannot'",
    "chroot": "import os; os.chroot('.')",
    "become root": "import os; os.setuid(0)",
    "trace a process": "import ctypes; r = ctypes.CDLL(None).ptrace(16, 1, 0, 0)\nassert r == 0, 'cannot'",
    "read memory across processes": "import ctypes; r = ctypes.CDLL(None).syscall(310, 1, 0, 0, 0, 0, 0)\nassert r == 0, 'cannot'",  # noqa: E501
    "io_uring": "import ctypes; r = ctypes.CDLL(None).syscall(425, 8, 0)\nassert r >= 0, 'cannot'",
    "load BPF": "import ctypes; r = ctypes.CDLL(None).syscall(321, 0, 0, 0)\nassert r >= 0, 'cannot'",
    "the kernel's key store": "import ctypes; r = ctypes.CDLL(None).syscall(248, b'user', b'k', b'v', 1, -3)\nassert r >= 0, 'cannot'",  # noqa: E501
    "userfaultfd": "import ctypes; r = ctypes.CDLL(None).syscall(323, 0)\nassert r >= 0, 'cannot'",
    "connect to the loopback": "import socket; socket.create_connection(('127.0.0.1', 22), 1)",
    "connect outside": "import socket; socket.create_connection(('1.1.1.1', 53), 1)",
    "look a name up": "import socket; socket.getaddrinfo('example.org', 80)",
    "a raw socket": "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "netlink": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "vsock to the host": "import socket; socket.socket(40, socket.SOCK_STREAM)",
    "raise its own limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))",
    "import the real mathematics": "import rowwise.reference as r; r.scores([[1.]], [[1.]])",
    "import the exercises": "from rowwise.exercises import ALL; ALL['scores'].judge",
    "ask the check for the expected values": "from rowwise import check; check.scores.__globals__['exercises']",
    "open a terminal for input": "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')",
    "a core dump": "import resource; resource.setrlimit(resource.RLIMIT_CORE, (1, 1))",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_fails(either, attack):
    shown = tried(either, ATTACKS[attack])
    assert blocked(shown), shown
    assert tried(either, "6 * 7") == "42"


def test_the_sandbox_proves_itself(either):
    assert proof.holes(either) == []


def test_what_courses_need_works(either):
    assert tried(either, "import numpy as np; float(np.linalg.norm([3, 4]))") == "5.0"
    assert "Figure" in tried(either, "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    assert tried(either, "open('notes.txt', 'w').write('kept'); open('notes.txt').read()") == "'kept'"
    assert (
        tried(either, "from rowwise import check, live, study\nfrom rowwise.show import show\nlive.attention(1)\n7")
        == "7"
    )
    assert tried(either, "import asyncio\nawait asyncio.sleep(0)\n8") == "8"
    assert "nobody to ask" in tried(either, "input('name?')")
    assert tried(either, "sum(1 for _ in map(str, range(3)))") == "3"


def test_a_program_that_a_cell_starts_is_heard(box):
    assert tried(box, "import os; _ = os.system('echo hello')").strip() == "hello"


def test_it_runs_as_nobody_who_owns_anything(either):
    uid = int(tried(either, "import os; os.getuid()"))
    assert uid != 0
    assert uid == os.getuid() or os.getuid() == 0


def test_it_sees_no_process_but_its_own(box):
    assert tried(box, "import os; sorted(n for n in os.listdir('/proc') if n.isdigit())") == "['1']"


def test_nothing_is_left_for_the_next_submission(either):
    tried(
        either,
        "import os, pathlib\npathlib.Path('left').write_text('x')\npathlib.Path(os.environ['TMPDIR'], 'left').write_text('x')",
    )
    tried(either, "try:\n    open('/dev/shm/left', 'w')\nexcept OSError:\n    pass")
    tried(either, "import numpy; numpy.sqrt = None; import builtins; builtins.len = None")
    look = "import os, numpy; [os.listdir('.'), os.listdir(os.environ['TMPDIR']), numpy.sqrt is None, len([1])]"
    assert tried(either, look) == "[[], [], False, 1]"


def test_a_daemon_does_not_outlive_its_submission(box):
    before = count_processes("sleep 54321")
    tried(box, "import subprocess; p = subprocess.Popen(['setsid', 'sleep', '54321'], start_new_session=True)")
    time.sleep(0.3)
    assert count_processes("sleep 54321") == before == 0


def count_processes(words):
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").startswith(words)
        except OSError:
            continue
    return found


def test_a_fork_bomb_is_over_with_its_submission(box):
    tried(box, "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass")
    assert tried(box, "6 * 7") == "42"


def test_memory_is_bounded_for_all_processes_together(box):
    code = "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        x = bytearray(120_000_000)\n        time.sleep(9)\ntime.sleep(9)"  # noqa: E501
    session = box.open()
    began = time.monotonic()
    with pytest.raises(Lost):
        session.run(code)
    end = session.end(gone=True)
    assert time.monotonic() - began < 4
    assert end["why"] == "memory" or end["status"] == 9
    assert tried(box, "6 * 7") == "42"


def test_memory_of_one_process_is_bounded(either):
    assert "MemoryError" in tried(
        either, "try:\n    x = bytearray(10**10)\nexcept MemoryError as e:\n    print('MemoryError')"
    )


def test_files_are_bounded(either):
    shown = tried(
        either, "import os\nwith open('big', 'wb') as f:\n    for _ in range(64):\n        f.write(bytes(1 << 20))"
    )
    assert "Errno" in shown or "LOST" in shown


def test_a_very_large_result_ends_its_own_submission_alone(box):
    shown = tried(box, "print('x' * 100_000_000)")
    assert len(shown) < 200_000
    assert tried(box, "6 * 7") == "42"


def test_an_endless_loop_is_stopped(either):
    began = time.monotonic()
    assert "stopped after 3 seconds" in tried(either, "while True: pass")
    assert time.monotonic() - began < 5


def test_a_loop_that_catches_everything_is_stopped_too(box):
    began = time.monotonic()
    shown = tried(box, "while True:\n    try:\n        while True: pass\n    except BaseException: pass")
    assert "LOST" in shown or "stopped after 3 seconds" in shown
    assert time.monotonic() - began < 8


def test_killing_everything_in_sight_kills_only_itself(box):
    tried(box, "import os; os.kill(-1, 9); os.kill(1, 9); os._exit(1)")
    assert tried(box, "6 * 7") == "42"


def test_a_forged_reply_is_not_taken_for_an_answer(box):
    forge = (
        "import os, struct, json\nbody = json.dumps({'number': 99, 'outputs': []}).encode()\n"
        "for n in range(3, 64):\n    try:\n        os.write(n, struct.pack('!I', len(body)) + body)\n    except OSError: pass"
    )
    assert "LOST" in tried(box, forge)
    assert tried(box, "6 * 7") == "42"


def test_a_probe_that_was_patched_can_only_answer_or_fail(box):
    case = [{"name": "one", "args": codec.encode((np.eye(2),)), "kwargs": codec.encode({})}]
    session = box.open()
    session.run("import asking\nasking.probe = lambda *a: 1 / 0\nscores = lambda Q, K: 3.0")
    with pytest.raises(Lost):
        session.ask("scores", case)
    session.end()
    session = box.open()
    session.run("import asking\nasking.encoded = lambda answer: {'mark': 3.0, 'points': 3.0}\nscores = lambda Q: 3.0")
    assert "value" not in session.ask("scores", case)["answers"][0]
    session.end()


def test_without_bubblewrap_it_says_so_and_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    isolation.findings.cache_clear()
    try:
        with pytest.raises(isolation.NoIsolation, match="apt-get install bubblewrap"):
            isolation.best()
        assert isolation.best(allow_none=True) in ("landlock", "none")
    finally:
        isolation.findings.cache_clear()


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_it_refuses_and_says_where_to_go(monkeypatch, system):
    isolation.findings.cache_clear()
    monkeypatch.setattr(isolation.sys, "platform", system)
    try:
        with pytest.raises(isolation.NoIsolation, match=r"WSL2.*virtual machine"):
            isolation.best()
    finally:
        isolation.findings.cache_clear()


def test_the_stage_and_the_interpreter_are_gone_when_it_is_closed():
    needs("namespaces")
    with Sandbox(LIMITS, "namespaces") as box:
        stage, process = box._stage, box._process
        assert stage.exists()
    assert not stage.exists()
    assert process.poll() is not None


def test_the_sandbox_ends_when_its_grader_is_killed():
    needs("namespaces")
    code = "import sys, time\nfrom rowwise.grading.sandbox import Sandbox\nb = Sandbox()\nprint(b._process.pid, flush=True)\ntime.sleep(60)"  # noqa: E501
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid = int(grader.stdout.readline())
    grader.kill()
    grader.wait()
    for _ in range(50):
        if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            return
        time.sleep(0.1)
    raise AssertionError("the sandbox outlived its grader")


# ---- the codec


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(plain)
@settings(max_examples=150, deadline=None)
def test_plain_data_crosses_unchanged(value):
    assert repr(codec.decode(codec.encode(value))) == repr(value)


@pytest.mark.parametrize("kind", ["?", "i1", "u8", "f2", "f4", ">f8", "c16", "U3"])
def test_arrays_cross_unchanged(kind):
    array = np.arange(6).reshape(2, 3).astype(kind)
    back = codec.decode(codec.encode(array))
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)


@pytest.mark.parametrize(
    "value", [object(), print, np.array([object()]), {1, 2}, np.zeros(2, "i4,f8"), np.zeros(10**7)]
)
def test_anything_else_does_not_cross(value):
    with pytest.raises(codec.Unreadable):
        codec.encode(value)


@pytest.mark.parametrize("coded", [
    {"t": "array", "d": "O", "s": [1], "v": "AAAAAAAAAAA="}, {"t": "array", "d": "f8", "s": [-1, 2], "v": ""},
    {"t": "array", "d": "f8", "s": [10**9], "v": ""}, {"t": "pickle", "v": "gASVAAAA"}, {"t": "dict", "v": [[{"t": "list", "v": []}, 1]]},  # noqa: E501
    {"t": "int", "v": "f" * 10**6}, {"t": "float", "v": "spam"}, {"t": "array", "d": "M8[s]", "s": [1], "v": "AAAAAAAAAAA="}, [1], {"a": 1},  # noqa: E501
])  # fmt: skip
def test_bytes_that_are_no_value_are_refused(coded):
    with pytest.raises(codec.Unreadable):
        codec.decode(coded)


def as_an_ordinary_user(code):
    """Run Python as a user without rights, who can read Python and this project."""
    from rowwise.grading import sandbox

    if os.getuid() != 0:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    closed = sandbox._closed_folders()

    def become():
        if closed:
            sandbox._open_folders(closed)
        isolation.become(12345)

    env = os.environ | {"HOME": "/tmp", "TMPDIR": "/tmp"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=become, env=env, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("level", ["namespaces", "landlock"])
def test_an_ordinary_user_gets_the_same_walls(level):
    needs(level)
    code = f"from rowwise.grading import proof\nfrom rowwise.grading.limits import Limits\nb = proof.proven(Limits(), {level!r})\n"  # noqa: E501
    assert as_an_ordinary_user(code + "print(b.level); b.close()").strip() == level


def test_memory_is_watched_where_no_cgroup_can_be_had(monkeypatch):
    from rowwise.grading import cgroup

    needs("namespaces")
    monkeypatch.setattr(cgroup, "make", lambda *given: None)
    monkeypatch.setattr(cgroup, "scope", lambda *given: [])
    with Sandbox(LIMITS, "namespaces") as box:
        assert box.memory_by == "watcher"
        session = box.open()
        with pytest.raises(Lost):
            session.run(
                "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n"
                "        x = bytearray(120_000_000)\n        time.sleep(9)\ntime.sleep(9)"
            )
        assert session.end(gone=True)["why"] == "memory"
