"""The whole way of a chapter through nbgrader's own commands: from its text to marks in a CSV file."""

import csv
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from conftest import free_port
from courses import ROOT, contents

CHAPTER = "01-dot-product"
NOTEBOOK = f"{CHAPTER}.ipynb"
EXCHANGE = ("ada", "ben", "cleo")  # all right, untouched, keys times queries

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nbgrader's exchange needs Linux or macOS")

# What a student may do that changes what nbgrader reads, with a right function all the same.
RIGHT = {
    "warns": "def scores(Q, K):\n    np.array([0.0]) / 0\n    return Q @ K.T",
    "warns itself": "import warnings\ndef scores(Q, K):\n    warnings.warn('mind')\n    return Q @ K.T",
    "prints": 'def scores(Q, K):\n    print("0.5")\n    return Q @ K.T',
    "speaks on stderr": 'import sys\ndef scores(Q, K):\n    print("mind", file=sys.stderr)\n    return Q @ K.T',
    "returns float32": "def scores(Q, K):\n    return np.float32(Q @ K.T)",
    "sets the precision": "%precision 0\ndef scores(Q, K):\n    return Q @ K.T",
    "shows more digits": "np.set_printoptions(precision=2)\ndef scores(Q, K):\n    return (Q @ K.T).tolist()",
}
# What would be full marks if a check handed on what it is given, or raised.
NOTHING = {
    "a NumPy number": "def scores(Q, K):\n    return np.float64(1.5)",
    "text": "def scores(Q, K):\n    return 'full marks'",
    "true": "def scores(Q, K):\n    return True",
    "not a number": "def scores(Q, K):\n    return float('nan')",
    "a negative number": "def scores(Q, K):\n    return -1",
    "any object": "def scores(Q, K):\n    return object()",
    "only printed": "def scores(Q, K):\n    print(3.0)",
    "too much": "def scores(Q, K):\n    return 1e9",
    "an exception": "def scores(Q, K):\n    raise ValueError('mind')",
    "no function": "scores = 3.0",
}
# The check cell itself, edited: what would end in something else than its mark.
TRAILING = {"a semicolon": "check.scores(scores);", "nothing": "pass", "print": "print(3.0)", "a string": "'3.0'"}
HALF = "%precision 0\ndef scores(Q, K):\n    Q *= 2\n    return Q @ K.T / 2"


def alone(home):
    """The environment of a user whose home is empty, and in which nothing of this test's own shows."""
    ours = {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "OPENBLAS_NUM_THREADS": "1",
    }
    return {name: value for name, value in os.environ.items() if name != "NBGRADER_EXECUTION"} | ours


def run(*words, cwd, home, status=0):
    """One of this environment's programs; returns what it printed."""
    program = Path(sys.executable).parent / words[0]
    done = subprocess.run([program, *words[1:]], cwd=cwd, env=alone(home), capture_output=True, text=True)
    assert done.returncode == status, f"{' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def graded(notebook):
    """The cells of a notebook that have a name in nbgrader, by it."""
    cells = {c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata}
    return {name: cell for name, cell in cells.items() if cell.metadata.nbgrader.get("grade_id")}


def fill(path, answers):
    """Types these answers into the notebook at ``path``."""
    notebook = nbformat.read(path, as_version=4)
    for name, source in answers.items():
        graded(notebook)[name].source = source
    nbformat.write(notebook, path)


def right_answers(course):
    """Every answer of the chapter, as its solution notebook has it."""
    cells = graded(nbformat.read(course / "solutions" / CHAPTER / NOTEBOOK, as_version=4))
    return {name: cell.source for name, cell in cells.items() if cell.metadata.nbgrader.solution}


def points(course):
    """What each automatically marked cell of the release is worth."""
    cells = graded(nbformat.read(course / "notebooks" / CHAPTER / NOTEBOOK, as_version=4))
    return {n: c.metadata.nbgrader.points for n, c in cells.items() if n.startswith("check-")}


