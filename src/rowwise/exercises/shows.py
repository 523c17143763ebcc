"""Exercises of chapter 08, what weights show."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models_heads, rules, slips, slips_heads
from rowwise.exercises.decimals import Decimals
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial
from rowwise.exercises.plain import Spot

CHAPTER = "08-what-weights-show"


def _removal_trials():
    Q = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1]])
    K = np.array([[1.0, 3, 0, 1], [0, 1, 2, 2], [3, -1, 1, 0]])
    V = np.array([[2.0, 0], [0, 4], [-1, 3]])
    other = draw("a", 2, 4), draw("b", 3, 4), draw("c", 3, 2)
    wide = draw("d", 5, 6), draw("e", 4, 6), draw("f", 4, 3)
    square = draw("g", 4, 4), draw("h", 4, 4), draw("i", 4, 4)
    whole = draw_integers("j", 3, 4), draw_integers("k", 5, 4), draw_integers("l", 5, 2)
    far = np.array([[20.0, 20], [-20, -20]]), np.array([[50.0, 50], [50, 51], [49, 50]]), V
    ways = ("zero", "mean", "mask")
    return (
        trial("ordinary case", "the example", Q, K, V, 0, 1, "zero"),
        trial("ordinary case", "the example, mean", Q, K, V, 0, 1, "mean"),
        trial("ordinary case", "the example, mask", Q, K, V, 1, 2, "mask"),
        *(trial("ordinary case", f"other numbers, {how}", *other, 1, 0, how) for how in ways),
        *(trial("other sizes", f"five queries, four keys, {how}", *wide, 3, 2, how) for how in ways),
        *(trial("other sizes", f"square, {how}", *square, 2, 1, how) for how in ways),
        *(trial("other sizes", f"whole numbers, {how}", *whole, 2, 4, how, tags="integer") for how in ways),
        *(trial("other sizes", f"scores near 1000, {how}", *far, 0, 1, how, tags="extreme") for how in ways),
    )


content_removal = Function(
    name="content_removal",
    chapter=CHAPTER,
    parts={"ordinary case": 2.0, "other sizes": 1.5, "inputs untouched": 0.5},
    arguments=("Q", "K", "V", "query", "key", "how"),
    right=reference.content_removal,
    model=models_heads.content_removal,
    steps={
        "product": "the dot products",
        "scale": "the scale",
        "shift power normalise rework": "the softmax",
        "remove": "the removal",
        "measure": "the measure",
    },
    slips=slips_heads.CONTENT_REMOVAL,
    pairs=(*slips_heads.REMOVAL, *slips.PRODUCTS, *slips.SCALES[:3], *slips.SHIFTS),
    rules={"integer": rules.integer, "extreme": rules.extreme},
    draw=_removal_trials,
    shape="one number, the length of the change over the length of the output",
)

by_hand = Decimals(
    name="removal_by_hand",
    chapter=CHAPTER,
    points=3,
    labels=("zero", "mean", "mask"),
    right=(0.7615, 0.7496, 0.9553),
    close=0.002,  # lengths are carried on rounded
    slips=(
        (
            "removal-renormalised",
            (0.9553, 0.9553, 0.7615),
            "This answers another of the three questions: with zero and mean the weights stand still; with a mask the "
            "other weights are scaled up.",
        ),
        (
            "removal-measures-weights",
            (0.3, 0.3, 0.3),
            "This is the weight itself. Asked is how far the output moves: the weight times the length of r − v.",
        ),
        (
            "differs",
            (1.5, 1.4765, 1.8818),
            "This is how far the output moves. Divide it by the length of the output before the change.",
        ),
    ),
    otherwise="Work r − v first, then its length, times the weight, divided by the length of the output.",
)

MISTAKES = {
    "removal-renormalised": "the key was masked, and the other weights were scaled up",
    "removal-measures-weights": "the change of the weights was reported, not that of the output",
    "not-relative": "the distance was reported, not divided by the length of the output",
}
# Row 2 is right in both, although key 3 is masked there: values of one length at 60° in the first, at 90° in the second.
_FIRST = {
    "W": np.array([[0.5, 0.3, 0.2], [0.5, 0.5, 0], [0.2, 0.2, 0.6]]),
    "V": np.array([[2, 2, 0], [2, 0, 2], [0, 1, 4]]),
}
_SECOND = {
    "W": np.array([[0.5, 0.3, 0.2], [0.6, 0.4, 0], [0.25, 0.5, 0.25]]),
    "V": np.array([[4, 0], [0, 4], [1, 1]]),
}


def _zeroed(W, V):
    """The relative change of every query's output (rows) when a key's value becomes zero (columns)."""
    return W * np.linalg.norm(V, axis=1) / np.linalg.norm(W @ V, axis=1, keepdims=True)


def _masked(W, V):
    """The same when the key is masked: o′ − o = p (o − v) / (1 − p)."""
    out = W @ V
    moved = (W / (1 - W))[:, :, None] * (out[:, None, :] - V[None, :, :])
    return np.linalg.norm(moved, axis=-1) / np.linalg.norm(out, axis=1, keepdims=True)


spot_1 = Spot(
    name="shows_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs=_FIRST,
    wrong=_masked,
    right=_zeroed,
    answer="removal-renormalised",
    options=MISTAKES,
    would_show={
        "removal-measures-weights": "Then row 1 would be 0.81, 0.49 and 0.32: the weights divided by their own length.",
        "not-relative": "Then row 1 would begin with 0.5 times the length of [2, 2, 0], 1.41. It begins with 0.68.",
    },
)
spot_2 = Spot(
    name="shows_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs=_SECOND,
    wrong=lambda W, V: W / np.linalg.norm(W, axis=1, keepdims=True),
    right=_zeroed,
    answer="removal-measures-weights",
    options=MISTAKES,
    would_show={
        "removal-renormalised": "Then the values would count, and row 1 would begin with 0.87. It begins with 0.81.",
        "not-relative": "Then row 1 would begin with 0.5 · 4 = 2. It begins with 0.81.",
    },
)

EXERCISES = (by_hand, content_removal, spot_1, spot_2)
