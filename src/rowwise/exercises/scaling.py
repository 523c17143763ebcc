"""Exercises of chapter 02, scaling."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models, rules, slips
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial
from rowwise.exercises.plain import Match, Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "02-scaling"


def _trials():
    Q = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1]])
    K = np.array([[1.0, 3, 0, 1], [0, 1, 2, 2], [3, -1, 1, 0]])
    narrow = [draw(seed, 3, 5).astype(np.float32) for seed in "mn"]
    return (
        trial("ordinary case", "the example", Q, K),
        trial("ordinary case", "other numbers", draw("a", 2, 4), draw("b", 3, 4)),
        trial("other sizes", "five queries, three keys", draw("c", 5, 6), draw("d", 3, 6)),
        trial("other sizes", "three queries, seven keys", draw("e", 3, 2), draw("f", 7, 2)),
        trial("other sizes", "square", draw("g", 5, 5), draw("h", 5, 5)),
        trial("other sizes", "one query", draw("i", 1, 6), draw("j", 4, 6)),
        trial("other sizes", "one key", draw("k", 4, 3), draw("l", 1, 3)),
        trial("other sizes", "width 1", draw("q", 3, 1), draw("r", 4, 1)),
        trial("other sizes", "float32", *narrow),
        trial(
            "other sizes",
            "whole numbers",
            draw_integers("o", 3, 5),
            draw_integers("p", 4, 5),
            tags="integer",
        ),
    )


scaled_scores = Function(
    name="scaled_scores",
    chapter=CHAPTER,
    parts={"ordinary case": 1.5, "other sizes": 1.0, "inputs untouched": 0.5},
    arguments=("Q", "K"),
    right=reference.scaled_scores,
    model=models.scaled_scores,
    steps={"product": "the dot products", "scale": "the scale"},
    slips=(*slips.PRODUCTS, *slips.SCALES, *slips.TRUNCATED),
    pairs=(*slips.PRODUCTS, *slips.SCALES[:7]),
    guesses=rules.fixed_divisor,
    rules={"integer": rules.integer},
    draw=_trials,
    shape="one row a query, one column a key",
)

row = RowExercise(
    name="scaling_row",
    chapter=CHAPTER,
    row=Task(
        q=[2, -1, 3, 1],
        K=[[1, 2, 0, 3], [3, 1, 1, -2], [-1, 0, 2, -5]],
        asks=("scores", "scaled"),
        marks={"scores": 2, "scaled": 2},
    ),
)

# 2 queries, 6 keys, width 9, values 4 wide: every wrong size has a root of its own.
scaled_scores_shape = Value(
    name="scaled_scores_shape",
    chapter=CHAPTER,
    points=1,
    right=(2, 6, 3),
    tells={
        (6, 2, 3): ("transposed-scores", "The divisor fits. (6, 2) would be one row a key; who gets a row?"),
        (2, 6, 9): ("scaled-by-width", "The shape fits. 9 is the width d_k itself; what is its root?"),
        (2, 6, 2): ("scaled-by-wrong-size", "The shape fits. 2 is the root of 4, and the values are 4 wide."),
        (2, 6, 1): ("no-scaling", "The shape fits. Dividing by 1 leaves every score as it was."),
        (2, 6, 81): ("scaled-by-width", "The shape fits. The root of the width is wanted, not its square."),
        (2, 9, 3): ("elementwise-not-dot", "The divisor fits. (2, 9) is the shape of Q; the 9 is added up."),
        (2, 4, 3): (
            "values-in-scores",
            "The divisor fits. 4 is the width of a value; no score holds a value.",
        ),
    },
    otherwise="Count queries, then keys. The third number is the root of the width of a key.",
)

MISTAKES = {
    "no-scaling": "nothing was divided",
    "scaled-by-width": "the scores were divided by d_k, without the root",
    "scaled-wrong-way": "the scores were multiplied by √d_k",
    "cosine-not-dot": "vectors were brought to length 1 first",
    "transposed-scores": "K Qᵀ was computed in the place of Q Kᵀ",
}
# Query 1 is at right angles to every key: its zeros stay zeros whatever they are divided by.
spot_1 = Spot(
    name="scaling_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs={
        "Q": np.array([[1, 1, 0, 0], [2, 0, 1, 3], [0, 1, 2, -1]]),
        "K": np.array([[1, -1, 2, 0], [3, -3, 1, 1], [0, 0, 4, 2], [-2, 2, 0, 1]]),
    },
    wrong=reference.scores,
    right=reference.scaled_scores,
    answer="no-scaling",
    options=MISTAKES,
    would_show={
        "scaled-by-width": "Then row 2, column 1 would be 4 divided by 4. A 4 stands there.",
        "scaled-wrong-way": "Then every number would be even. Look at row 2, column 4.",
        "cosine-not-dot": "Then no number could be larger than 1.",
        "transposed-scores": "Then row 1 would hold query 1, 2 and 3 with key 1. Work one of them by hand.",
    },
)
# Only query 2 is at right angles to every key here.
spot_2 = Spot(
    name="scaling_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs={
        "Q": np.array([[1, 0, 2, 0], [0, 1, 0, -1], [3, 1, 0, 1]]),
        "K": np.array([[2, 1, 0, 1], [1, 0, 3, 0], [0, 2, -1, 2]]),
    },
    wrong=lambda Q, K: Q @ K.T * 2,
    right=reference.scaled_scores,
    answer="scaled-wrong-way",
    options=MISTAKES,
    would_show={
        "no-scaling": "Then row 1, column 1 would be 1·2 + 0·1 + 2·0 + 0·1 = 2. It is not 2.",
        "scaled-by-width": "Then the numbers would be smaller than the scores. Work row 1, column 1 by hand.",
        "cosine-not-dot": "Then no number could be larger than 1.",
        "transposed-scores": "Then query 2, the one with zeros, would fill a column. It fills row 2.",
    },
)

places = Match(
    name="scaling_places",
    chapter=CHAPTER,
    points=4,
    inputs={"scores": np.array([[12, -6, 24, 0]])},
    programs={
        "A": lambda S: S / np.sqrt(4),
        "B": lambda S: S,
        "C": lambda S: S / 16,
        "D": lambda S: S / np.sqrt(9),
    },
    answers={"A": "root-of-n_k", "B": "values-divided", "C": "no-root", "D": "root-of-d_v"},
    options={
        "values-divided": "the scores were left alone, and the values were divided by √d_k",
        "root-of-n_k": "the scores were divided by the root of the number of keys",
        "root-of-d_v": "the scores were divided by the root of the values' width",
        "no-root": "the scores were divided by d_k",
        "multiplied": "the scores were multiplied by √d_k",
    },
    hint="Divide a score by the program's number in the same place. Which size is that, or has that root?",
)

EXERCISES = (row, scaled_scores_shape, scaled_scores, spot_1, spot_2, places)