def marks(course, chapter=CHAPTER):
    """The automatic mark of every cell by student, from the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'autograder/gradebook.db'}") as gradebook:
        found = {}
        for submission in gradebook.assignment_submissions(chapter):
            for grade in submission.notebooks[0].grades:
                found.setdefault(submission.student.id, {})[grade.name] = grade.auto_score
    return found


def feedback(course, student):
    return (course / "autograder/feedback" / student / CHAPTER / f"{CHAPTER}.html").read_text(encoding="utf-8")


class Class:
    """A course in a temporary folder, its exchange, and the commands of its instructor and its students."""

    def __init__(self, folder):
        self.root, self.folder = folder / "course", folder
        self.exchange = folder / "exchange"
        self.exchange.mkdir(parents=True)
        self.exchange.chmod(0o777)
        (self.root / "autograder").mkdir(parents=True)
        shutil.copy(ROOT / "autograder/nbgrader_config.py", self.root / "autograder")
        for text in (ROOT / "solutions").glob("*/*.md"):
            if text.parent.name in (CHAPTER, "00-start-here", "pages"):
                (self.root / "solutions" / text.parent.name).mkdir(parents=True, exist_ok=True)
                shutil.copy(text, self.root / "solutions" / text.parent.name)

    def nbgrader(self, *words):
        """As documented for instructors: in the folder `autograder`."""
        where = f"--Exchange.root={self.exchange}"
        return run("nbgrader", *words, where, cwd=self.root / "autograder", home=self.folder / "instructor")

    def student(self, name, *words):
        """As a student who has nothing but what the exchange gives."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        options = ["--course=rowwise", f"--student={name}", f"--Exchange.root={self.exchange}"]
        return run("nbgrader", *words, *(options if words[0] != "validate" else []), cwd=home, home=home)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The course built, put into the gradebook and released."""
    course = Class(tmp_path_factory.mktemp("cycle"))
    run("rowwise", "build", cwd=course.root, home=course.folder / "instructor")
    course.built = contents(course.root / "notebooks" / CHAPTER)
    course.nbgrader("generate_assignment", CHAPTER, "--force")
    course.nbgrader("release_assignment", CHAPTER)
    return course


@pytest.fixture(scope="module")
def taught(released):
    """The whole cycle through the exchange, for three students."""
    course, answers = released, right_answers(released.root)
    work = {"ada": answers, "ben": {}, "cleo": {**answers, "scores": "def scores(Q, K):\n    return K @ Q.T"}}

    def attend(name):
        course.student(name, "fetch_assignment", CHAPTER)
        notebook = course.folder / name / CHAPTER / NOTEBOOK
        fill(notebook, work[name])
        said = course.student(name, "validate", str(notebook))
        course.student(name, "submit", CHAPTER)
        return said

    with ThreadPoolExecutor() as students:
        course.said = dict(zip(EXCHANGE, students.map(attend, EXCHANGE), strict=True))
    course.nbgrader("collect", CHAPTER)
    course.nbgrader("autograde", CHAPTER)
    course.nbgrader("generate_feedback", CHAPTER)
    course.nbgrader("release_feedback", CHAPTER)
    course.nbgrader("export", f"--to={course.folder / 'grades.csv'}")
    return course


def test_nbgrader_and_the_build_hand_out_the_same_files(released):
    assert contents(released.root / "notebooks" / CHAPTER) == released.built


def test_perfect_work_gets_full_marks(taught):
    found = marks(taught.root)["ada"]
    assert {name: found[name] for name in points(taught.root)} == points(taught.root)


def test_an_untouched_release_gets_nothing_in_every_automatic_cell_and_shows_no_error(taught):
    found = marks(taught.root)["ben"]
    assert {name: found[name] for name in points(taught.root)} == dict.fromkeys(points(taught.root), 0.0)
    notebook = nbformat.read(taught.root / "autograder/autograded/ben" / CHAPTER / NOTEBOOK, as_version=4)
    kinds = {(o.output_type, o.get("name")) for c in notebook.cells if c.cell_type == "code" for o in c.outputs}
    assert not {kind for kind in kinds if kind[0] == "error" or kind[1] == "stderr"}


def test_a_mistake_is_named_in_the_feedback_page_and_costs_its_own_marks_only(taught):
    found, full = marks(taught.root)["cleo"], points(taught.root)
    assert found["check-scores"] < full["check-scores"]
    assert all(found[name] == full[name] for name in full if name != "check-scores")
    page, of_ada = feedback(taught.root, "cleo"), feedback(taught.root, "ada")
    assert "one row a key" in page and "one row a key" not in of_ada
    # Both pages have the name once more: it is the answer to one of the chapter's questions.
    assert page.count("transposed-scores") > of_ada.count("transposed-scores")


def test_a_written_answer_waits_for_a_person(taught):
    assert marks(taught.root)["ada"]["why-rows"] is None


def test_validating_says_which_cells_lack_marks(taught):
    assert "Success" in taught.said["ada"]
    assert "VALIDATION FAILED ON" in taught.said["ben"] and "Traceback" not in taught.said["ben"]
    assert "check.scores(scores)" in taught.said["cleo"]
    assert "check.dot_product_row" not in taught.said["cleo"]


def test_the_csv_has_a_line_a_student(taught):
    rows = {row["student_id"]: row for row in csv.DictReader((taught.folder / "grades.csv").open())}
    full = sum(points(taught.root).values())
    assert {name: float(rows[name]["score"]) for name in EXCHANGE} == {
        "ada": full,
        "ben": 0.0,
        "cleo": full - points(taught.root)["check-scores"] + marks(taught.root)["cleo"]["check-scores"],
    }


def test_students_fetch_their_feedback(taught):
    taught.student("cleo", "fetch_feedback", CHAPTER)
    (page,) = (taught.folder / "cleo" / CHAPTER / "feedback").rglob("*.html")
    assert "one row a key" in page.read_text(encoding="utf-8")


def test_formgrader_finds_the_course_when_jupyterlab_is_started_in_autograder(released):
    port = free_port()
    options = [f"--ServerApp.port={port}", "--IdentityProvider.token=", "--no-browser", "--ServerApp.root_dir=.."]
    if os.geteuid() == 0:
        options.append("--allow-root")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        cwd=released.root / "autograder",
        env=alone(released.folder / "instructor"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        chapters = {chapter["name"]: chapter for chapter in when_it_answers(server, port)}
    finally:
        server.terminate()
        server.wait(20)
    assert chapters[CHAPTER]["max_code_score"] == sum(points(released.root).values())
    assert chapters[CHAPTER]["source_path"] == f"solutions/{CHAPTER}"


def when_it_answers(server, port):
    """What formgrader lists, as soon as the server is up."""
    deadline = time.monotonic() + 90
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/formgrader/api/assignments") as answer:
                return json.load(answer)
        except OSError:
            time.sleep(0.3)
    raise AssertionError("the server does not answer")


def handed_in(course, scores, edits=()):
    """The bytes of a submission with this function, and everything else right."""
    notebook = nbformat.reads(course.built[Path(NOTEBOOK)].decode(), as_version=4)
    for name, source in {**right_answers(course.root), "scores": scores, **dict(edits)}.items():
        graded(notebook)[name].source = source
    return nbformat.writes(notebook)


@pytest.fixture(scope="module")
def collected(released):
    """A class without an exchange: two zips as learning platforms name their files, collected and graded."""
    course = released
    functions = {**RIGHT, **NOTHING, "half": HALF}
    students = {name: handed_in(course, source) for name, source in functions.items()}
    right = right_answers(course.root)["scores"]
    for name, source in TRAILING.items():
        students[f"edits {name}"] = handed_in(course, right, {"check-scores": source})
    archive = course.root / "autograder/downloaded" / CHAPTER / "archive"
    archive.mkdir(parents=True)
    course.names = {}
    with zipfile.ZipFile(archive / "canvas.zip", "w") as canvas, zipfile.ZipFile(archive / "moodle.zip", "w") as moodle:
        for number, (name, notebook) in enumerate(students.items()):
            slug = name.replace(" ", "")
            if number % 2:
                late, again = ("_LATE" if number % 4 == 1 else ""), ("-1" if number % 3 == 1 else "")
                canvas.writestr(f"{slug}{late}_{100 + number}_{2000 + number}_{CHAPTER}{again}.ipynb", notebook)
            else:
                between = "/" if number % 4 == 0 else ""
                moodle.writestr(f"{name}_{500 + number}_assignsubmission_file_{between}{NOTEBOOK}", notebook)
            course.names[name] = slug if number % 2 else name
        moodle.writestr("Ada Lovelace_99_assignsubmission_file_/notes.txt", "not a notebook")
    course.nbgrader("zip_collect", CHAPTER)
    course.nbgrader("autograde", CHAPTER)
    found = marks(course.root)
    course.collected = {name: found.get(student) for name, student in course.names.items()}
    return course


def test_the_zips_of_canvas_and_moodle_are_collected_under_the_students_names(collected):
    assert [name for name, found in collected.collected.items() if found is None] == []


@pytest.mark.parametrize("name", [*RIGHT, *(f"edits {name}" for name in TRAILING)])
def test_a_right_function_gets_full_marks_though_the_notebook(collected, name):
    full = points(collected.root)
    assert {each: collected.collected[name][each] for each in full} == full


@pytest.mark.parametrize("name", NOTHING)
def test_no_marks_are_handed_out_for(collected, name):
    assert collected.collected[name]["check-scores"] == 0


def test_a_precision_of_0_leaves_a_fraction_of_a_mark_as_it_is(collected):
    assert collected.collected["half"]["check-scores"] == 2.5


def test_every_row_of_nbgraders_own_marking_holds_without_our_grading(released, tmp_path):
    """nbgrader alone, as on a machine that cannot isolate a submission: one notebook, a graded cell a row."""
    functions = {**RIGHT, **NOTHING, "half": HALF}
    cells = [nbformat.v4.new_code_cell("import numpy as np\nfrom rowwise import check")]
    for number, source in enumerate(functions.values()):
        cells.append(nbformat.v4.new_code_cell(f"scores = None\n{source}".replace("scores = None\n%", "%")))
        about = {"grade": True, "grade_id": f"row-{number}", "locked": True, "points": 3, "schema_version": 3}
        about |= {"solution": False, "task": False}
        cells.append(nbformat.v4.new_code_cell("check.scores(scores)", metadata={"nbgrader": about}))
    (tmp_path / "source/table").mkdir(parents=True)
    book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "p"}})
    nbformat.write(book, tmp_path / "source/table/table.ipynb")
    path = f"{Path(sys.executable).parent}{os.pathsep}"  # nbgrader looks for `alembic` there
    settings = f"import os\nos.environ['PATH'] = {path!r} + os.environ['PATH']\nc = get_config()\n"
    (tmp_path / "nbgrader_config.py").write_text(settings)
    run("nbgrader", "generate_assignment", "table", cwd=tmp_path, home=tmp_path)
    (tmp_path / "submitted/ada/table").mkdir(parents=True)
    nbformat.write(book, tmp_path / "submitted/ada/table/table.ipynb")
    run("nbgrader", "autograde", "table", cwd=tmp_path, home=tmp_path)
    (tmp_path / "autograder").mkdir()
    shutil.copy(tmp_path / "gradebook.db", tmp_path / "autograder")
    found = marks(tmp_path, "table")["ada"]
    found = {name: found[f"row-{number}"] for number, name in enumerate(functions)}
    assert found == {**dict.fromkeys(RIGHT, 3.0), **dict.fromkeys(NOTHING, 0.0), "half": 2.5}
