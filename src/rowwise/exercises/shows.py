"""Exercises of chapter 08, what weights show."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models_heads, rules, slips, slips_heads
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial

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

EXERCISES = (content_removal,)
