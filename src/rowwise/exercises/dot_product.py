"""Exercises of chapter 01, the dot product."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models, slips
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial
from rowwise.exercises.plain import Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "01-dot-product"


def _trials():
    Q = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1]])
    K = np.array([[1.0, 3, 0, 1], [0, 1, 2, 2], [3, -1, 1, 0]])
    return (
        trial("ordinary case", "the example", Q, K),
        trial("ordinary case", "other numbers", draw("a", 2, 4), draw("b", 3, 4)),
        trial("other sizes", "five queries, three keys", draw("c", 5, 6), draw("d", 3, 6)),
        trial("other sizes", "three queries, seven keys", draw("e", 3, 2), draw("f", 7, 2)),
        trial("other sizes", "square", draw("g", 4, 4), draw("h", 4, 4), tags="square"),
        trial("other sizes", "one query", draw("i", 1, 5), draw("j", 4, 5)),
        trial("other sizes", "one key", draw("k", 4, 3), draw("l", 1, 3)),
        trial("other sizes", "float32", draw("m", 3, 5).astype(np.float32), draw("n", 4, 5).astype(np.float32)),
        trial("other sizes", "whole numbers", draw_integers("o", 3, 5), draw_integers("p", 4, 5)),
    )


scores = Function(
    name="scores",
    chapter=CHAPTER,
    parts={"ordinary case": 1.5, "other sizes": 1.0, "inputs untouched": 0.5},
    arguments=("Q", "K"),
    right=reference.scores,
    model=models.scores,
    steps={"product": "the dot products"},
    slips=(*slips.PRODUCTS, slips.SCALED_TOO_EARLY, *slips.TRUNCATED),
    pairs=slips.PRODUCTS,
    draw=_trials,
    shape="one row a query, one column a key",
)

scores_shape = Value(
    name="scores_shape",
    chapter=CHAPTER,
    points=1,
    right=(3, 4),
    tells={
        (4, 3): (
            "transposed-scores",
            "(4, 3) would be one row a key. Each query asks on its own: how many queries need a row?",
        ),
        (3, 5): (
            "elementwise-not-dot",
            "(3, 5) is the shape of Q. A dot product adds up the 5 products, so the width 5 goes away.",
        ),
        (4, 5): (
            "elementwise-not-dot",
            "(4, 5) is the shape of K. A dot product adds up the 5 products, so the width 5 goes away.",
        ),
        (3, 3): (
            "queries-with-queries",
            "(3, 3) compares queries with queries. Every query meets every key: count the keys again.",
        ),
        (4, 4): (
            "queries-with-queries",
            "(4, 4) compares keys with keys. Every query meets every key: count the queries again.",
        ),
        (5, 5): (
            "wrong-shape",
            "5 is the width of the vectors. It is added up in every dot product: count the vectors.",
        ),
    },
    otherwise="One number counts neither queries nor keys. A row is for a query, a column is for a key.",
)

MISTAKES = {
    "transposed-scores": "K Qᵀ was computed in the place of Q Kᵀ",
    "queries-with-queries": "queries were compared with queries; keys play no part",
    "cosine-not-dot": "vectors were brought to length 1 first",
    "elementwise-not-dot": "numbers were added without being multiplied",
    "values-in-scores": "queries were compared with values; keys play no part",
}


def _cosine(Q, K):
    def unit(X):
        return X / np.linalg.norm(X, axis=1, keepdims=True)

    return unit(Q) @ unit(K).T


spot_1 = Spot(
    name="dot_product_spot_1",
    chapter=CHAPTER,
    points=2,
    # Row 1 of the right scores equals their column 1, so only rows 2 and 3 show the transposition.
    inputs={"Q": np.array([[1, 0], [0, 2], [2, 1]]), "K": np.array([[1, 1], [2, 1], [3, -1]])},
    wrong=lambda Q, K: K @ Q.T,
    right=reference.scores,
    answer="transposed-scores",
    options=MISTAKES,
    would_show={
        "queries-with-queries": "Then row 1 would hold query 1 with each query: 1, 0, 2. It does not.",
        "cosine-not-dot": "Then no number could be larger than 1. Row 3 holds a 5.",
        "elementwise-not-dot": "Then row 1, column 1 would add up 1, 0, 1 and 1. A 1 stands there.",
        "values-in-scores": "Only Q and K went in, no values. Work a cell by hand, then find your number.",
    },
)
spot_2 = Spot(
    name="dot_product_spot_2",
    chapter=CHAPTER,
    points=2,
    # Queries 1 and 2 and every key have length 1, so only row 3 shows that lengths were taken away.
    inputs={"Q": np.array([[0, 1], [1, 0], [3, 4]]), "K": np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])},
    wrong=_cosine,
    right=reference.scores,
    answer="cosine-not-dot",
    options=MISTAKES,
    would_show={
        "transposed-scores": "Then there would be 4 rows, one a key. The output has 3 rows, one a query.",
        "queries-with-queries": "Then there would be 3 columns, one a query. The output has 4, one a key.",
        "elementwise-not-dot": "Then row 3, column 1 would add up 3, 4, 1 and 0. It is below 1.",
        "values-in-scores": "Only Q and K went in, no values. Ask what the program did to the long query.",
    },
)

row = RowExercise(
    name="dot_product_row",
    chapter=CHAPTER,
    row=Task(
        q=[2, 1, 0, -1],
        K=[[1, 2, 3, 1], [0, 1, 2, 2], [1, -1, 2, -1]],
        asks=("scores",),
        marks={"scores": 3},
    ),
)

EXERCISES = (row, scores_shape, scores, spot_1, spot_2)
