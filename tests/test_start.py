"""start.py on a real machine: it sets up once, is quick afterwards, and mends what an earlier start left."""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from starts import SMALL, Course, Serving, environment, has_uv, without_network


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small course that pip has set up, with the output of that start."""
    course = Course(tmp_path_factory.mktemp("small") / "el curs d'ací")  # as a home folder may be called
    course.first = course.start("test", "-q")
    return course


def test_pip_alone_sets_up_and_the_tests_run(small):
    assert small.first.returncode == 0, small.first.stdout
    assert "Installing the packages of requirements.lock" in small.first.stdout
    assert "Installing the packages of requirements-test.lock" in small.first.stdout
    assert "1 passed" in small.first.stdout


def test_a_second_start_installs_nothing_and_is_quick(small):
    began = time.monotonic()
    again = small.start("test", "--collect-only", "-q")
    assert time.monotonic() - began < 20
    assert "Installing" not in again.stdout and "Making" not in again.stdout
    assert "test_rowwise_can_be_imported" in again.stdout, "what follows `test` goes to pytest"


def test_a_failing_test_is_a_failing_command(small):
    small.write_test("def test_it():\n    assert False\n")
    assert small.start("test").returncode == 1
    assert small.start("test", "no-such-file").returncode == 4, "pytest's own statuses come through"


def test_what_is_started_finds_the_environments_programs_first(small):
    small.write_test("import shutil\ndef test_it():\n    print('FOUND', shutil.which('hatchling'))\n")
    found = re.search("FOUND (.*)", small.start("test", "-s").stdout).group(1)
    assert found.startswith(str(small.root / ".venv"))


def test_a_changed_lock_is_installed_into_the_environment_that_is_there(small):
    (small.root / ".venv" / "mine.txt").write_text("still here")
    with (small.root / "requirements.lock").open("a") as lock:
        lock.write("\n# a newer lock\n")
    start = small.start("test", "-q")
    assert "Installing the packages of requirements.lock" in start.stdout
    assert "requirements-test.lock" not in start.stdout, "this one is as it was"
    assert (small.root / ".venv" / "mine.txt").exists()


def test_without_network_an_update_leaves_the_environment_as_it_was(small, tmp_path):
    old = (small.root / "requirements.lock").read_text()
    small.write_lock("requirements.lock", *SMALL, "anywidget")
    start = small.start("test", env=without_network(tmp_path))
    assert start.returncode == 1
    assert "could not be fetched. Check the connection" in start.stdout
    (small.root / "requirements.lock").write_text(old)
    assert "Making" not in small.start("test", "-q").stdout


def test_a_course_that_was_moved_gets_its_environment_afresh(small, tmp_path):
    moved = Course.__new__(Course)
    moved.root = tmp_path / "moved"
    shutil.copytree(small.root, moved.root, symlinks=True)
    start = moved.start("test", "-q", uv=has_uv())
    assert start.returncode == 0, start.stdout
    assert "from another folder: making it afresh" in start.stdout


def test_an_environment_of_somebody_else_is_moved_aside(tmp_path):
    course = Course(tmp_path / "course")
    (course.root / ".venv").mkdir()
    (course.root / ".venv" / "precious.txt").write_text("mine")
    start = course.start("test", "-q", uv=has_uv())
    assert start.returncode == 0, start.stdout
    assert "It is now .venv-aside" in start.stdout
    assert (course.root / ".venv-aside" / "precious.txt").read_text() == "mine"


def test_a_start_that_was_killed_is_mended_by_the_next(tmp_path):
    course = Course(tmp_path / "course")
    command, env = course.command("test", "-q"), environment(uv=False)
    first = subprocess.Popen(command, cwd=course.root, env=env, stdout=subprocess.PIPE, text=True)
    for line in first.stdout:
        if "Installing" in line:
            break
    os.kill(first.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    first.wait()
    assert (course.root / ".venv").is_dir()
    second = course.start("test", "-q")
    assert second.returncode == 0, second.stdout
    assert "unfinished, damaged or from another folder: making it afresh" in second.stdout
    assert "1 passed" in second.stdout


def test_two_starts_at_once_do_not_disturb_each_other(tmp_path):
    course = Course(tmp_path / "course")
    command, env = course.command("test", "-q"), environment(uv=has_uv())
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    starts = [subprocess.Popen(command, cwd=course.root, env=env, **pipe) for _ in range(2)]
    outputs = [start.communicate(timeout=240)[0] for start in starts]
    assert [start.returncode for start in starts] == [0, 0], outputs
    assert sum("Making .venv" in output for output in outputs) == 1


def test_ctrl_c_while_setting_up_ends_in_a_sentence(tmp_path):
    course = Course(tmp_path / "course")
    command, env = course.command("test"), environment(uv=False)
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    start = subprocess.Popen(command, cwd=course.root, env=env, start_new_session=True, **pipe)
    while "Installing" not in start.stdout.readline():
        pass
    os.killpg(start.pid, signal.SIGINT)
    rest = start.communicate(timeout=60)[0]
    assert start.returncode == 130
    assert "Stopped. The next start takes it up again." in rest and "Traceback" not in rest


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The whole course, set up for real, and what its first start said."""
    course = Course(tmp_path_factory.mktemp("whole") / "rowwise", small=False)
    with Serving(course) as serving:
        course.first, course.page = serving.output, urllib.request.urlopen(serving.url).read().decode()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(serving.url.split("/lab")[0] + "/api/contents")
    course.stopped = serving
    return course


def test_one_command_serves_the_course_at_its_first_chapter(whole):
    assert 'id="jupyter-config-data"' in whole.page
    assert "/lab/tree/00-start-here/00-start-here.ipynb?token=" in whole.first
    assert (whole.root / "work" / "00-start-here" / "00-start-here.ipynb").is_file()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root is told so")
def test_root_is_told_and_serves_this_machine_only(whole):
    assert "You are root: JupyterLab is served to this machine alone (127.0.0.1)" in whole.first


def test_ending_start_py_ends_jupyterlab(whole):
    with pytest.raises(OSError):
        urllib.request.urlopen(f"http://127.0.0.1:{whole.stopped.port}/api", timeout=2)


def test_the_environment_holds_what_fits_together_and_the_courses_own_command(whole):
    python = whole.root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    check = "import jupyterlab, nbgrader, ipykernel, rowwise.live, rowwise.check; print(rowwise.__file__)"
    found = subprocess.run([python, "-c", check], capture_output=True, text=True, check=True).stdout
    assert found.startswith(str(whole.root / "src"))
    rowwise = subprocess.run([python, "-m", "rowwise.cli", "--help"], capture_output=True, text=True, cwd=whole.root)
    assert rowwise.returncode == 0
    assert list((whole.root / ".venv").glob("*/rowwise*")), "the command `rowwise` is installed"


def test_a_later_start_serves_again_at_once_and_another_folder_when_asked(whole, tmp_path):
    with Serving(whole, "--folder", str(tmp_path / "elsewhere")) as serving:
        assert "Installing" not in serving.output and "Making" not in serving.output
        assert serving.seconds < 60
        contents = urllib.request.Request(
            f"http://127.0.0.1:{serving.port}/api/contents/00-start-here",
            headers={"Authorization": "token " + serving.url.split("token=")[1]},
        )
        assert b"00-start-here.ipynb" in urllib.request.urlopen(contents).read()
    assert (tmp_path / "elsewhere" / "00-start-here" / "00-start-here.ipynb").is_file()
