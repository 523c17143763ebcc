"""One submission in, one result out: what each kind of notebook earns, broken ones included."""

import json
import subprocess
import sys

import grading_course as class_
import pytest

pytest.importorskip("nbgrader")

from rowwise.grading import isolation, key, unit
from rowwise.grading.limits import Limits
from rowwise.grading.sandbox import Sandbox

FILE = f"{class_.CHAPTER}.ipynb"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return class_.released_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def handed_out(course):
    return class_.released(course)


@pytest.fixture(scope="module")
def release(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
        return key.release(class_.CHAPTER, book, [course / "notebooks" / class_.CHAPTER])


@pytest.fixture(scope="module")
def sandbox():
    try:
        level = isolation.best()
    except isolation.NoIsolation as missing:
        pytest.skip(str(missing))
    with Sandbox(Limits(cell_seconds=3), level) as box:
        yield box


@pytest.fixture(scope="module")
def grade(release, sandbox):
    def graded(notebook, file=FILE, **extra):
        if isinstance(notebook, dict):
            notebook = json.dumps(notebook)
        files = {file: notebook if isinstance(notebook, bytes) else notebook.encode()}
        files |= {name: body.encode() for name, body in extra.items()}
        first, second = unit.grade(files, release, sandbox).splitlines()
        return json.loads(first), json.loads(second)[class_.CHAPTER]

    return graded


@pytest.fixture
def answers(handed_out):
    return lambda **changed: class_.answered(handed_out, class_.RIGHT | changed)


def scores(result):
    return {cell: mark["score"] for cell, mark in result["notebooks"][class_.CHAPTER]["cells"].items()}


def notes(result):
    return [note["kind"] for note in result["notes"] + result["notebooks"][class_.CHAPTER]["notes"]]


def cell_of(notebook, name):
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def test_a_right_submission_earns_everything_but_the_written_answer(grade, answers):
    result, notebook = grade(answers())
    assert scores(result) == class_.FULL
    assert notes(result) == []
    assert cell_of(notebook, "check-scores")["outputs"][-1]["data"]["text/plain"] == "3.0"


def test_an_untouched_release_earns_nothing_and_shows_no_traceback(grade, handed_out):
    result, notebook = grade(handed_out)
    assert set(scores(result).values()) == {0.0}
    checks = [cell for cell in notebook["cells"] if cell["source"].startswith("check.")]
    assert not [out for cell in checks for out in cell["outputs"] if out["output_type"] == "error"]


def test_a_mistake_is_named_and_only_its_own_cell_loses_points(grade, answers):
    result, notebook = grade(answers(scores="def scores(Q, K):\n    return K @ Q.T"))
    mark = result["notebooks"][class_.CHAPTER]["cells"]["check-scores"]
    assert mark["mistakes"] == ["transposed-scores"]
    assert mark["judge"] == "outside the student's process"
    assert {**scores(result), "check-scores": None} == {**class_.FULL, "check-scores": None}
    assert "text/html" in cell_of(notebook, "check-scores")["outputs"][-1]["data"]


WRONG = "def scores(Q, K):\n    return np.zeros((len(Q), len(K)))\n"
TRICKS = {
    "an AST transformer that turns every check into 3.0": """
import ast
class Turn(ast.NodeTransformer):
    def visit_Call(self, node):
        return ast.copy_location(ast.Constant(3.0), node) if ast.unparse(node).startswith("check.") else node
get_ipython().ast_transformers.append(Turn())
""",
    "an input transformer that writes 3.0 for every cell": """
get_ipython().input_transformers_cleanup.append(lambda lines: ["3.0\\n"])
""",
    "a run_code that runs nothing and shows 3.0": """
async def run_code(self, *args, **kwargs):
    self.displayhook(3.0)
    return False
type(get_ipython()).run_code = run_code
""",
    "a formatter that prints 3.0 for everything": """
get_ipython().display_formatter.formatters["text/plain"].for_type(object, lambda v, p, c: p.text("3.0"))
""",
    "patched assertions of NumPy": """
import numpy.testing
for name in ("assert_allclose", "assert_array_equal", "assert_almost_equal"):
    setattr(numpy.testing, name, lambda *args, **kwargs: None)
np.allclose = np.array_equal = np.isclose = lambda *args, **kwargs: True
""",
    "an array that equals everything": """
class Same(np.ndarray):
    __eq__ = lambda self, other: np.ones(self.shape, dtype=bool)
    __ne__ = lambda self, other: np.zeros(self.shape, dtype=bool)
def scores(Q, K):
    return np.zeros((len(Q), len(K))).view(Same)
""",
    "a probe that is replaced": """
import sys
for name, module in list(sys.modules.items()):
    if name.endswith("probe"):
        module.probe = lambda cases, subject, *more: [module.Answer(value=3.0) for case in cases]
""",
    "a check that gives a mark": """
from rowwise import check
check.scores = lambda function: 3.0
""",
    "an answer written into the cell's own output": """
print("3.0")
3.0
""",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_in_the_students_process_earns_a_point(grade, answers, trick):
    result, _ = grade(answers(scores=WRONG + TRICKS[trick]))
    assert scores(result)["check-scores"] == 0


def test_an_instructors_own_asserts_still_mark_and_are_labelled(grade, answers):
    result, _ = grade(answers(doubled="def doubled(x):\n    return abs(2 * x)"))  # only a hidden test sees it
    mark = result["notebooks"][class_.CHAPTER]["cells"]["test-doubled"]
    assert mark["score"] == 0
    assert mark["judge"] == "in the student's process"


def test_the_unit_of_work_needs_nothing_but_files(course, release, answers, tmp_path):
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / FILE).write_text(json.dumps(answers()))
    (tmp_path / "release.json").write_bytes(release)
    command = [sys.executable, "-m", "rowwise.grading.unit", "submission", "release.json", "result.json"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert scores(json.loads((tmp_path / "result.json").read_text().splitlines()[0])) == class_.FULL


def test_the_same_submission_gives_the_same_marks_and_notebook_again(grade, answers):
    first, second = grade(answers()), grade(answers())
    assert first[1] == second[1]
    assert first[0]["notebooks"] == second[0]["notebooks"]


# ---- what goes wrong in a class


def test_of_a_copied_graded_cell_the_first_counts(grade, answers):
    notebook = answers()
    place = notebook["cells"].index(cell_of(notebook, "why-rows"))
    notebook["cells"].insert(place + 1, cell_of(notebook, "why-rows") | {"source": "a second answer"})
    check = cell_of(notebook, "check-scores")
    notebook["cells"].append(check | {"source": "check.scores(lambda Q, K: None)"})
    result, graded = grade(notebook)
    assert scores(result) == class_.FULL
    assert notes(result) == ["copied cell", "copied cell"]
    assert cell_of(graded, "why-rows")["source"] == class_.RIGHT["why-rows"]
    assert any(cell["source"] == "a second answer" for cell in graded["cells"])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os\n    os._exit(3)", "exit status 3"),
        ("import os\n    os.kill(os.getpid(), 11)", ""),
        ("import ctypes\n    ctypes.string_at(0)", "SIGSEGV"),
        ("x = bytearray(8 * 10**9)", ""),
        (
            "import signal, time\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    while True: pass",
            "did not stop",
        ),
    ],
)
def test_a_function_that_ends_or_blocks_its_process_loses_its_own_points_alone(grade, answers, code, reason):
    result, _ = grade(answers(scores=f"def scores(Q, K):\n    {code}"))
    assert scores(result) == class_.FULL | {"check-scores": 0.0}
    assert reason in result["notebooks"][class_.CHAPTER]["cells"]["check-scores"]["reason"]


