"""Whole classes through the real commands: marks, restarts, a gradebook in trouble, agreement with nbgrader."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import grading_course as class_
import pytest

pytest.importorskip("nbgrader")

from rowwise.grading import isolation

CHAPTER = class_.CHAPTER
WRONG = {
    "transposed": {"scores": "def scores(Q, K):\n    return K @ Q.T"},
    "elementwise": {"scores": "def scores(Q, K):\n    return Q[:, None] + K[None]"},
    "raises": {"scores": "def scores(Q, K):\n    return Q @ L.T"},
    "half-row": {"dot_product_row": 'dot_product_row = {"scores": [3, 1, 2]}'},
    "fractions": {"dot_product_row": 'dot_product_row = {"scores": ["3", "-1.0", "4/2"]}'},
    "shape": {"scores_shape": "scores_shape = (4, 3)"},
    "spot": {"dot_product_spot_1": 'dot_product_spot_1 = {"mistake": "cosine-not-dot", "row": 1}'},
    "in-place": {"scores": "def scores(Q, K):\n    S = Q @ K.T\n    Q *= 0\n    return S"},
    "hidden": {"doubled": "def doubled(x):\n    return abs(2 * x)"},
    "not-a-function": {"scores": "scores = 3"},
    "syntax": {"scores": "def scores(Q, K)\n    return Q @ K.T"},
    "silent": {"why-rows": "", "scores": "def scores(Q, K):\n    pass"},
}


@pytest.fixture(scope="module", autouse=True)
def sandboxed():
    try:
        isolation.best()
    except isolation.NoIsolation as missing:
        pytest.skip(str(missing))


@pytest.fixture
def course(tmp_path):
    return class_.released_course(tmp_path / "course")


def answers(course, **changed):
    return class_.answered(class_.released(course), class_.RIGHT | changed)


def hand_in(course, *students, **changed):
    for student in students:
        class_.hand_in(course, student, answers(course, **changed))


def grade(course, *words, check=True):
    return class_.rowwise(course, "grade", CHAPTER, *words, check=check)


def test_marks_equal_those_of_nbgrader_alone_cell_by_cell(course, tmp_path):
    alone = class_.released_course(tmp_path / "alone")
    config = (alone / "autograder" / "nbgrader_config.py").read_text()
    config = re.sub(r"(?s)c\.Autograde\.\w+ = (\[.*?\n\]|.*?\n)", "", config)
    assert "Autograde" not in config
    (alone / "autograder" / "nbgrader_config.py").write_text(config)
    for each in (course, alone):
        class_.hand_in(each, "untouched", class_.released(each))
        for student, changed in WRONG.items():
            hand_in(each, student, **changed)
    grade(course)
    class_.run(alone, "nbgrader", "autograde", CHAPTER)
    expected = class_.marks(alone)
    assert len(expected) == len(WRONG) + 1
    assert class_.marks(course) == expected


def test_nbgrader_autograde_with_our_configuration_agrees_on_a_hostile_class(course):
    rehearsed(course)
    before = {path: path.read_bytes() for path in (course / "autograder" / "submitted").rglob("*") if path.is_file()}
    done = grade(course)
    ours = class_.marks(course)
    assert done.returncode == 0
    class_.run(course, "nbgrader", "autograde", CHAPTER, check=False)  # reports what it cannot convert
    assert class_.marks(course) == ours
    after = {path: path.read_bytes() for path in (course / "autograder" / "submitted").rglob("*") if path.is_file()}
    assert after == before


def rehearsed(course):
    """A class with right, wrong, broken and hostile work in it."""
    right, text = answers(course), json.dumps(answers(course))
    hand_in(course, "right-1", "right-2")
    class_.hand_in(course, "untouched", class_.released(course))
    for student, changed in WRONG.items():
        hand_in(course, f"wrong-{student}", **changed)
    for student, code in {"exit": "import os; os._exit(1)", "crash": "import os; os.abort()",
                          "print": "print('x' * 50_000_000)"}.items():  # fmt: skip
        hand_in(course, f"odd-{student}", scores=class_.RIGHT["scores"] + f"\n{code}")
    class_.hand_in(course, "file-empty", "")
    class_.hand_in(course, "file-cut", text[: len(text) // 2])
    class_.hand_in(course, "file-page", "<html>Please log in</html>")
    class_.hand_in(course, "file-renamed", right, file="Untitled1.ipynb")
    class_.hand_in(course, "copied", right | {"cells": [*right["cells"], *right["cells"]]})
    class_.hand_in(
        course, "deleted", right | {"cells": [c for c in right["cells"] if '"check-' not in json.dumps(c["metadata"])]}
    )
    path = course / "autograder" / "submitted" / "linked" / CHAPTER
    path.mkdir(parents=True)
    (path / f"{CHAPTER}.ipynb").symlink_to(course / "solutions" / CHAPTER / f"{CHAPTER}.ipynb")


def test_each_member_of_a_hostile_class_has_its_mark_or_a_reason(course):
    rehearsed(course)
    done = grade(course)
    marks = class_.marks(course)
    assert marks["right-1"] == marks["right-2"] == class_.FULL
    for student in ("odd-print", "file-renamed", "copied"):
        assert marks[student] == class_.FULL, student
    for student in ("odd-exit", "odd-crash"):  # the cell that holds the function ends the process
        assert marks[student] == class_.FULL | {"check-scores": 0.0}, student
    for student in ("file-empty", "file-cut", "file-page"):
        assert set(marks[student].values()) == {None}
        assert f"{student}: This notebook has no marks" in done.stdout
    assert marks["deleted"] == class_.FULL
    assert "linked" not in marks or set(marks["linked"].values()) <= {0.0}  # a link is no file that was handed in
    folder = course / "autograder" / "autograded" / "odd-print" / CHAPTER
    assert (folder / f"{CHAPTER}.ipynb").stat().st_size < 400_000


def test_what_has_not_changed_is_not_graded_again(course):
    hand_in(course, "ann", "bob")
    assert "2 graded, 0 unchanged" in grade(course).stdout
    assert "0 graded, 2 unchanged" in grade(course).stdout
    hand_in(course, "bob", **WRONG["transposed"])
    done = grade(course)
    assert "1 graded, 1 unchanged" in done.stdout
    assert "bob: check-scores 3 → 0" in done.stdout
    assert class_.marks(course)["bob"]["check-scores"] == 0
    assert "2 graded" in grade(course, "--force").stdout


def test_a_timestamp_decides_nothing_but_lateness(course):
    hand_in(course, "ann", **WRONG["transposed"])
    class_.hand_in(
        course, "ann", answers(course, **WRONG["transposed"]), extra={"timestamp.txt": "2026-12-01 10:00:00 UTC"}
    )
    grade(course)
    hand_in(course, "ann")  # better work with the older timestamp
    (course / "autograder" / "submitted" / "ann" / CHAPTER / "timestamp.txt").unlink()
    grade(course)
    assert class_.marks(course)["ann"] == class_.FULL
    class_.hand_in(course, "bob", answers(course), extra={"timestamp.txt": "last tuesday"})
    grade(course)
    assert class_.marks(course)["bob"] == class_.FULL


def test_dry_run_grades_nothing(course):
    hand_in(course, "ann")
    done = grade(course, "--dry-run")
    assert "ann: new" in done.stdout and "Nothing was graded" in done.stdout
    assert class_.marks(course) == {}


def test_one_student_alone_and_an_unknown_one(course):
    hand_in(course, "ann", "bob")
    grade(course, "--student", "ann")
    assert list(class_.marks(course)) == ["ann"]
    done = grade(course, "--student", "zoe", check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == f"Nothing was handed in for {CHAPTER} by zoe."


def test_manual_marks_and_comments_survive_a_regrade(course):
    from nbgrader.api import Gradebook

    hand_in(course, "ann")
    grade(course)
    with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
        given = book.find_grade("why-rows", CHAPTER, CHAPTER, "ann")
        given.manual_score, given.extra_credit, given.needs_manual_grade = 1.5, 0.25, False
        book.find_comment("why-rows", CHAPTER, CHAPTER, "ann").manual_comment = "Say why."
        book.db.commit()
    hand_in(course, "ann", **WRONG["transposed"])
    grade(course)
    with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
        given = book.find_grade("why-rows", CHAPTER, CHAPTER, "ann")
        assert (given.manual_score, given.extra_credit, given.score) == (1.5, 0.25, 1.75)
        assert given.needs_manual_grade  # as nbgrader: somebody should look again
        assert book.find_comment("why-rows", CHAPTER, CHAPTER, "ann").manual_comment == "Say why."


def test_late_work_is_penalised_as_nbgraders_plugin_says(course):
    from nbgrader.api import Gradebook

    with (course / "autograder" / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    class_.hand_in(course, "late", answers(course), extra={"timestamp.txt": "2026-12-02 10:00:00 UTC"})
    class_.hand_in(course, "early", answers(course), extra={"timestamp.txt": "2026-11-30 10:00:00 UTC"})
    with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
        book.update_or_create_assignment(CHAPTER, duedate="2026-12-01 10:00:00 UTC")
    grade(course)
    with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
        penalty = {s.student.id: s.late_submission_penalty for s in book.assignment_submissions(CHAPTER)}
    assert penalty == {"late": 11.0, "early": 0.0}


def test_an_assignment_of_two_notebooks_with_one_missing(tmp_path):
    course = class_.new_course(tmp_path)
    second = class_.source_notebook(names=("scores_shape",))
    class_.write_source(course, second, name="second")
    class_.release(course)
    hand_in(course, "ann")
    class_.hand_in(
        course, "ann", class_.answered(class_.released(course, name="second"), class_.RIGHT), file="second.ipynb"
    )
    hand_in(course, "bob")
    grade(course)
    rows = sqlite3.connect(course / "autograder" / "gradebook.db").execute(
        "select s.student_id, n.name, sum(g.auto_score), sum(g.needs_manual_grade) from grade g join submitted_notebook b "
        "on g.notebook_id = b.id join submitted_assignment s on b.assignment_id = s.id join notebook n on b.notebook_id = n.id "
        "group by 1, 2"
    )
    assert sorted(rows) == [
        ("ann", CHAPTER, 11, 1),
        ("ann", "second", 3, 1),
        ("bob", CHAPTER, 11, 1),
        ("bob", "second", 0, 0),
    ]


def test_a_course_whose_gradebook_does_not_know_the_chapter_yet(tmp_path):
    course = class_.released_course(tmp_path)
    (course / "autograder" / "gradebook.db").unlink()
    hand_in(course, "ann")
    grade(course)
    assert class_.marks(course) == {"ann": class_.FULL}
    assert (course / "notebooks" / CHAPTER / f"{CHAPTER}.ipynb").exists()


# ---- nothing is lost


def test_a_killed_worker_costs_no_mark(course):
    hand_in(course, *(f"s{n}" for n in range(12)), scores=class_.RIGHT["scores"] + "\nimport time; time.sleep(0.5)")
    run = start(course)
    killed = 0
    for _ in range(400):
        workers = [int(p.name) for p in Path("/proc").glob("[0-9]*") if is_worker(p, run.pid)]
        if workers and len(list((course / "autograder" / "results" / CHAPTER).glob("s[0-9]*.json"))) > killed * 3:
            os.kill(workers[0], signal.SIGKILL)
            killed += 1
        if killed == 2 or run.poll() is not None:
            break
        time.sleep(0.05)
    assert run.wait(120) == 0
    assert killed == 2
    assert class_.marks(course) == {f"s{n}": class_.FULL for n in range(12)}


def start(course):
    command = [str(Path(sys.executable).parent / "rowwise"), "grade", CHAPTER]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=course / "autograder", **quiet)


def is_worker(path, parent):
    try:
        command = (path / "cmdline").read_bytes()
        return (
            b"rowwise.grading.workers" in command
            and int((path / "stat").read_text().rsplit(")", 1)[1].split()[1]) == parent
        )
    except (OSError, ValueError):
        return False


def test_a_run_that_was_killed_goes_on_where_it_was(course):
    hand_in(course, *(f"s{n}" for n in range(10)), scores=class_.RIGHT["scores"] + "\nimport time; time.sleep(0.4)")
    run = start(course)
    results = course / "autograder" / "results" / CHAPTER
    while run.poll() is None and len(list(results.glob("s[0-9]*.json"))) < 4:
        time.sleep(0.02)
    run.kill()
    run.wait()
    time.sleep(0.5)
    there = {path.name: path.stat().st_mtime_ns for path in results.glob("s[0-9]*.json")}
    assert 4 <= len(there) < 10
    done = grade(course)
    assert f"{10 - len(there)} graded, {len(there)} unchanged" in done.stdout
    assert {path.name: path.stat().st_mtime_ns for path in results.glob("s[0-9]*.json") if path.name in there} == there
    assert class_.marks(course) == {f"s{n}": class_.FULL for n in range(10)}
    assert not list(results.glob(".draft-*")) or all(p.stat().st_size >= 0 for p in results.glob(".draft-*"))


def test_a_locked_gradebook_is_waited_for(course):
    hand_in(course, "ann")
    book = sqlite3.connect(course / "autograder" / "gradebook.db", isolation_level=None)
    run = start(course)
    results = course / "autograder" / "results" / CHAPTER / "ann.json"
    while not (course / "autograder" / "results" / CHAPTER / "release.json").exists():
        time.sleep(0.02)
    book.execute("begin exclusive")
    while not results.exists():
        time.sleep(0.05)
    time.sleep(6)  # longer than SQLite itself waits
    book.execute("commit")
    assert run.wait(60) == 0
    assert class_.marks(course) == {"ann": class_.FULL}


def test_a_damaged_gradebook_is_named_and_the_results_fill_a_new_one(course):
    hand_in(course, "ann", "bob")
    grade(course)
    path = course / "autograder" / "gradebook.db"
    path.write_bytes(b"not a database at all, just words" * 100)
    done = grade(course, check=False)
    assert done.returncode == 1
    assert "Move it aside and put back a copy" in done.stderr
    path.unlink()
    done = grade(course)
    assert "0 graded, 2 unchanged" in done.stdout
    assert class_.marks(course) == {"ann": class_.FULL, "bob": class_.FULL}


def test_a_damaged_result_is_made_again(course):
    hand_in(course, "ann")
    grade(course)
    result = course / "autograder" / "results" / CHAPTER / "ann.json"
    result.write_bytes(result.read_bytes()[:2000])
    assert "1 graded" in grade(course).stdout


def test_a_submission_that_can_no_longer_be_read_loses_its_old_mark(course):
    hand_in(course, "ann")
    grade(course)
    class_.hand_in(course, "ann", "{")
    done = grade(course)
    assert set(class_.marks(course)["ann"].values()) == {None}
    assert "breaks off" in done.stdout


@pytest.mark.skipif(
    os.geteuid() != 0 if hasattr(os, "geteuid") else True, reason="only root can make a small disk here"
)
def test_a_full_disk_is_said_and_nothing_half_written_counts(course):
    hand_in(course, "ann", "bob", "cas")
    results = course / "autograder" / "results"
    results.mkdir(exist_ok=True)
    book = (course / "autograder" / "gradebook.db").stat().st_size
    for room in (40_000, book + 40_000):  # not even for the copy of the gradebook; for that and about one result
        small = ["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", results]
        if subprocess.run(small, capture_output=True).returncode:
            pytest.skip("mounting is not allowed here")
        try:
            done = grade(course, check=False)
        finally:
            subprocess.run(["umount", results], check=True)
        assert done.returncode == 1
        assert "No space left" in done.stdout + done.stderr
    assert "3 graded" in grade(course).stdout
    assert class_.marks(course) == dict.fromkeys(("ann", "bob", "cas"), class_.FULL)


def test_two_runs_at_once_do_not_mix(course):
    import fcntl

    hand_in(course, "ann")
    results = course / "autograder" / "results"
    results.mkdir()
    with open(results / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = grade(course, check=False)
    assert done.returncode == 1
    assert "Another `rowwise grade`" in done.stderr


# ---- refusals


def test_without_bubblewrap_nothing_is_graded_and_it_says_how_to_get_it(course):
    hand_in(course, "ann")
    command = [sys.executable, "-m", "rowwise.cli", "grade", CHAPTER]
    done = subprocess.run(command, cwd=course / "autograder", capture_output=True, text=True,
                          env=os.environ | {"PATH": "/nowhere"})  # fmt: skip
    assert done.returncode == 1
    assert "apt-get install bubblewrap" in done.stderr
    assert "Traceback" not in done.stderr
    assert class_.marks(course) == {}


def test_a_setting_lets_a_class_be_graded_without_isolation_and_the_result_says_so(course):
    hand_in(course, "ann")
    with (course / "autograder" / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Grading.allow_without_sandbox = True\nc.Grading.isolation = "none"\n')
    assert "Isolation: no isolation." in grade(course).stdout
    assert class_.marks(course) == {"ann": class_.FULL}
    result = course / "autograder" / "results" / CHAPTER / "ann.json"
    assert json.loads(result.read_text().splitlines()[0])["level"] == "none"


def test_where_namespaces_are_forbidden_the_second_best_gives_the_same_marks(course):
    if "Landlock" not in {found.name for found in isolation.findings() if found.there}:
        pytest.skip("no Landlock here")
    hand_in(course, "ann")
    hand_in(course, "bob", **WRONG["transposed"])
    with (course / "autograder" / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Grading.isolation = "landlock"\n')
    assert "without namespaces" in grade(course).stdout
    assert class_.marks(course) == {"ann": class_.FULL, "bob": class_.FULL | {"check-scores": 0.0}}


@pytest.mark.parametrize("name", ["99", "nothing-such"])
def test_an_unknown_chapter_is_refused_with_the_ones_there_are(course, name):
    done = class_.rowwise(course, "grade", name, check=False)
    assert done.returncode == 1
    assert CHAPTER in done.stderr


def test_a_chapter_whose_graded_cells_changed_after_grading_is_refused(course):
    hand_in(course, "ann")
    grade(course)
    class_.write_source(course, class_.source_notebook(names=("scores",)))
    done = grade(course, check=False)
    assert done.returncode == 1
    assert "graded cells were added or removed" in done.stderr
    shutil.copy(class_._template() / "solutions" / CHAPTER / f"{CHAPTER}.ipynb", course / "solutions" / CHAPTER)
    assert "0 graded, 1 unchanged" in grade(course).stdout
