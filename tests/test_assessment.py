"""The assessment: numbers from a seed, a key that earns full marks, and papers that share no line."""

import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx.reference
import pytest
from onnx import TensorProto, helper

from rowwise import assessment, build, check, exercises
from rowwise.build import papers
from rowwise.exercises import seeded
from rowwise.exercises.assessment import PLAN, numbers
from rowwise.exercises.seeded import Sitting

ROOT = Path(__file__).parents[1]
NUMERIC = ("exam_row", "exam_range", "exam_masked", "exam_second", "exam_removal")


@pytest.fixture(autouse=True)
def no_sitting_left():
    yield
    seeded.sit(None)


def key(name):
    return exercises.ALL[name].bind(seeded.current()).solution()


def independent_attention(Q, K, V, mask=None):
    """The ONNX reference operator: (1, 1, n, d) arrays, a boolean mask where True = may attend."""
    names = ["Q", "K", "V"] + (["mask"] if mask is not None else [])
    node = helper.make_node("Attention", names, ["Y"])
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.BOOL if n == "mask" else TensorProto.DOUBLE, None) for n in names
    ]
    output = helper.make_tensor_value_info("Y", TensorProto.DOUBLE, None)
    model = helper.make_model(
        helper.make_graph([node], "g", inputs, [output]), opset_imports=[helper.make_opsetid("", 23)]
    )
    feeds = {"Q": Q[None, None], "K": K[None, None], "V": V[None, None]} | ({"mask": mask} if mask is not None else {})
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)[0][0, 0]


@pytest.mark.parametrize("student", ["", "ada", "s1042"])
def test_the_key_agrees_with_an_independent_attention(student):
    sitting = Sitting("a seed of the test", student)
    found = numbers(sitting)
    seeded.sit(sitting)
    plain = independent_attention(found.queries, found.K, found.V)
    masked = independent_attention(found.queries, found.K, found.V, np.stack([found.mask, found.mask]))
    assert np.allclose(key("exam_row")["output"], plain[0], atol=6e-5)
    assert np.allclose(key("exam_second")["output"], plain[1], atol=6e-5)
    assert np.allclose(key("exam_masked")["output"], masked[0], atol=6e-5)
    moved = np.linalg.norm(masked[0] - plain[0]) / np.linalg.norm(plain[0])
    assert key("exam_removal")[1] == pytest.approx(moved, abs=6e-5)


@pytest.mark.parametrize("name", NUMERIC)
def test_the_key_earns_full_marks_and_another_students_key_does_not(name):
    keys = {}
    for student in ("ada", "ben"):
        seeded.sit(Sitting("autumn", student))
        keys[student] = key(name)
    mine = check.of(name, keys["ben"])
    assert float(mine) == mine.points
    assert float(check.of(name, keys["ada"])) < mine.points / 2


def test_a_seed_whose_paper_shares_a_line_with_an_earlier_one_is_refused(tmp_path):
    folder = tmp_path / "solutions" / "10-assessment"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / "10-assessment" / "10-assessment.md", folder)
    used = []
    refused = 0
    for seed in (f"term-{i}" for i in range(40)):
        try:
            papers.choose(tmp_path, seed, each_student=False)
        except build.BuildError as error:
            refused += 1
            assert "share a line" in str(error) and "another seed" in str(error)
        else:
            used.append(seed)
    assert refused and len(used) > 20, "the loop met both"
    keys = {seed: _printed_lines(seed) for seed in used}
    for one, other in itertools.combinations(used, 2):
        assert not keys[one] & keys[other], f"{one} and {other} share a line"


def _printed_lines(seed):
    """The lines of the key, read back as an instructor would: rounded to two decimals, masked zeros and ones aside."""
    found = set()
    for name in NUMERIC:
        key = exercises.ALL[name].bind(Sitting(seed)).solution()
        for step, line in key.items() if isinstance(key, dict) else [("", key)]:
            own = tuple(f"{float(x):.2f}" for x in line if x not in ("-inf", 0, 1))
            found.add((name, step, own))
    return found


def test_the_same_sitting_has_the_same_numbers_whatever_the_spelling_of_the_id():
    first, second = numbers(Sitting("autumn", "Ada")), numbers(Sitting("autumn", " ada "))
    assert np.array_equal(first.K, second.K) and np.array_equal(first.V, second.V)


