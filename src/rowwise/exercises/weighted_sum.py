"""Exercises of chapter 04, the weighted sum."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models, rules, slips, slips_whole
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, draw_weights, trial
from rowwise.exercises.plain import Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "04-weighted-sum"


def _trials():
    W = np.array([[0.5, 0.25, 0.25], [0.1, 0.7, 0.2]])
    V = np.array([[2.0, 0, 1, -4], [0, 4, 1, 2], [6, 2, -3, 0]])
    narrow = draw_weights("m", 3, 5).astype(np.float32), draw("n", 5, 2).astype(np.float32)
    return (
        trial("ordinary case", "the example", W, V),
        trial("ordinary case", "other numbers", draw_weights("a", 2, 3), draw("b", 3, 4)),
        trial("other sizes", "five queries, three keys", draw_weights("c", 5, 3), draw("d", 3, 2)),
        trial("other sizes", "three queries, seven keys", draw_weights("e", 3, 7), draw("f", 7, 4)),
        trial("other sizes", "square", draw_weights("g", 4, 4), draw("h", 4, 4)),
        trial("other sizes", "one query", draw_weights("i", 1, 4), draw("j", 4, 3)),
        trial("other sizes", "one key", np.ones((4, 1)), draw("k", 1, 3)),
        trial("other sizes", "values one wide", draw_weights("q", 3, 4), draw("r", 4, 1)),
        trial("other sizes", "float32", *narrow),
        trial(
            "other sizes",
            "values in whole numbers",
            draw_weights("o", 3, 4),
            draw_integers("p", 4, 5),
            tags="integer",
        ),
    )


mix_values = Function(
    name="mix_values",
    chapter=CHAPTER,
    parts={"ordinary case": 1.5, "other sizes": 1.0, "inputs untouched": 0.5},
    arguments=("W", "V"),
    right=reference.mix_values,
    model=models.mix_values,
    steps={"mix": "the weighted sum"},
    slips=(*slips.LARGEST, *slips_whole.MIXES[1:], *slips.AFTERWARDS[2:], *slips.TRUNCATED),
    rules={"integer": rules.integer},
    draw=_trials,
    shape="one row a query, as wide as the values",
)

row = RowExercise(
    name="mix_row",
    chapter=CHAPTER,
    row=Task(
        scaled=[0.8, -0.4],
        V=[6, -2],
        asks=("weights", "products", "output"),
        marks={"weights": 3, "products": 2, "output": 2},
    ),
)

mix_values_shape = Value(
    name="mix_values_shape",
    chapter=CHAPTER,
    points=1,
    right=(3, 2),
    tells={
        (3, 5): (
            "weights-not-summed",
            "(3, 5) is the shape of the weights. The 5 keys are added up in every mixture: what is left is as wide as a value.",
        ),
        (5, 2): (
            "transposed-mix",
            "(5, 2) is the shape of the values, one row a key. Who asks, and so gets a row of output?",
        ),
        (2, 3): (
            "transposed-mix",
            "(2, 3) holds the right numbers the other way round. Rows come first: a row for whom?",
        ),
        (3, 4): (
            "keys-as-values",
            "4 is the width of a key. Keys decide the weights and are not returned: what is mixed, and how wide is it?",
        ),
    },
    otherwise="A row of output belongs to a query, and it is as wide as the things that are mixed.",
)

MISTAKES = {
    "transposed-mix": "Wᵀ V was computed in the place of W V",
    "mean-of-values": "the weights were ignored and the plain mean of the values returned",
    "argmax": "the value with the largest weight was returned whole",
    "weights-not-summed": "each value was multiplied by its weight, and the products were not added up",
}
_VALUES = "Then every row would be the same, the mean of the three values."
_UNSUMMED = "Then each query would have three rows, one a key. The output has one row a query."
spot_1 = Spot(
    name="mix_spot_1",
    chapter=CHAPTER,
    points=2,
    # Row 1 of the weights equals their column 1, so only rows 2 and 3 show the transposition.
    inputs={
        "W": np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0, 0.75]]),
        "V": np.array([[4, 0], [0, 8], [8, 4]]),
    },
    wrong=lambda W, V: W.T @ V,
    right=reference.mix_values,
    answer="transposed-mix",
    options=MISTAKES,
    would_show={
        "mean-of-values": _VALUES,
        "argmax": "Then each row would be one of the three values. [4, 3] is none of them.",
        "weights-not-summed": _UNSUMMED,
    },
)
spot_2 = Spot(
    name="mix_spot_2",
    chapter=CHAPTER,
    points=2,
    # Row 1 of the weights holds a single 1, so there the largest takes all rightly.
    inputs={
        "W": np.array([[0, 1, 0], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]),
        "V": np.array([[2, 0], [0, 4], [6, 2]]),
    },
    wrong=lambda W, V: V[W.argmax(axis=1)],
    right=reference.mix_values,
    answer="argmax",
    options=MISTAKES,
    would_show={
        "mean-of-values": _VALUES,
        "transposed-mix": "Then row 1 would mix by column 1 of W: 0.6 of value 2 and 0.1 of value 3. It is value 2 whole.",
        "weights-not-summed": _UNSUMMED,
    },
)

EXERCISES = (row, mix_values_shape, mix_values, spot_1, spot_2)
