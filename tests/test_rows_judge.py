"""Rows are marked by their method: rounding costs nothing, a mistake costs its own step once.

The students below are simulated without the library: plain Python floats, rounded and carried on as each likes.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typed_things import ANYTHING

from rowwise.rows import STEPS, Task, judge
from rowwise.rows.judge import judge_lines
from rowwise.rows.lines import read_line

small = st.integers(-4, 4)


@st.composite
def tasks(draw):
    """A row of any size that asks for any of its steps."""
    keys, width, d_v = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    numbers = {
        "q": draw(st.lists(small, min_size=width, max_size=width)),
        "K": draw(st.lists(st.lists(small, min_size=width, max_size=width), min_size=keys, max_size=keys)),
        "V": draw(st.lists(st.lists(small, min_size=d_v, max_size=d_v), min_size=keys, max_size=keys)),
    }
    if draw(st.booleans()):
        numbers["mask"] = draw(st.lists(st.booleans(), min_size=keys, max_size=keys))
    chain = Task(**numbers).chain
    asks = draw(st.lists(st.sampled_from(chain), min_size=1, unique=True))
    marks = {step: draw(st.integers(1, 3)) for step in asks}
    return Task(**numbers, asks=tuple(asks), marks=marks)


class Student:
    """Works a row with Python's own floats; ``draw`` decides what is rounded, how far, and what is carried on."""

    def __init__(self, task, draw, shifted=False):
        self.task, self.draw, self.shifted = task, draw, shifted
        self.K = [[int(x) for x in key] for key in task.K]
        self.q = [int(x) for x in task.q]
        self.V = [[int(x) for x in value] for value in task.V]
        self.open = [bool(x) for x in task.permitted]

    def next(self, step, before):
        """The line of ``step`` worked from the line before it, unrounded."""
        if step == "scores":
            return [sum(a * b for a, b in zip(self.q, key, strict=True)) for key in self.K]
        if step == "scaled":
            return [s / math.sqrt(len(self.q)) for s in before]
        if step == "masked":
            return [s if open_ else -math.inf for s, open_ in zip(before, self.open, strict=True)]
        if step == "exponentials":
            top = max(before) if self.shifted and max(before) > -math.inf else 0
            return [math.exp(s - top) for s in before]
        if step == "weights":
            return [e / sum(before) if sum(before) else 0.0 for e in before]
        if step == "products":
            return [[w * x for x in value] for w, value in zip(before, self.V, strict=True)]
        return [sum(column) for column in zip(*before, strict=True)]

    def write(self, line):
        """(what is typed, what is carried on), each number rounded or not as drawn."""
        if isinstance(line[0], list):
            pairs = [self.write(row) for row in line]
            return [typed for typed, _ in pairs], [kept for _, kept in pairs]
        digits = self.draw(st.sampled_from(["3g", "4g", "5g", "8g", "4f", "5f", "8f"]))
        typed = [self.round(x, digits) for x in line]
        kept = [
            x if x == -math.inf or self.draw(st.booleans()) else float(text)
            for x, text in zip(line, typed, strict=True)
        ]
        return typed, kept

    @staticmethod
    def round(x, digits):
        """To so many significant figures or decimals, never less than three figures."""
        if x == -math.inf:
            return "-inf"
        text = f"{x:.{digits}}"
        return text if abs(float(text) - x) <= 0.0005001 * abs(x) or x == 0 else f"{x:.3g}"

    def work(self, change=None):
        """The typed row; ``change`` = (step, function) replaces that step's line before it is written down."""
        typed, line = {}, None
        for step in self.task.chain:
            line = self.next(step, line)
            if change and change[0] == step:
                line = change[1](line)
            if step in self.task.asks:
                typed[step], line = self.write(line)
        return typed


@given(tasks(), st.booleans(), st.data())
@settings(deadline=None)
def test_a_right_row_gets_full_marks_however_it_is_rounded_and_carried_on(task, shifted, data):
    typed = Student(task, data.draw, shifted).work()
    mark = judge(task, typed)
    assert float(mark) == mark.points == task.points, (typed, mark.steps)
    assert mark.mistakes == ()
    assert not any(step.carried for step in mark.steps)


