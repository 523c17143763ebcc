"""A small course for the tests of grading: one chapter with every kind of graded cell, and classes handed in for it."""

import atexit
import contextlib
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CHAPTER = "01-dot-product"
CONFIG = Path(__file__).parent.parent / "autograder" / "nbgrader_config.py"

STUB = "# YOUR CODE HERE\n..."
FORM = {
    "dot_product_row": 'dot_product_row = {"scores": [None, None, None]}\n',
    "scores_shape": "scores_shape = (None, None)\n",
    "dot_product_spot_1": 'dot_product_spot_1 = {"mistake": None, "row": None}\n',
}
# The right answers, worked out by hand from the exercises' own words.
RIGHT = {
    "dot_product_row": FORM["dot_product_row"] + 'dot_product_row = {"scores": [3, -1, 2]}',
    "scores_shape": FORM["scores_shape"] + "scores_shape = (3, 4)",
    "scores": "def scores(Q, K):\n    return Q @ K.T",
    "dot_product_spot_1": FORM["dot_product_spot_1"]
    + 'dot_product_spot_1 = {"mistake": "transposed-scores", "row": 2}',
    "doubled": "def doubled(x):\n    return 2 * x",
    "why-rows": "Each query asks on its own, so it gets a row with its dot product with every key.",
}
POINTS = {"check-dot_product_row": 3, "check-scores_shape": 1, "check-scores": 3, "check-dot_product_spot_1": 2,
          "test-doubled": 2, "why-rows": 2}  # fmt: skip
FULL = {name: float(points) for name, points in POINTS.items() if name != "why-rows"} | {"why-rows": None}
TESTS = """assert doubled(2) == 4
### BEGIN HIDDEN TESTS
assert doubled(-3) == -6
### END HIDDEN TESTS"""


def _about(name, *, grade=False, solution=False, points=None, kind="code"):
    found = {"grade": grade, "grade_id": name, "locked": not solution, "schema_version": 3, "solution": solution,
             "task": False, "cell_type": kind}  # fmt: skip
    return {"nbgrader": found | ({"points": points} if grade else {})}


def source_notebook(names=("dot_product_row", "scores_shape", "scores", "dot_product_spot_1")):
    """The chapter as its author has it, with solutions."""
    cells = [
        new_markdown_cell("# Compare a query with every key"),
        new_code_cell(
            "import numpy as np\nfrom rowwise import check, live, paper, study\nfrom rowwise.show import show"
        ),
        new_code_cell('study.strip("scores", minutes=60)'),
        new_code_cell("Q = np.array([[1.0, 2], [0, 1]])\nK = np.array([[1.0, 0], [2, 1], [0, 3]])\nlive.scores(Q, K)"),
    ]
    for name in names:
        above = FORM.get(name, "")
        body = RIGHT[name].removeprefix(above)
        if name == "scores":
            above, body = "def scores(Q, K):\n    ", "return Q @ K.T"
            source = f"{above}### BEGIN SOLUTION\n    {body}\n    ### END SOLUTION"
        else:
            source = f"{above}### BEGIN SOLUTION\n{body}\n### END SOLUTION"
        cells.append(new_code_cell(source, metadata=_about(name, solution=True)))
        about = _about(f"check-{name}", grade=True, points=POINTS[f"check-{name}"])
        cells.append(new_code_cell(f"check.{name}({name})", metadata=about))
    cells += [
        new_code_cell("def doubled(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
                      metadata=_about("doubled", solution=True)),
        new_code_cell(TESTS, metadata=_about("test-doubled", grade=True, points=2)),
        new_markdown_cell("### BEGIN SOLUTION\n" + RIGHT["why-rows"] + "\n### END SOLUTION",
                          metadata=_about("why-rows", grade=True, solution=True, points=2, kind="markdown")),
    ]  # fmt: skip
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
    return new_notebook(cells=cells, metadata=about)


def write_source(course: Path, notebook=None, chapter=CHAPTER, name=None):
    folder = course / "solutions" / chapter
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook or source_notebook(), folder / f"{name or chapter}.ipynb")


def new_course(folder: Path) -> Path:
    """A course with its source chapter and this project's own nbgrader_config.py, and nothing released yet."""
    (folder / "autograder").mkdir(parents=True)
    shutil.copy(CONFIG, folder / "autograder")
    write_source(folder)
    return folder


@functools.cache
def _template() -> Path:
    """A released course to copy from: nbgrader takes seconds to make one."""
    folder = Path(tempfile.mkdtemp(prefix="rowwise-course-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    release(new_course(folder / "course"))
    return folder / "course"


def released_course(folder: Path) -> Path:
    """A new course in ``folder`` with its chapter released and in the gradebook."""
    shutil.copytree(_template(), folder, dirs_exist_ok=True)
    return folder


def release(course: Path, chapter=CHAPTER) -> None:
    """What the instructor does: nbgrader generate_assignment."""
    run(course, "nbgrader", "generate_assignment", chapter, "--force")


def run(course: Path, program: str, *words: str, check=True, **options) -> subprocess.CompletedProcess:
    """Run one of this environment's programs in the course's autograder folder."""
    command = [str(Path(sys.executable).parent / program), *words]
    done = subprocess.run(command, cwd=course / "autograder", capture_output=True, text=True, check=False, **options)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(words)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def rowwise(course: Path, *words: str, check=True) -> SimpleNamespace:
    """The command `rowwise` in the course's autograder folder, in this process: nbgrader takes seconds to import."""
    from rowwise import cli

    out, err, before = io.StringIO(), io.StringIO(), os.getcwd()
    os.chdir(course / "autograder")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(words)
    finally:
        os.chdir(before)
    done = SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=err.getvalue())
    if check and status:
        raise AssertionError(f"{' '.join(words)} ended with {status}\n{done.stdout}\n{done.stderr}")
    return done


def released(course: Path, chapter=CHAPTER, name=None) -> dict:
    return json.loads((course / "notebooks" / chapter / f"{name or chapter}.ipynb").read_text())


def answered(notebook: dict, answers: dict[str, str]) -> dict:
    """A copy of the release with these answers in it, by grade_id."""
    copy = json.loads(json.dumps(notebook))
    for cell in copy["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return copy


def hand_in(course: Path, student: str, notebook, chapter=CHAPTER, file=None, extra=None) -> Path:
    """Write one submission: ``notebook`` as a dictionary, or the file's text or bytes."""
    folder = course / "autograder" / "submitted" / student / chapter
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (file or f"{chapter}.ipynb")
    if isinstance(notebook, dict):
        notebook = json.dumps(notebook, indent=1)
    path.write_bytes(notebook if isinstance(notebook, bytes) else notebook.encode())
    for name, text in (extra or {}).items():
        (folder / name).write_text(text)
    return path


def marks(course: Path, chapter=CHAPTER) -> dict[str, dict[str, float | None]]:
    """The gradebook's automatic marks: student -> cell -> mark, None where a person must decide."""
    from nbgrader.api import Gradebook

    found: dict = {}
    with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
        for submission in book.assignment_submissions(chapter):
            rows = found.setdefault(submission.student.id, {})
            for part in submission.notebooks:
                rows |= {grade.cell.name: grade.auto_score for grade in part.grades}
    return found
