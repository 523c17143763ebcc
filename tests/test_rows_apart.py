"""The numbers of every graded row keep right and wrong apart, and each mistake made in one is named."""

import math

import numpy as np
import pytest

from rowwise import exercises
from rowwise.rows import STEPS, Task, judge
from rowwise.rows.apart import apart, clashes
from rowwise.rows.draw import draw
from rowwise.rows.slips import wrong_lines

GRADED = {each.name: each for each in exercises.ALL.values() if each.kind == "row"}


def dot(a, b):
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def softmax(s):
    e = [math.exp(x) for x in s]
    return [x / sum(e) for x in e]


def mix(w, rows):
    return [dot(w, column) for column in zip(*rows, strict=True)]


def made_by_hand():
    """(row, slug, step, the line as somebody who makes that mistake types it), worked without the library."""
    q, K, V = [1, 2, -1, 0], [[3, 1, 2, 4], [0, 1, -2, 1], [2, -1, 1, 3]], [[2, 5], [6, -1], [-3, 4]]
    s = [dot(q, k) for k in K]
    z = [x / 2 for x in s]
    w = softmax(z)
    whole = [
        ("cosine-not-dot", "scores", [dot(unit(q), unit(k)) for k in K]),
        ("cosine-not-dot", "scores", [dot(unit(q), k) for k in K]),
        ("cosine-not-dot", "scores", [dot(q, unit(k)) for k in K]),
        ("queries-with-queries", "scores", [dot(q, q)] * 3),
        ("queries-with-queries", "scores", [dot(k, k) for k in K]),
        ("elementwise-not-dot", "scores", [sum(q) + sum(k) for k in K]),
        ("elementwise-not-dot", "scores", [[a * b for a, b in zip(q, k, strict=True)] for k in K]),
        ("no-scaling", "scaled", s),
        ("scaled-by-width", "scaled", [x / 4 for x in s]),
        ("scaled-wrong-way", "scaled", [x * 2 for x in s]),
        ("scaled-by-wrong-size", "scaled", [x / math.sqrt(3) for x in s]),
        ("scaled-by-wrong-size", "scaled", [x / math.sqrt(512) for x in s]),
        ("no-scaling", "weights", softmax(s)),
        ("no-exponential", "weights", [x / sum(z) for x in z]),
        ("no-exponential", "weights", [abs(x) / sum(map(abs, z)) for x in z]),
        ("not-normalised", "weights", [math.exp(x) for x in z]),
        ("not-normalised", "weights", [math.exp(x - 2) for x in z]),
        ("softmax-twice", "weights", softmax(w)),
        ("argmax", "weights", [0, 1, 0]),
        ("log-weights", "weights", [math.log(x) for x in w]),
        ("wrong-base-or-temperature", "weights", softmax([x * math.log(2) for x in z])),
        ("wrong-base-or-temperature", "weights", softmax([x * 3 for x in z])),
        ("mean-of-values", "output", [sum(c) / 3 for c in zip(*V, strict=True)]),
        ("mean-of-values", "output", [sum(c) for c in zip(*V, strict=True)]),
        ("weights-not-summed", "output", [[x * y for y in v] for x, v in zip(w, V, strict=True)]),
        ("keys-as-values", "output", mix(w, K)),
        ("scaled-output", "output", [x / 2 for x in mix(w, V)]),
        ("scaled-output", "output", [x / 2 for x in mix(softmax(s), V)]),
    ]
    yield from (("attention_row", *case) for case in whole)
    z, V, open_ = [1, 0.5, 2, -0.5], [[4, 1], [-2, 3], [5, 6], [0, 2]], [1, 1, 0, 1]
    masked = [
        ("mask-ignored", "masked", z),
        ("mask-zeroes-scores", "masked", [1, 0.5, 0, -0.5]),
        ("mask-too-weak", "masked", [1, 0.5, -10, -0.5]),
        ("mask-too-weak", "masked", [1, 0.5, "-1e9", -0.5]),
        ("mask-added", "masked", [2, 1.5, 2, 0.5]),
        ("mask-inverted", "masked", ["-inf", "-inf", 2, "-inf"]),
        ("mask-after-softmax", "weights", [a * b for a, b in zip(softmax(z), open_, strict=True)]),
        ("mask-ignored", "weights", softmax(z)),
        ("mask-zeroes-scores", "weights", softmax([1, 0.5, 0, -0.5])),
        ("mask-ignored", "output", mix(softmax(z), V)),
    ]
    yield from (("mask_row", *case) for case in masked)
    z = [0.8, -0.4]
    w = softmax(z)
    yield "mix_row", "argmax", "weights", [1, 0]
    yield "mix_row", "softmax-twice", "weights", softmax(w)
    yield "mix_row", "not-normalised", "weights", [math.exp(x) for x in z]
    yield "mix_row", "mean-of-values", "products", [3, -1]
    yield "mix_row", "weights-not-summed", "output", [6 * w[0], -2 * w[1]]
    yield "softmax_row", "no-exponential", "exponentials", [2, 0.5, -1]
    yield "softmax_row", "wrong-base-or-temperature", "exponentials", [4, math.sqrt(2), 0.5]
    yield "softmax_row", "wrong-base-or-temperature", "exponentials", [100, math.sqrt(10), 0.1]
    yield (
        "dot_product_row",
        "cosine-not-dot",
        "scores",
        [dot(unit([2, 1, 0, -1]), unit(k)) for k in ([1, 2, 3, 1], [0, 1, 2, 2], [1, -1, 2, -1])],
    )
    yield "warm_up", "transposed-scores", "scores", [17, 5]