@given(tasks(), st.booleans(), st.data())
@settings(deadline=None)
def test_one_wrong_step_carried_on_faithfully_costs_that_step_only(task, shifted, data):
    wrong_step = data.draw(st.sampled_from(task.asks))
    change = _moved(task, wrong_step, data.draw)
    typed = Student(task, data.draw, shifted).work((wrong_step, change))
    mark = judge(task, typed)
    points = {step.name: step.points for step in mark.steps}
    assert points == {step: task.marks[step] * (step != wrong_step) for step in task.asks}, (typed, mark.steps)
    assert len(mark.mistakes) == 1
    wrong = next(step for step in mark.steps if step.name == wrong_step)
    assert wrong.mistake and not wrong.carried


def _moved(task, step, draw):
    """Moves one permitted number of a line far from right, to something that is not degenerate."""
    by = draw(st.sampled_from([0.7, 1.3, 2.9, 7.1]))
    place = draw(st.integers(0, 11))

    def change(line):
        flat = np.array(line, dtype=float)
        shape, flat = flat.shape, flat.ravel()
        finite = np.flatnonzero(np.isfinite(flat))
        assume(finite.size)
        at = finite[place % finite.size]
        flat[at] += by * max(1, abs(flat[at]))
        kept = flat[np.isfinite(flat)]
        assume(kept.size > 1 or (flat.size == 1 and step not in STEPS[:3]) or flat.size == 1)
        assume(kept.size == 1 or np.ptp(kept) > 0.01)
        question = [task.q, *task.K, *task.K.T, *task.V, *task.V.T, task.K.ravel(), task.V.ravel()]
        assume(not any(len(q) == len(flat) and np.allclose(q, flat, atol=0.01) for q in question))
        if step == "exponentials":  # e^(s − c) with another c is a wrong line, but not what is tested here
            assume(flat.size > 1)
        return flat.reshape(shape).tolist()

    return change


@given(tasks(), st.data())
@settings(deadline=None)
def test_a_step_is_marked_from_itself_and_what_stands_before_it(task, data):
    typed = Student(task, data.draw).work()
    wrong_step = data.draw(st.sampled_from(task.asks))
    typed[wrong_step] = np.array(_moved(task, wrong_step, data.draw)(_numbers(typed[wrong_step]))).tolist()
    first = judge(task, typed)
    for later in task.asks[task.asks.index(wrong_step) + 1 :]:
        typed[later] = data.draw(st.sampled_from([None, typed[later], 1, "x", [0.5] * task.n_k]))
    second = judge(task, typed)
    upto = task.asks.index(wrong_step) + 1
    assert [step.points for step in first.steps[:upto]] == [step.points for step in second.steps[:upto]]
    assert second.steps[upto - 1].points == 0


def _numbers(line):
    if isinstance(line, list):
        return [_numbers(item) for item in line]
    return float(line)


@given(tasks(), st.data())
@settings(deadline=None)
def test_permuting_keys_with_their_values_permutes_the_verdicts(task, data):
    order = data.draw(st.permutations(range(task.n_k)))
    typed = Student(task, data.draw).work()
    for step in task.asks:
        if data.draw(st.booleans()):
            line = np.array(_numbers(typed[step]))
            line.flat[data.draw(st.integers(0, line.size - 1))] += data.draw(st.sampled_from([0.3, 2.0]))
            typed[step] = line.tolist()
    other = Task(
        q=task.q, K=task.K[order], V=task.V[order], mask=task.mask if task.mask is None else task.mask[order],
        asks=task.asks, marks=task.marks,
    )  # fmt: skip
    moved = {s: line if s == "output" else [line[i] for i in order] for s, line in typed.items()}
    for one, two in zip(_verdicts(task, typed), _verdicts(other, moved), strict=True):
        agrees = one.agrees if one.step == "output" else one.agrees[order]
        assert (one.right, one.carried, agrees.tolist()) == (two.right, two.carried, two.agrees.tolist())


def _verdicts(task, typed):
    return judge_lines(task, {step: read_line(typed[step], task.shape(step)) for step in task.asks})


@given(tasks(), st.dictionaries(st.sampled_from(STEPS) | st.text(), ANYTHING) | ANYTHING)
@settings(deadline=None)
def test_nothing_that_can_be_typed_raises(task, typed):
    mark = judge(task, typed)
    assert 0 <= float(mark) <= mark.points
    assert str(mark) and mark._repr_html_()
    assert [step.name for step in mark.steps] == list(task.asks)


WORKED = Task(q=[1, 0], K=[[1, 0], [0, 1]], V=[[2, 0], [0, 4]])


