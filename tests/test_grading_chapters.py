"""Every chapter through `rowwise grade`: the solution has full marks, the untouched release 0, functions come along."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import nbformat
import pytest

from rowwise import exercises
from rowwise.exercises.seeded import Sitting

ROOT = Path(__file__).parents[1]
CHAPTERS = sorted(path.name for path in (ROOT / "solutions").iterdir() if path.name[:2].isdigit())
pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt install bubblewrap)"
)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with every chapter, of which `right` handed in the solutions and `untouched` the release."""
    root = tmp_path_factory.mktemp("course")
    for part in ("solutions", "notebooks"):
        shutil.copytree(ROOT / part, root / part)
    (root / "autograder").mkdir()
    shutil.copy(ROOT / "autograder" / "nbgrader_config.py", root / "autograder")
    for chapter in CHAPTERS:
        for student, source in (("right", "solutions"), ("untouched", "notebooks")):
            folder = root / "autograder" / "submitted" / student / chapter
            folder.mkdir(parents=True)
            shutil.copy(root / source / chapter / f"{chapter}.ipynb", folder)
    return root


def rowwise(course: Path, *arguments: str, library: Path | None = None) -> subprocess.CompletedProcess:
    """Run the command, with a library that lies elsewhere where one is given."""
    return subprocess.run(
        [sys.executable, "-m", "rowwise.cli", *arguments],
        cwd=course,
        env=os.environ | ({"PYTHONPATH": str(library)} if library else {}),
        capture_output=True,
        text=True,
        timeout=300,
    )


def automatic(course: Path, chapter: str, student: str) -> dict[str, tuple[float, float]]:
    """(points, of) of each check cell, as the gradebook has them."""
    with closing(sqlite3.connect(course / "autograder" / "gradebook.db")) as book:
        rows = book.execute(
            "select bc.name, g.auto_score, gc.max_score from grade g"
            " join grade_cells gc on g.cell_id = gc.id join base_cell bc on bc.id = gc.id"
            " join submitted_notebook sn on g.notebook_id = sn.id"
            " join submitted_assignment sa on sn.assignment_id = sa.id join assignment a on sa.assignment_id = a.id"
            " where sa.student_id = ? and a.name = ? and gc.cell_type = 'code'",
            (student, chapter),
        ).fetchall()
    return {name: (score, most) for name, score, most in rows}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_solution_has_full_marks_and_the_untouched_release_none(course, chapter):
    done = rowwise(course, "grade", chapter)
    assert done.returncode == 0, done.stdout + done.stderr
    right, untouched = (automatic(course, chapter, student) for student in ("right", "untouched"))
    assert right and {name: score for name, (score, _) in right.items()} == {
        name: most for name, (_, most) in right.items()
    }
    assert set(right) == set(untouched) and not any(score for score, _ in untouched.values())
    for student in ("right", "untouched"):
        book = course / "autograder" / "autograded" / student / chapter / f"{chapter}.ipynb"
        cells = nbformat.read(book, as_version=4).cells
        errors = [c.source for c in cells for o in c.get("outputs", []) if o.output_type == "error"]
        assert not errors, "no page of feedback shows an error that the student did not make"


def test_functions_kept_in_earlier_chapters_are_used_where_no_other_folder_can_be_seen(course, tmp_path):
    chapter = "06-self-and-cross-attention"
    folder = course / "autograder" / "submitted" / "carrier" / chapter
    folder.mkdir(parents=True)
    book = nbformat.read(course / "solutions" / chapter / f"{chapter}.ipynb", as_version=4)
    for cell in book.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "self_attention":
            cell.source += "\n\nprint('carried from', mine.mix_values.__doc__)"
    nbformat.write(book, folder / f"{chapter}.ipynb")
    (folder / "mine.py").write_text('def mix_values(W, V):\n    """my own file"""\n    return W @ V\n')
    assert rowwise(course, "grade", chapter, "--student", "carrier").returncode == 0
    assert all(score == most for score, most in automatic(course, chapter, "carrier").values())
    graded = (course / "autograder" / "autograded" / "carrier" / chapter / f"{chapter}.ipynb").read_text()
    assert "carried from my own file" in graded