@pytest.mark.parametrize("name, slug, step, line", list(made_by_hand()))
def test_a_mistake_made_in_a_graded_row_is_named_and_costs_its_step_only(name, slug, step, line):
    exercise = GRADED[name]
    typed = exercise.solution() | {step: _to_four_decimals(line)}
    mark = judge(exercise.row, typed)
    verdict = next(each for each in mark.steps if each.name == step)
    assert (verdict.points, verdict.mistake) == (0, slug)
    assert len(verdict.message) > 60
    others = [each for each in mark.steps if STEPS.index(each.name) < STEPS.index(step)]
    assert all(each.points == each.of for each in others)


def _to_four_decimals(line):
    if isinstance(line, list):
        return [_to_four_decimals(item) for item in line]
    return line if isinstance(line, str) else round(line, 4)


@pytest.mark.parametrize("name", GRADED)
def test_every_graded_row_keeps_right_and_every_mistake_four_tolerances_apart(name):
    assert clashes(GRADED[name].row) == []


@pytest.mark.parametrize("name", GRADED)
def test_every_mistake_that_a_graded_row_allows_is_named(name):
    exercise = GRADED[name]
    made = list(wrong_lines(exercise.row))
    assert made
    for slip, step, line in made:
        typed = exercise.solution() | {step: _to_four_decimals(_text(line))}
        verdict = next(each for each in judge(exercise.row, typed).steps if each.name == step)
        assert (verdict.points, verdict.mistake) == (0, slip.slug), (slip, line)


def _text(line):
    return ["-inf" if np.isneginf(x) else float(x) for x in line.ravel()]


@pytest.mark.parametrize("name", GRADED)
def test_the_solution_of_a_graded_row_gets_full_marks_and_the_blank_form_none(name):
    exercise = GRADED[name]
    assert float(judge(exercise.row, exercise.solution())) == exercise.points
    blank = judge(exercise.row, exercise.blank())
    assert (float(blank), blank.mistakes) == (0, ())


def test_the_running_example_hides_mistakes_and_so_is_never_graded():
    hidden = {clash.slug for clash in clashes(Task(q=[1, 0], K=[[1, 0], [0, 1]], V=[[2, 0], [0, 4]]))}
    assert {"cosine-not-dot", "transposed-scores", "scaled-by-wrong-size"} <= hidden


def test_a_symmetric_key_matrix_hides_rows_taken_for_columns():
    assert not apart(Task(q=[2, 3], K=[[1, 4], [4, -1]], asks=("scores",)))


def test_as_many_keys_as_d_k_hide_a_wrong_divisor():
    with pytest.raises(ValueError, match="4 keys, d_k = 4"):
        draw(1, asks=("scores", "scaled"), n_k=4, d_k=4)


@pytest.mark.parametrize(
    "sizes",
    [
        {"asks": ("scores",), "d_k": 2},
        {"asks": ("scores", "scaled")},
        {"asks": ("exponentials", "weights")},
        {"asks": ("weights", "products", "output"), "n_k": 2, "d_v": 1},
        {"asks": ("masked", "weights", "output"), "n_k": 4},
        {},
        {"masked": True, "n_k": 5, "d_v": 3},
    ],
)
def test_rows_drawn_from_a_seed_are_the_same_each_time_and_hide_nothing(sizes):
    for seed in range(3):
        one, two = draw(seed, **sizes), draw(seed, **sizes)
        assert apart(one)
        for step in one.chain:
            assert one.line(step).tolist() == two.line(step).tolist()
        for given in (one.q, one.K):
            if given is not None:
                assert np.array_equal(given, np.round(given)) and np.abs(given).max() <= 4
                assert (np.abs(np.atleast_2d(given)).max(axis=1) > 1).all()
    assert draw(1, **sizes).line(one.chain[0]).tolist() != draw(2, **sizes).line(one.chain[0]).tolist()