@pytest.mark.parametrize("output", [[1.3395, 1.3210], [1.3396, 1.3208], ["1,3395", "1,3210"], "1.34 1.32"])
def test_the_running_example_is_right_with_weights_rounded_or_not(output):
    mark = judge(WORKED, {"scores": [1, 0], "scaled": [0.7071, 0], "weights": [0.6698, 0.3302], "output": output})
    assert (float(mark), mark.mistakes) == (4, ())


def test_without_scaling_the_running_example_loses_one_step_and_says_which():
    typed = {"scores": [1, 0], "scaled": [1, 0], "weights": [0.7311, 0.2689], "output": [1.4621, 1.0758]}
    mark = judge(WORKED, typed)
    assert (float(mark), mark.mistakes) == (3, ("no-scaling",))
    assert [step.carried for step in mark.steps] == [False, False, True, True]


def test_a_line_that_leaves_nothing_to_do_carries_nothing_on():
    zeros = {"scores": [0, 0], "scaled": [0, 0], "weights": [0.5, 0.5], "output": [1, 2]}
    assert float(judge(WORKED, zeros)) == 0


def test_a_right_line_is_never_degenerate_whatever_it_looks_like():
    task = Task(q=[1, 1], K=[[2, 0], [0, 2]], V=[1, 5], asks=("scores", "weights", "output"))
    assert float(judge(task, {"scores": [2, 2], "weights": [0.5, 0.5], "output": 3})) == 3
    wrong_then = {"scores": [2, 2], "weights": [0.6, 0.4], "output": 2.6}
    assert [s.points for s in judge(task, wrong_then).steps] == [1, 0, 1]


def test_a_copy_of_the_question_carries_nothing_on():
    task = Task(scaled=[1, 2, 4], V=[3, 1, 5], asks=("exponentials", "weights"))
    assert [s.points for s in judge(task, {"exponentials": [1, 2, 4], "weights": ["1/7", "2/7", "4/7"]}).steps] == [
        0,
        0,
    ]


def test_a_line_left_empty_earns_nothing_and_the_next_follows_from_the_last_filled_in():
    typed = {"scores": [2, 0], "scaled": None, "weights": [0.8044, 0.1956], "output": [1.6088, 0.7824]}
    mark = judge(WORKED, typed)
    assert [step.points for step in mark.steps] == [0, 0, 1, 1]
    assert [step.carried for step in mark.steps] == [False, False, True, True]


def test_text_that_is_no_number_costs_its_own_step_only_and_says_why():
    typed = {"scores": [1, 0], "scaled": "dunno", "weights": [0.6698, 0.3302], "output": [1.34, "nan"]}
    mark = judge(WORKED, typed)
    assert [step.points for step in mark.steps] == [1, 0, 1, 0]
    assert "dunno" in mark.steps[1].message
    assert "nan" in mark.steps[3].message
    assert mark.mistakes == ("wrong-type",)


def test_exponentials_may_be_taken_either_way_but_one_way_for_all():
    task = Task(scaled=[2, 1, 0], asks=("exponentials",))
    assert float(judge(task, {"exponentials": ["e^2", "e", 1]})) == 1
    assert float(judge(task, {"exponentials": [1, "1/e", "e^-2"]})) == 1
    assert float(judge(task, {"exponentials": ["e^2", "1/e", "e^-2"]})) == 0


def test_the_classic_of_1000_1001_999_is_marked_from_e_to_the_difference():
    task = Task(scores=[1000, 1001, 999], asks=("exponentials", "weights"))
    typed = {"exponentials": ["e^-1", 1, "e^-2"], "weights": [0.2447, 0.6652, 0.0900]}
    assert float(judge(task, typed)) == 2


def test_the_classic_marks_are_three_two_and_two():
    marks = {"weights": 3, "products": 2, "output": 2}
    task = Task(scaled=[0.8, -0.4], V=[6, -2], asks=tuple(marks), marks=marks)
    half = math.exp(0.8) / (math.exp(0.8) + math.exp(-0.4))
    right = {"weights": [half, 1 - half], "products": [6 * half, -2 * (1 - half)], "output": 8 * half - 2}
    assert [step.points for step in judge(task, right).steps] == [3, 2, 2]
    assert [step.points for step in judge(task, right | {"output": 6 * half}).steps] == [3, 2, 0]
    assert [step.points for step in judge(task, right | {"weights": [0.5, 0.4]}).steps] == [0, 2, 2]


