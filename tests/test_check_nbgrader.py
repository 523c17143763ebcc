"""Marks and named mistakes through real nbgrader: from a release to its gradebook and its feedback pages."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

STUB = "# YOUR CODE HERE\n    ..."
SCORES = "def scores(Q, K):\n    {}"
SOFTMAX = "def softmax_rows(S):\n    {}"
ATTENTION = "def attention(Q, K, V, mask=None):\n    {}"
RIGHT = {
    "scores": "return Q @ K.T",
    "softmax_rows": "E = np.exp(S - S.max(axis=1, keepdims=True))\n    return E / E.sum(axis=1, keepdims=True)",
    "attention": "S = Q @ K.T / np.sqrt(K.shape[1])\n    S = S if mask is None else np.where(mask, S, -np.inf)\n"
    "    return np.nan_to_num(softmax_rows(S)) @ V",
}
# A student, the exercise in which they make a mistake, what they write, and the mistake; its mark by the documented parts.
STUDENTS = {
    "ada": ("scores", "return K @ Q.T", "transposed-scores", 0.0),
    "ben": ("softmax_rows", "E = np.exp(S)\n    return E / E.sum(axis=1, keepdims=True)", "overflow", 3.25),
    "cleo": (
        "softmax_rows",
        "E = np.exp(S - S.max(axis=0))\n    E = E / E.sum(axis=0)\n    return E",
        "softmax-down-columns",
        0.0,
    ),
    "dan": (
        "attention",
        "S = Q @ K.T / np.sqrt(K.shape[1])\n    W = softmax_rows(S)\n    return (W if mask is None else W * mask) @ V",
        "mask-after-softmax",
        2.75,
    ),
    "eve": (
        "attention",
        "S = Q @ K.T\n    S = S if mask is None else np.where(mask, S, -np.inf)\n"
        "    return np.nan_to_num(softmax_rows(S)) @ V",
        "no-scaling",
        0.0,
    ),
}
POINTS = {"scores": 3.0, "softmax_rows": 4.0, "attention": 5.0}


def cells(bodies):
    """The chapter with these bodies of the three functions."""
    made = [new_code_cell("import numpy as np\nfrom rowwise import check")]
    for name, frame in (("scores", SCORES), ("softmax_rows", SOFTMAX), ("attention", ATTENTION)):
        solution = {"grade": False, "grade_id": name, "locked": False, "solution": True}
        graded = {
            "grade": True,
            "grade_id": f"check-{name}",
            "locked": True,
            "solution": False,
            "points": POINTS[name],
        }
        for source, about in ((frame.format(bodies[name]), solution), (f"check.{name}({name})", graded)):
            about = {**about, "schema_version": 3, "task": False}
            made.append(new_code_cell(source, metadata={"nbgrader": about}))
    return new_notebook(cells=made, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def nbgrader(folder, *words):
    program = Path(sys.executable).parent / "nbgrader"
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "HOME": str(folder),
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Eight submissions, autograded, with feedback."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    source = folder / "source/ps/ps.ipynb"
    source.parent.mkdir(parents=True)
    marked = {name: f"### BEGIN SOLUTION\n    {body}\n    ### END SOLUTION" for name, body in RIGHT.items()}
    nbformat.write(cells(marked), source)
    nbgrader(folder, "generate_assignment", "ps")
    submissions = {"right": RIGHT, "untouched": dict.fromkeys(RIGHT, STUB)}
    submissions["raising"] = {**RIGHT, "softmax_rows": "return S / s.sum()"}
    for student, (name, body, *_) in STUDENTS.items():
        # The mistake is in one function only: attention has a right softmax of its own.
        apart = "def softmax_rows(S):\n        E = np.exp(S - np.maximum(S.max(axis=1, keepdims=True), -1e300))\n"
        apart += "        return E / np.maximum(E.sum(axis=1, keepdims=True), 1e-300)\n    "
        submissions[student] = {**RIGHT, "attention": apart + RIGHT["attention"], name: body}
        if name == "attention":
            submissions[student]["attention"] = apart + body
    for student, bodies in submissions.items():
        path = folder / "submitted" / student / "ps/ps.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(cells(bodies), path)
    nbgrader(folder, "autograde", "ps")
    nbgrader(folder, "generate_feedback", "ps")
    return folder


@pytest.fixture(scope="module")
def marks(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        return {
            submission.student.id: {g.name.removeprefix("check-"): g.auto_score for g in submission.notebooks[0].grades}
            for submission in gradebook.assignment_submissions("ps")
        }


def feedback(course, student):
    text = (course / "feedback" / student / "ps/ps.html").read_text(encoding="utf-8")
    return re.sub(r"<[^>]+>", " ", text)


@pytest.mark.parametrize("student", STUDENTS)
def test_one_mistake_costs_its_own_marks_and_is_named_in_the_feedback_page(course, marks, student):
    name, _, slug, earned = STUDENTS[student]
    assert marks[student] == {**POINTS, name: earned}
    named = [other[2] for other in STUDENTS.values() if f"it is called {other[2]}." in feedback(course, student)]
    assert named == [slug]


def test_right_work_gets_full_marks(course, marks):
    assert marks["right"] == POINTS
    assert "it is called" not in feedback(course, "right")


def test_an_untouched_release_gets_nothing_and_a_sentence_a_cell(course, marks):
    assert marks["untouched"] == dict.fromkeys(POINTS, 0.0)
    assert feedback(course, "untouched").count("lacks `return`") == 3
    assert "Traceback (most" not in feedback(course, "untouched")


def test_code_that_raises_gets_nothing_and_its_own_line(course, marks):
    assert marks["raising"]["softmax_rows"] == 0 and marks["raising"]["scores"] == 3
    assert "return S / s.sum()" in feedback(course, "raising")
    assert "NameError" in feedback(course, "raising") and "Traceback (most" not in feedback(course, "raising")
