"""Whatever start.py cannot do, it says in a sentence that tells what to do; and it ends with a status."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from starts import BASE_PYTHON, ROOT, Course, entries, has_uv, without_network
from test_start_chapters import start as start_py

TOOLS = [
    pytest.param(False, id="pip"),
    pytest.param(True, id="uv", marks=pytest.mark.skipif(not has_uv(), reason="uv is not installed here")),
]


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path / "course")


def refused(start, *words):
    """Asserts that a start ended with a sentence that has the words in it, and without a traceback."""
    said = re.sub(r"\s+", " ", start.stdout)
    assert start.returncode == 1, said
    assert "Traceback" not in said
    for word in words:
        assert word in said
    return said


def older_pythons():
    """The Pythons of this machine that are too old for the course."""
    # pyenv's own folders before its shims, which are there for Pythons that are not chosen, too.
    folders = [*map(str, Path.home().glob(".pyenv/versions/*/bin")), os.environ["PATH"]]
    names = ["python2.7", *(f"python3.{minor}" for minor in range(4, 11))]
    found = {name: shutil.which(name, path=os.pathsep.join(folders)) for name in names}
    works = {
        name: path
        for name, path in found.items()
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0
    }
    none = pytest.param("", marks=pytest.mark.skip(reason="no Python older than 3.11 is installed here"))
    return [pytest.param(path, id=name) for name, path in works.items()] or [none]


@pytest.mark.parametrize("python", older_pythons())
def test_an_older_python_is_named_and_a_newer_one_asked_for(course, python):
    said = refused(course.start(python=python), "Rowwise needs CPython 3.11, 3.12, 3.13 or 3.14", "python.org")
    assert "SyntaxError" not in said


@pytest.mark.parametrize(("version", "name"), [((3, 15, 0), "3.15.0"), ((4, 0, 0), "4.0.0")])
def test_a_python_newer_than_the_packages_is_named_too(course, version, name):
    pretend = (
        f"import platform, runpy, sys; sys.version_info = {version};"
        f"platform.python_version = lambda: {name!r};"
        "runpy.run_path('start.py', run_name='__main__')"
    )
    start = subprocess.run(
        [sys.executable, "-c", pretend], cwd=course.root, capture_output=True, text=True, check=False
    )
    assert start.returncode == 1
    assert f"this is CPython {name}" in start.stderr and "Traceback" not in start.stderr


def test_start_py_is_plain_ascii_so_that_any_python_reads_it():
    assert (ROOT / "start.py").read_bytes().isascii()


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_its_venv_module_is_told_the_package(course, tmp_path, module):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(f"import sys\nsys.modules[{module!r}] = None\n")
    start = course.start(env={"PYTHONPATH": str(tmp_path / "site")})
    refused(start, "without its venv module", f"sudo apt install python3.{sys.version_info.minor}-venv")


@pytest.mark.parametrize("uv", TOOLS)
def test_no_network_is_said_and_the_next_start_mends_it(course, tmp_path, uv):
    refused(course.start(uv=uv, env=without_network(tmp_path)), "could not be fetched. Check the connection")
    mended = course.start("test", "-q", uv=has_uv())
    assert mended.returncode == 0, mended.stdout
    assert "1 passed" in mended.stdout


@pytest.mark.parametrize("uv", TOOLS)
def test_a_lock_whose_hash_does_not_fit_is_named(course, uv):
    lock = course.root / "requirements.lock"
    lock.write_text(re.sub("sha256:..", "sha256:00", entries(lock)["editables"]))
    refused(course.start(uv=uv), "requirements.lock is damaged", "git checkout -- requirements.lock")


@pytest.mark.parametrize("uv", TOOLS)
@pytest.mark.parametrize("text", ["editables==0.6\n", "<<<<<<< HEAD\neditables==0.6\n"], ids=["no hash", "conflict"])
def test_a_lock_that_is_no_lock_is_named(course, uv, text):
    (course.root / "requirements.lock").write_text(text)
    refused(course.start(uv=uv), "requirements.lock is damaged", "git checkout -- requirements.lock")


def test_a_missing_lock_is_named(course):
    (course.root / "requirements.lock").unlink()
    refused(course.start(), "requirements.lock is missing", "git checkout -- requirements.lock")
    assert not (course.root / ".venv").exists()


def test_a_copy_without_the_tests_says_so(course):
    (course.root / "requirements-test.lock").unlink()
    refused(course.start("test"), "The tests are not in this copy of the course")
    assert not (course.root / ".venv").exists()


@pytest.fixture
def full_disk():
    """A disk with much room by its own account, that takes a few hundred files and no more."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("only root on Linux can make a small disk")
    folder = Path(tempfile.mkdtemp(prefix="rowwise-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=1g,nr_inodes=250", "none", folder]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine does not let root mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)
    folder.rmdir()