def test_a_chapter_that_asks_for_attention_gives_no_working_version_of_it(course):
    chapter = "10-assessment"
    folder = course / "autograder" / "submitted" / "seeker" / chapter
    folder.mkdir(parents=True)
    book = nbformat.read(course / "solutions" / chapter / f"{chapter}.ipynb", as_version=4)
    for cell in book.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "exam_attention":
            cell.source = "from rowwise import reference\nexam_attention = reference.attention"
    nbformat.write(book, folder / f"{chapter}.ipynb")
    rowwise(course, "grade", chapter, "--student", "seeker")
    assert automatic(course, chapter, "seeker")["check-exam_attention"][0] == 0


def test_a_bound_paper_is_marked_by_the_numbers_of_the_student_who_handed_it_in(course):
    chapter = "10-assessment"
    made = rowwise(course, "assess", "spring", "--each-student")
    assert made.returncode == 0, made.stderr
    for student, numbers in (("ada", "ada"), ("ben", "ada")):  # ben hands in ada's answers, and says that he is ada
        folder = course / "autograder" / "submitted" / student / chapter
        folder.mkdir(parents=True)
        book = nbformat.read(course / "notebooks" / chapter / f"{chapter}.ipynb", as_version=4)
        for cell in book.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in ("exam_row", "exam_second"):
                answer = exercises.ALL[name].bind(Sitting("spring", numbers)).solution()
                cell.source = f"{name} = {json.loads(json.dumps(answer))}"
        nbformat.write(book, folder / f"{chapter}.ipynb")
        (folder / "paper.json").write_text(json.dumps({"seed": "spring", "each_student": False}))
    done = rowwise(course, "grade", chapter, "--student", "ada", "--student", "ben")
    assert done.returncode == 0, done.stdout + done.stderr
    ada, ben = (automatic(course, chapter, student) for student in ("ada", "ben"))
    assert ada["check-exam_row"] == (8, 8) and ada["check-exam_second"] == (5, 5)
    assert ben["check-exam_row"][0] == 0 and ben["check-exam_second"][0] == 0


def test_after_a_check_is_mended_only_its_chapter_is_graded_again_and_changed_marks_are_listed(course, tmp_path):
    first, other = "01-dot-product", "04-weighted-sum"
    folder = course / "autograder" / "submitted" / "writer" / first
    folder.mkdir(parents=True)
    book = nbformat.read(course / "solutions" / first / f"{first}.ipynb", as_version=4)
    for cell in book.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "scores":
            cell.source = "def scores(Q, K):\n    S = Q @ K.T\n    Q *= 1 if Q.dtype.kind == 'i' else 1.5\n    return S"
    nbformat.write(book, folder / f"{first}.ipynb")
    rowwise(course, "grade", first)
    rowwise(course, "grade", other)
    assert automatic(course, first, "writer")["check-scores"] == (2.5, 3)
    shutil.copytree(ROOT / "src" / "rowwise", tmp_path / "rowwise", ignore=shutil.ignore_patterns("__pycache__"))
    judge = tmp_path / "rowwise" / "exercises" / "dot_product.py"
    points = '"ordinary case": 1.5, "other sizes": 1.0, "inputs untouched": 0.5'
    assert points in judge.read_text()
    judge.write_text(judge.read_text().replace(points, points.replace("1.5", "1.75").replace("0.5", "0.25")))
    done = rowwise(course, "grade", first, library=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 graded" in done.stdout and "writer" in done.stdout and "2.75" in done.stdout
    assert automatic(course, first, "writer")["check-scores"] == (2.75, 3)
    untouched = rowwise(course, "grade", other, library=tmp_path)
    assert "0 graded, 2 unchanged" in untouched.stdout