MASKED = Task(
    scaled=[1, 0.5, 2, -0.5], V=[[4, 1], [-2, 3], [5, 6], [0, 2]], mask=[1, 1, 0, 1],
    asks=("masked", "weights", "output"),
)  # fmt: skip


@pytest.mark.parametrize("excluded", ["-inf", "−∞", "masked", float("-inf")])
def test_an_excluded_score_is_typed_as_minus_infinity_or_masked(excluded):
    assert judge(MASKED, {"masked": [1, 0.5, excluded, -0.5]}).steps[0].points == 1


def test_zeroing_after_softmax_and_then_renormalising_is_right_on_paper():
    e = [math.exp(s) for s in (1, 0.5, 2, -0.5)]
    after = [x / sum(e) * open_ for x, open_ in zip(e, (1, 1, 0, 1), strict=True)]
    assert judge(MASKED, {"weights": [w / sum(after) for w in after]}).steps[1].points == 1
    assert judge(MASKED, {"weights": after}).steps[1].mistake == "mask-after-softmax"


def test_whoever_masks_one_line_early_is_right():
    task = Task(q=[1, 2], K=[[3, 1], [0, 1]], mask=[True, False], asks=("scores", "masked", "weights"))
    assert float(judge(task, {"scores": [5, "masked"], "masked": [3.5355, "-inf"], "weights": [1, 0]})) == 3


def test_a_row_with_nothing_permitted_has_weights_of_zero():
    task = Task(scaled=[1, 2], V=[3, 4], mask=[0, 0], asks=("weights", "output"))
    assert float(judge(task, {"weights": [0, 0], "output": 0})) == 2
    assert judge(task, {"weights": [0.5, 0.5]}).mistakes == ("nothing-permitted-uniform",)


def test_another_factor_is_told_apart_and_given():
    task = Task(scaled=[2, 0.5, -1], asks=("weights",))
    e = [math.exp(s / 2) for s in (2, 0.5, -1)]
    mark = judge(task, {"weights": [x / sum(e) for x in e]})
    assert mark.mistakes == ("wrong-base-or-temperature",)
    assert "0.5" in mark.steps[0].message
    task = Task(q=[2, -1, 3, 1], K=[[1, 2, 0, 3], [3, 1, 1, -2], [-1, 0, 2, -5]], asks=("scaled",))
    mark = judge(task, {"scaled": [3 / 8, 6 / 8, -1 / 8]})
    assert mark.mistakes == ("scaled-by-wrong-size",)
    assert "divided by 8" in mark.steps[0].message


def test_a_row_of_one_step_may_be_typed_bare():
    task = Task(q=[2, 3], K=[[1, 4], [5, -1]], asks=("scores",))
    assert float(judge(task, [14, 7])) == 1
    assert float(judge(task, "14, 7")) == 1


def test_an_empty_form_earns_nothing_names_nothing_and_says_what_to_do():
    mark = judge(WORKED, {"scores": [None, None], "output": [None, None]})
    assert (float(mark), mark.mistakes) == (0, ())
    assert "Nothing is filled in yet" in mark.message


def test_a_message_shows_what_was_understood_and_never_the_answer():
    mark = judge(WORKED, {"scores": ["3/3", 0], "scaled": ["1/√2", 0], "weights": ["2/3", "1/3"], "output": [9, 9]})
    text = str(mark)
    assert "0.7071, 0" in text and "0.6667, 0.3333" in text
    for answer in ("0.6698", "0.3302", "1.3395", "1.3333"):
        assert answer not in text


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"q": [1, 2], "K": [[1, 2, 3]]}, "d_k"),
        ({"q": [1, 2]}, "given q and K"),
        ({}, "given q and K"),
        ({"scores": [1], "weights": [1]}, "one of"),
        ({"scores": [1, 2], "V": [1]}, "2 keys and 1 values"),
        ({"scores": [1, 2], "mask": [1]}, "mask"),
        ({"scores": [1, 2], "asks": ("score",)}, "no step 'score'"),
        ({"scores": [1, 2], "asks": ("output",)}, "no step 'output'"),
        ({"scores": [1, 2], "asks": ("weights",), "marks": {"exponentials": 1}}, "does not ask for"),
        ({"q": [1, "x"], "K": [[1, 2]]}, "numbers"),
        ({"q": [1, 2], "K": [[1, 2], [3]]}, "rows of equal length"),
        ({"scores": [1, math.nan]}, "finite"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_together_says_so_to_its_author(wrong, says):
    with pytest.raises(ValueError, match=says):
        Task(**wrong)