def test_a_guard_must_stop_wrong_outputs_and_let_right_ones_pass():
    def both(Q, K, V, out):
        assert out.shape == (len(Q), V.shape[1])
        assert (out >= V.min(axis=0) - 1e-9).all() and (out <= V.max(axis=0) + 1e-9).all()

    def shape_only(Q, K, V, out):
        assert out.shape == (len(Q), V.shape[1])

    def stops_everything(Q, K, V, out):
        raise AssertionError

    def all_values_together(Q, K, V, out):
        assert out.shape == (len(Q), V.shape[1])
        assert out.min() >= V.min() and out.max() <= V.max()

    def crashes(Q, K, V, out):
        return out.no_such_thing

    marks = [
        float(check.exam_guard(f))
        for f in (both, shape_only, stops_everything, all_values_together, crashes, lambda Q, K, V, out: None)
    ]
    assert marks == [3.0, 1.5, 0.0, 1.5, 0.0, 0.0]


def test_points_and_minutes_of_the_plan_are_those_that_the_chapter_states():
    text = (ROOT / "solutions" / "10-assessment" / "10-assessment.md").read_text(encoding="utf-8")
    for number, exercise, _ in PLAN:
        assert f"## {number}. {assessment.TITLES[exercise.name]} ({exercise.points:g} points)" in text
    assert sum(minutes for _, _, minutes in PLAN) + assessment.WRITTEN[3] == 83


def test_one_command_makes_a_fresh_paper_with_a_key_for_each_student(tmp_path):
    course = tmp_path / "course"
    for part in ("solutions/10-assessment", "autograder", "notebooks/10-assessment"):
        shutil.copytree(ROOT / part, course / part, ignore=shutil.ignore_patterns("*.db", "submitted", "autograded"))
    (tmp_path / "ids.csv").write_text("id,name\nada,Ada L.\nben,Ben M.\n", encoding="utf-8")
    command = [sys.executable, "-m", "rowwise.cli", "assess", "winter", "--each-student"]
    run = subprocess.run(
        [*command, "--print", str(tmp_path / "out"), "--students", str(tmp_path / "ids.csv")],
        cwd=course, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["key-ada.html", "key-ben.html", "paper-ada.html", "paper-ben.html"]
    seed = (course / "notebooks" / "10-assessment" / "paper.json").read_text(encoding="utf-8")
    assert "winter" in seed and "true" in seed
    solution = (course / "solutions" / "10-assessment" / "10-assessment.ipynb").read_text(encoding="utf-8")
    first = exercises.ALL["exam_row"].bind(Sitting("winter")).solution()["scores"]
    assert str(first) in solution, "the solution notebook has this seed's answers"
    pages = {name: (tmp_path / "out" / name).read_text(encoding="utf-8") for name in names}
    output = exercises.ALL["exam_row"].bind(Sitting("winter", "ada")).solution()["output"]
    shown = [f"{abs(x):g}" for x in output]
    assert all(x in pages["key-ada.html"] for x in shown), "the key shows the answer"
    for one, other in itertools.permutations(shown, 2):
        assert not (one in pages["paper-ada.html"] and other in pages["paper-ada.html"]), "the paper does not"


def test_every_number_of_the_heatmap_can_be_read_on_its_cell():
    def luminance(colour):
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in (c / 255 for c in colour)]
        return np.dot(linear, [0.2126, 0.7152, 0.0722])

    for weight in np.linspace(0, 1, 201):
        background, ink = re.match(r"background:rgb\((.*)\);color:(.*)", assessment._shade(weight)).groups()
        lights = luminance([int(c) for c in background.split(",")]), {"#000": 0.0, "#fff": 1.0}[ink]
        assert (max(lights) + 0.05) / (min(lights) + 0.05) >= 4.5, weight


def test_the_printed_paper_and_its_key_have_every_question_and_the_chapters_rubric():
    paper, answers = assessment.pages(Sitting("a seed of the test"))
    for number in range(1, 10):
        assert f"<h2>{number}. " in paper and f"<h2>{number}. " in answers
    chapter = (ROOT / "solutions" / "10-assessment" / "10-assessment.md").read_text(encoding="utf-8")
    for points, what in assessment.RUBRIC:
        assert f"- **{points}**: {what}" in chapter.replace("*intervention*", "intervention").replace(
            "*and*", "and"
        ).replace("*or*", "or")
