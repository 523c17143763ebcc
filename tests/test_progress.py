"""Progress is kept on the student's own machine, survives a restart, and never stands in the way."""

import json
import os
import subprocess
import sys
import threading

import pytest

from rowwise import progress
from rowwise.mark import Mark


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    progress._session.clear()
    yield tmp_path / "home"
    progress._session.clear()


def in_another_kernel(code):
    return subprocess.run(
        [sys.executable, "-c", f"from rowwise import progress\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_a_prediction_is_there_after_a_restart():
    in_another_kernel("progress.keep('01/weights', {'answer': 'none', 'at': [1, 2]})")
    assert progress.recall("01/weights") == {"answer": "none", "at": [1, 2]}
    assert progress.recall("01/never", "nothing yet") == "nothing yet"


def test_arrays_are_kept_as_lists():
    np = pytest.importorskip("numpy")
    progress.keep("guess", np.array([[1.5, 2], [3, 4]]))
    assert progress.recall("guess") == [[1.5, 2.0], [3.0, 4.0]]


def test_what_json_cannot_hold_is_refused_and_nothing_is_lost():
    progress.keep("guess", 1)
    with pytest.raises(TypeError, match="what JSON can hold"):
        progress.keep("guess", object())
    assert progress.recall("guess") == 1


def test_the_best_mark_stays_when_a_later_one_is_lower():
    progress.record("scores", Mark(2, 3))
    progress.record("scores", Mark(1, 3))
    assert progress.best() == {"scores": progress.Best(2.0, 3.0, 2, True)}
    progress.record("scores", Mark(3, 3))
    assert progress.best()["scores"] == progress.Best(3.0, 3.0, 3, True)


def test_one_call_forgets_everything_and_leaves_no_file(home):
    progress.keep("guess", 1)
    progress.record("scores", Mark(2, 3))
    progress.forget()
    assert progress.recall("guess") is None
    assert progress.best() == {}
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, 2]", '{"best": 3, "kept": [1]}', '{"best": {"scores": {"earned": "x"}}}', "\x00\xff"],
)
def test_a_damaged_file_stops_nobody(home, text):
    home.mkdir()
    (home / "progress.json").write_text(text, encoding="utf-8")
    assert progress.best() == {}
    progress.record("scores", Mark(2, 3))
    assert progress.best()["scores"].earned == 2
    assert json.loads((home / "progress.json").read_text(encoding="utf-8"))["best"]["scores"]["earned"] == 2


def test_a_file_that_cannot_be_read_is_set_aside_not_overwritten(home):
    home.mkdir()
    (home / "progress.json").write_text('{"best": {"sco', encoding="utf-8")
    progress.keep("guess", 1)
    assert (home / "progress.unreadable.json").read_text(encoding="utf-8") == '{"best": {"sco'


def test_with_nowhere_to_write_it_is_remembered_until_the_kernel_stops(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path / "file" / "inside"))
    progress.keep("guess", 7)
    progress.record("scores", Mark(2, 3))
    assert progress.recall("guess") == 7
    assert progress.best()["scores"].earned == 2
    progress.forget()
    assert progress.recall("guess") is None


def test_while_nbgrader_runs_the_notebook_no_file_is_read_or_written(home, monkeypatch):
    progress.keep("guess", "the student's")
    before = (home / "progress.json").read_bytes()
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert progress.recall("guess") is None
    progress.keep("guess", "the grader's")
    progress.record("scores", Mark(3, 3))
    progress.forget()
    assert (home / "progress.json").read_bytes() == before


def test_threads_that_keep_at_the_same_time_lose_nothing():
    threads = [threading.Thread(target=progress.keep, args=(f"k{i}", i)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [progress.recall(f"k{i}") for i in range(12)] == list(range(12))


def test_no_draft_is_left_beside_the_file(home):
    for i in range(5):
        progress.keep("guess", i)
    assert os.listdir(home) == ["progress.json"]


@pytest.mark.parametrize(
    "system, variables, expected",
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/rowwise/progress.json"),
        ("linux", {"HOME": "/home/ada"}, "/home/ada/.local/share/rowwise/progress.json"),
        ("darwin", {"HOME": "/Users/ada"}, "/Users/ada/Library/Application Support/rowwise/progress.json"),
        (
            "win32",
            {"LOCALAPPDATA": "C:/Users/ada/AppData/Local"},
            "C:/Users/ada/AppData/Local/rowwise/progress.json",
        ),
    ],
)
def test_each_system_has_its_own_place(monkeypatch, system, variables, expected):
    for name in ("ROWWISE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    assert progress.where().as_posix() == expected