@pytest.mark.parametrize("uv", TOOLS)
def test_a_disk_that_fills_up_is_said_and_left_with_room(full_disk, uv):
    course = Course(full_disk / "course")
    refused(course.start(uv=uv), "no room left on the disk", "500 MB")
    assert not (course.root / ".venv").exists()


def test_a_disk_with_too_little_room_is_said_before_anything_is_made(course, monkeypatch):
    monkeypatch.setattr(start_py, "NEEDED_BYTES", 10**18)
    monkeypatch.setattr(start_py, "ROOT", course.root)
    monkeypatch.setattr(start_py, "VENV", course.root / ".venv")
    monkeypatch.setattr(start_py, "STAMP", course.root / ".venv" / "stamp")
    with pytest.raises(start_py.Problem, match="no room left on the disk"):
        start_py.make_venv(held=None)
    assert not (course.root / ".venv").exists()


@pytest.fixture
def somebody():
    """How to run start.py as a user who is not root: {python, user}."""
    if os.name == "nt":
        pytest.skip("Windows has no such permissions")
    if os.geteuid() != 0:
        return {"python": BASE_PYTHON}
    test = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))"
    for python in (BASE_PYTHON, *(f"/usr/bin/python3{minor}" for minor in ("", ".14", ".13", ".12", ".11"))):
        with contextlib.suppress(OSError):
            if subprocess.run([python, "-c", test], user=65534, capture_output=True).returncode == 0:
                return {"python": python, "user": 65534}
    pytest.skip("no Python here that a user other than root may run")


def test_a_folder_without_write_permission_is_named(somebody):
    with tempfile.TemporaryDirectory(prefix="rowwise-locked-") as folder:
        course = Course(Path(folder) / "course")
        os.chmod(folder, 0o755)
        course.root.chmod(0o555)
        said = refused(course.start(**somebody))
        assert "could not be written" in said and "move the folder to a place that is yours" in said
        course.root.chmod(0o755)


def test_a_busy_port_is_named_before_anything_is_installed(course):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        refused(course.start("--port", str(port)), f"Port {port} is not free", "another --port")
    assert not (course.root / ".venv").exists()


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_is_none_is_refused(course, port):
    start = course.start(f"--port={port}")
    assert start.returncode == 2 and "--port" in start.stdout and "Traceback" not in start.stdout


@pytest.mark.parametrize("folder", ["notebooks", "notebooks/01-rows", "solutions", ".venv", ".", ".."])
def test_work_is_kept_out_of_folders_where_it_would_be_lost(course, folder):
    refused(course.start("--folder", folder), "Work is not safe in", "another --folder")


def test_a_path_too_long_for_windows_is_said_with_its_length():
    root = "C:\\" + "x" * 97
    with pytest.raises(start_py.Problem, match=r"has 100 characters; .* Windows takes 92 at most"):
        start_py.check_path(root, windows=True)
    start_py.check_path("C:\\rowwise", windows=True)
    start_py.check_path(root, windows=False)


# What pip 24 to 26 and uv 0.9 print, on Windows too, where these tests may not run.
@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ("OSError: [Errno 28] No space left on device", "room"),
        (
            "ERROR: Could not install packages due to an OSError: [WinError 112] There is not enough space",
            "room",
        ),
        ("OSError: [WinError 206] The filename or extension is too long: 'C:\\\\x'", "path"),
        (
            "HINT: ... since this system does not have Windows Long Path support enabled",
            "path",
        ),
        ("ERROR: Could not install packages: [WinError 5] Access is denied: 'C:\\\\rowwise'", "permission"),
        (
            "NewConnectionError ... getaddrinfo failed\nERROR: No matching distribution",
            "network",
        ),
        ("error: Failed to fetch: `https://x/simple/numpy/`\n  Caused by: dns error", "network"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "lock"),
        ("ERROR: No matching distribution found for numpy==2.4.6", "wheel"),
        ("  x No solution found when resolving dependencies: numpy has no usable wheels", "wheel"),
        ("Segmentation fault", "other"),
    ],
)
def test_what_pip_and_uv_print_is_understood(output, kind):
    assert start_py.kind_of(output) == kind