def test_a_cell_that_ends_its_process_does_not_take_the_rest_along(grade, answers):
    notebook = answers()
    notebook["cells"].insert(3, {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                                 "id": "x", "source": "import os; os._exit(0)"})  # fmt: skip
    result, _ = grade(notebook)
    assert scores(result) == class_.FULL
    assert notes(result) == ["ended the process"]


def test_an_endless_loop_in_a_function_costs_its_points_alone(grade, answers):
    result, _ = grade(answers(scores="def scores(Q, K):\n    while True:\n        pass"))
    assert scores(result) == class_.FULL | {"check-scores": 0.0}
    assert result["seconds"] < 15


def test_an_endless_loop_in_a_cell_costs_that_cell_alone(grade, answers):
    result, _ = grade(answers(scores=class_.RIGHT["scores"] + "\nwhile True:\n    pass"))
    assert scores(result) == class_.FULL
    assert result["seconds"] < 15


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (b"", "empty"),
        (b'{"cells": [', "breaks off"),
        (b'{"cells": [}', "not valid JSON"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\xff\xfe\x00", "not text"),
        (b"[]", "not a notebook"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{\n<<<<<<< HEAD\n"nbformat": 4\n>>>>>>> mine\n', "git merge"),
    ],
)
def test_a_file_that_is_no_notebook_gets_no_mark_but_a_reason(grade, file, reason):
    result, notebook = grade(file)
    part = result["notebooks"][class_.CHAPTER]
    assert part["state"] == "unreadable"
    assert reason in part["reason"]
    assert set(scores(result).values()) == {None}
    assert part["reason"] in notebook["cells"][0]["source"]


def test_a_renamed_notebook_is_known_by_its_cells(grade, answers):
    result, _ = grade(answers(), file="my homework (2).ipynb")
    assert scores(result) == class_.FULL
    assert notes(result) == ["renamed"]


def test_a_notebook_of_another_chapter_under_the_right_name_gives_way_to_the_right_one(grade, answers):
    other = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    result, _ = grade(other, **{"Untitled.ipynb": json.dumps(answers())})
    assert scores(result) == class_.FULL


def test_a_deleted_check_is_put_back_where_it_was(grade, answers):
    notebook = answers()
    notebook["cells"].remove(cell_of(notebook, "check-scores"))
    notebook["cells"].remove(cell_of(notebook, "test-doubled"))
    result, _ = grade(notebook)
    assert scores(result) == class_.FULL
    assert notes(result) == ["deleted cell", "deleted cell"]


def test_a_changed_check_is_the_instructors_again(grade, answers):
    notebook = answers(scores="def scores(Q, K):\n    return None")
    cell_of(notebook, "check-scores")["source"] = "3.0"
    cell_of(notebook, "check-scores")["metadata"]["nbgrader"] |= {"points": 100, "locked": False, "solution": True}
    result, _ = grade(notebook)
    assert scores(result) == class_.FULL | {"check-scores": 0.0}
    assert notes(result) == ["changed cell"]


def test_a_deleted_written_answer_has_no_points_and_its_cell_again(grade, answers):
    notebook = answers()
    notebook["cells"].remove(cell_of(notebook, "why-rows"))
    result, graded = grade(notebook)
    assert scores(result) == class_.FULL | {"why-rows": 0.0}
    assert cell_of(graded, "why-rows")


def test_cells_that_lost_their_metadata_on_the_way_still_count(grade, answers):
    notebook = answers()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["metadata"] = {}
    result, _ = grade(notebook)
    assert scores(result) == class_.FULL


def test_a_module_handed_in_beside_the_notebook_is_found_and_a_huge_file_left_out(grade, answers):
    code = "from mine import product\n\n\ndef scores(Q, K):\n    return product(Q, K.T)"
    beside = {"mine.py": "def product(A, B):\n    return A @ B\n", "film.mp4": "x" * 30_000_000}
    result, _ = grade(answers(scores=code), **beside)
    assert scores(result) == class_.FULL
    assert notes(result) == ["large file"]


def test_a_warning_from_correct_code_costs_nothing(grade, answers):
    code = "import warnings, sys\n\ndef scores(Q, K):\n    warnings.warn('careful')\n    print('x', file=sys.stderr)\n"
    result, _ = grade(answers(scores=code + "    return Q @ K.T"))
    assert scores(result) == class_.FULL


def test_a_fifty_megabyte_line_leaves_a_small_notebook(grade, answers):
    result, notebook = grade(answers(scores=class_.RIGHT["scores"] + "\nprint('x' * 50_000_000)"))
    assert scores(result) == class_.FULL
    assert len(json.dumps(notebook)) < 300_000


def test_outputs_handed_in_and_metadata_that_nobody_knows_are_left_out(grade, answers):
    notebook = answers()
    cell = cell_of(notebook, "check-scores")
    cell["outputs"] = [
        {"output_type": "execute_result", "data": {"text/plain": "3.0"}, "metadata": {}, "execution_count": 1}
    ]
    cell["metadata"]["jp-MarkdownHeadingCollapsed"] = {"deep": ["odd"]}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": "x" * 1000}}
    cell_of(notebook, "scores")["source"] = "def scores(Q, K):\n    return None"
    result, graded = grade(notebook)
    assert scores(result)["check-scores"] == 0
    assert "widgets" not in graded["metadata"]


@pytest.mark.parametrize("odd", [[], None, 3, {"cell_type": "pizza"}, {"cell_type": "code", "source": {"a": 1}}])
def test_cells_that_are_no_cells_are_left_out_and_said(grade, answers, odd):
    notebook = answers()
    notebook["cells"].insert(1, odd)
    result, _ = grade(notebook)
    assert scores(result) == class_.FULL
    assert notes(result) == ["odd cell"]


def test_a_written_answer_cannot_act_in_the_instructors_browser(grade, answers):
    text = "Rows. <script>steal()</script><img src=x onerror=steal()> [x](javascript:steal()) $a<b$ <b>bold</b>"
    _, notebook = grade(answers(**{"why-rows": text}))
    shown = cell_of(notebook, "why-rows")["source"]
    assert "<script" not in shown and "<img" not in shown and "](javascript" not in shown
    assert "$a<b$" in shown and "<b>bold</b>" in shown


def test_html_that_code_shows_cannot_act_either(grade, answers):
    code = "from IPython.display import HTML, Javascript, display\ndisplay(Javascript('steal()'))\n"
    code += "display(HTML('<b>ok</b><script>steal()</script><a onclick=steal() href=\"javascript:steal()\">x</a>'))"
    _, notebook = grade(answers(scores=class_.RIGHT["scores"] + "\n" + code))
    shown = json.dumps(cell_of(notebook, "scores")["outputs"])
    assert "<b>ok</b>" in shown
    assert "steal" not in shown
