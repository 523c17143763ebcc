"""Exercises of chapter 03, the softmax of each row."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models, rules, slips
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial
from rowwise.exercises.plain import Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "03-rowwise-softmax"


def _trials():
    example = np.array([[2.0, 0, 1, -1], [1, 3, 0, 1]])
    near_1000 = np.array([[1000.0, 1001, 998.5], [-1000, -1002, -1000.5], [3, 1, 2]])
    apart = np.array([[900.0, 901], [-900, -898], [0, 1.5], [-2000, -2001]])
    huge = np.array([[1e30, 2, -1e30], [-1e30, 3, 1], [-2e30, -1e30, -3e30]])
    excluded = np.array([[-np.inf, 1, 2, 0], [3, -np.inf, -np.inf, 1]])
    return (
        trial("ordinary case", "the example", example),
        trial("ordinary case", "other numbers", draw("a", 2, 4, scale=2)),
        trial("ordinary case", "negative scores", -np.abs(draw("b", 2, 4, scale=2)) - 0.5),
        trial("other sizes", "five queries, three keys", draw("c", 5, 3, scale=2)),
        trial("other sizes", "three queries, seven keys", draw("d", 3, 7, scale=2)),
        trial("other sizes", "square", draw("e", 4, 4, scale=2)),
        trial("other sizes", "equal scores in a row", np.array([[2.0, 2, 2], [0, 0, 0], [1, 4, 2]])),
        trial("other sizes", "one query", draw("f", 1, 5)),
        trial("other sizes", "one key", draw("g", 4, 1)),
        trial("other sizes", "float32", draw("h", 3, 5).astype(np.float32)),
        trial("other sizes", "whole numbers", draw_integers("i", 3, 4), tags="integer"),
        trial("extreme scores", "scores near 1000", near_1000, tags="extreme"),
        trial("extreme scores", "rows far apart", apart, tags="extreme"),
        trial("extreme scores", "scores of 1e30", huge, tags="extreme"),
        trial("extreme scores", "scores of -inf", excluded, tags="extreme"),
    )


softmax_rows = Function(
    name="softmax_rows",
    chapter=CHAPTER,
    parts={"ordinary case": 2.0, "other sizes": 0.75, "extreme scores": 0.75, "inputs untouched": 0.5},
    arguments=("S",),
    right=reference.softmax_rows,
    model=models.soften,
    steps={
        "shift": "the maximum taken away",
        "power": "the exponential",
        "normalise": "the sum that divides",
    },
    slips=(*slips.SOFTMAX, *slips.TRUNCATED),
    pairs=slips.SOFTMAX,
    guesses=rules.softmax_temperature,
    rules={"integer": rules.integer, "extreme": rules.extreme},
    draw=_trials,
    shape="one row a query, one column a key",
)

row = RowExercise(
    name="softmax_row",
    chapter=CHAPTER,
    row=Task(scaled=[2, 0.5, -1], asks=("exponentials", "weights"), marks={"exponentials": 2, "weights": 2}),
)

softmax_rows_shape = Value(
    name="softmax_rows_shape",
    chapter=CHAPTER,
    points=1,
    right=(4, 1),
    tells={
        (1, 7): (
            "softmax-down-columns",
            "(1, 7) would be one sum a key: a sum down each column. A query gets a sum.",
        ),
        (4, 7): (
            "wrong-shape",
            "(4, 7) is the shape of the scores. A sum turns the 7 numbers of a row into one.",
        ),
        (1, 1): (
            "softmax-over-everything",
            "(1, 1) would be one sum for the whole matrix. Each query gets its own.",
        ),
        (7, 1): (
            "softmax-down-columns",
            "7 sums would be one a key. Count the queries: each one gets a sum.",
        ),
        (1, 4): (
            "sums-broadcast-wrong",
            "(1, 4) is a row: its numbers would line up with columns. A column is asked for.",
        ),
    },
    otherwise="One sum for each query, below one another. How many rows, how many columns?",
)

MISTAKES = {
    "softmax-down-columns": "each column was normalised, instead of each row",
    "softmax-over-everything": "one sum was taken for the whole matrix",
    "overflow": "no maximum was taken away before the exponential",
    "global-maximum": "one maximum was taken away for all rows together",
    "no-exponential": "the scores themselves were divided by their sum",
}


def _down_columns(S):
    e = np.exp(S)
    return e / e.sum(axis=0)


def _global_maximum(S):
    e = np.exp(S - S.max())
    return e / e.sum(axis=1, keepdims=True)


# The exponentials are 1, 2, 4 / 2, 4, 2 / 4, 1, 1: every column sums to 7, and so does row 1, right by luck.
spot_1 = Spot(
    name="softmax_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs={"S": np.log([[1.0, 2, 4], [2, 4, 2], [4, 1, 1]]).round(4)},
    wrong=_down_columns,
    right=reference.softmax_rows,
    answer="softmax-down-columns",
    options=MISTAKES,
    would_show={
        "softmax-over-everything": "Then all nine numbers together would sum to 1. Add up a column.",
        "overflow": "Then scores this small would do no harm. Add up row 2, then column 2.",
        "global-maximum": "With scores as near to each other as these, that would do no harm. Add up row 2.",
        "no-exponential": "Then a score of 0 would get a weight of 0. Row 1 starts with a score of 0.",
    },
)
spot_2 = Spot(
    name="softmax_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs={"S": np.array([[1001.0, 1000, 999], [1, 2, 3], [1000, 998, 1000]])},
    wrong=_global_maximum,
    right=reference.softmax_rows,
    answer="global-maximum",
    options=MISTAKES,
    would_show={
        "softmax-down-columns": "Then the columns would sum to 1. Rows 1 and 3 do.",
        "softmax-over-everything": "Then row 1 alone could not sum to 1. It does.",
        "overflow": "Then the rows with scores near 1000 would be nan. They are fine; look at the other one.",
        "no-exponential": "Then row 2 would be its scores divided by 6, and no nan would come of it.",
    },
)

EXERCISES = (row, softmax_rows_shape, softmax_rows, spot_1, spot_2)
