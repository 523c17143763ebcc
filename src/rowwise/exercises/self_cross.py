"""Exercises of chapter 06, self-attention and cross-attention. True in a mask = may attend."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models, rules, slips, slips_whole
from rowwise.exercises.attention_cases import ABOVE, NOT_ABOVE
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_mask, trial
from rowwise.exercises.plain import Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "06-self-and-cross-attention"
PARTS = {
    "ordinary case": 1.0,
    "other sizes": 0.5,
    "masks": 0.75,
    "extremes and empty rows": 0.25,
    "inputs untouched": 0.5,
}


def _matrices(seed: str, d_q: int, d_m: int, d_k: int, d_v: int) -> tuple:
    """Wq, Wk and Wv, no two alike."""
    return draw(f"{seed}q", d_q, d_k), draw(f"{seed}k", d_m, d_k), draw(f"{seed}v", d_m, d_v)


def _self_trials():
    X = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1], [0, 1, 1, 1]])
    square = draw("d", 4, 4), *_matrices("d", 4, 4, 4, 4)
    weights_seen = np.eye(4), draw("e", 4, 4), draw("f", 4, 4), np.eye(4)
    other_seen = np.eye(5), draw("g", 5, 3), draw("h", 5, 3), np.eye(5)
    narrow = tuple(A.astype(np.float32) for A in (draw("i", 3, 5), *_matrices("i", 5, 5, 4, 2)))
    nothing = np.tri(4, k=-1, dtype=bool)
    near_1000 = (
        np.diag([40.0, -40, 1, 2]),
        np.eye(4),
        50 * np.ones((4, 4)) + np.diag([1.0, 2, 3, 4]),
        np.eye(4),
    )
    lower, above = np.tri(4, dtype=bool), (np.eye(4), 2 * np.eye(4), ABOVE, np.eye(4), NOT_ABOVE)
    return (
        trial("ordinary case", "the example", X, *_matrices("a", 4, 4, 3, 2)),
        trial("ordinary case", "other numbers", draw("b", 3, 4), *_matrices("b", 4, 4, 3, 2)),
        trial("other sizes", "five positions", draw("c", 5, 6), *_matrices("c", 6, 6, 3, 4)),
        trial("other sizes", "square", *square),
        trial("other sizes", "X and Wv are identities", *weights_seen, tags="identity"),
        trial("other sizes", "X and Wv are identities, d_k = 3", *other_seen, tags="identity"),
        trial("other sizes", "one position", draw("j", 1, 4), *_matrices("j", 4, 4, 3, 2)),
        trial("other sizes", "float32", *narrow),
        trial("masks", "a mask", draw("k", 5, 4), *_matrices("k", 4, 4, 2, 3), draw_mask("k", 5, 5), tags="mask"),
        trial("masks", "square and a mask", *square, draw_mask("l", 4, 4), tags="mask"),
        trial("masks", "a causal mask, X and Wv identities", *weights_seen, lower, tags="mask identity"),
        trial("masks", "a mask, X and Wv identities", *weights_seen, draw_mask("n", 4, 4), tags="mask identity"),
        trial("extremes and empty rows", "scores near 1000", *near_1000, tags="extreme"),
        trial("extremes and empty rows", "an excluded score far above", *above, tags="mask dominates identity"),
        trial(
            "extremes and empty rows",
            "nothing to attend to",
            *weights_seen,
            nothing,
            tags="mask empty identity",
        ),
    )


self_attention = Function(
    name="self_attention",
    chapter=CHAPTER,
    parts=PARTS,
    arguments=("X", "Wq", "Wk", "Wv", "mask"),
    right=reference.self_attention,
    model=models.self_attention,
    steps={"project": "the projections", **models.ATTENTION_STEPS},
    slips=(*slips_whole.SELF_SOURCES, *slips.MODEL_SCALES, *slips_whole.ATTENTION),
    pairs=(*slips_whole.SELF_SOURCES, *slips.MODEL_SCALES, *slips_whole.ATTENTION_PAIRS),
    guesses=rules.attention_numbers(lambda X, Wq, Wk, *rest: (X @ Wq, X @ Wk)),
    rules=rules.ATTENTION,
    draw=_self_trials,
    shape="one row a position of X, as wide as Wv",
)


def _cross_trials():
    X = np.array([[1.0, 0, 2], [2, 1, 0]])
    M = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1], [0, 1, 1, 1]])
    square = draw("d", 4, 4), draw("D", 4, 4), *_matrices("d", 4, 4, 4, 4)
    seen = draw("e", 3, 5), np.eye(4), draw("f", 5, 4), draw("g", 4, 4), np.eye(4)
    square_seen = draw("h", 4, 4), np.eye(4), draw("h1", 4, 4), draw("h2", 4, 4), np.eye(4)
    narrow = tuple(A.astype(np.float32) for A in (draw("i", 3, 5), draw("I", 4, 6), *_matrices("i", 5, 6, 4, 2)))
    near_1000 = np.diag([40.0, -40, 1, 2]), np.eye(4), np.eye(4), square_seen[2] + 50, np.eye(4)
    above = 2 * np.eye(4)[:3], np.eye(4), np.eye(4), ABOVE.T @ np.eye(4), np.eye(4), NOT_ABOVE[:3]
    nothing = draw_mask("p", 3, 4)
    nothing[1] = False
    return (
        trial("ordinary case", "the example", X, M, *_matrices("a", 3, 4, 5, 2)),
        trial("ordinary case", "other numbers", draw("b", 2, 3), draw("B", 3, 4), *_matrices("b", 3, 4, 5, 2)),
        trial(
            "other sizes",
            "five queries, three keys",
            draw("c", 5, 6),
            draw("C", 3, 4),
            *_matrices("c", 6, 4, 3, 2),
        ),
        trial("other sizes", "equal widths", draw("j", 5, 4), draw("J", 3, 4), *_matrices("j", 4, 4, 3, 2)),
        trial("other sizes", "square", *square),
        trial("other sizes", "M and Wv are identities", *seen, tags="identity"),
        trial("other sizes", "square, M and Wv are identities", *square_seen, tags="identity"),
        trial("other sizes", "one query", draw("k", 1, 3), draw("K", 4, 2), *_matrices("k", 3, 2, 5, 3)),
        trial("other sizes", "float32", *narrow),
        trial(
            "masks",
            "a mask",
            draw("l", 5, 4),
            draw("L", 3, 6),
            *_matrices("l", 4, 6, 2, 3),
            draw_mask("l", 5, 3),
            tags="mask",
        ),
        trial("masks", "square and a mask", *square, draw_mask("m", 4, 4), tags="mask"),
        trial("masks", "a mask, M and Wv identities", *seen, draw_mask("n", 3, 4), tags="mask identity"),
        trial("extremes and empty rows", "scores near 1000", *near_1000, tags="extreme"),
        trial("extremes and empty rows", "an excluded score far above", *above, tags="mask dominates identity"),
        trial("extremes and empty rows", "nothing to attend to", *seen, nothing, tags="mask empty identity"),
    )


cross_attention = Function(
    name="cross_attention",
    chapter=CHAPTER,
    parts=PARTS,
    arguments=("X", "M", "Wq", "Wk", "Wv", "mask"),
    right=reference.cross_attention,
    model=models.cross_attention,
    steps={"project": "the projections", **models.ATTENTION_STEPS},
    slips=(*slips_whole.CROSS_SOURCES, *slips.MODEL_SCALES, *slips_whole.ATTENTION),
    pairs=(*slips_whole.CROSS_SOURCES, *slips.MODEL_SCALES, *slips_whole.ATTENTION_PAIRS),
    guesses=rules.attention_numbers(lambda X, M, Wq, Wk, *rest: (X @ Wq, M @ Wk)),
    rules=rules.ATTENTION,
    draw=_cross_trials,
    shape="one row a position of X, as wide as Wv",
)

row = RowExercise(
    name="cross_row",
    chapter=CHAPTER,
    row=Task(
        q=[2, 2, 3, 0],
        K=[[3, 0, 0, 2], [2, -1, 0, -2], [-1, 0, 1, 3]],
        V=[[0, 7], [6, -2], [7, 5]],
        asks=("scores", "scaled", "weights", "output"),
        marks={"scores": 1, "scaled": 1, "weights": 2, "output": 2},
    ),
)

projection_shapes = Value(
    name="projection_shapes",
    chapter=CHAPTER,
    points=2,
    right=(10, 16, 7, 16, 7, 20, 10, 7, 10, 20),
    tells={
        (10, 16, 10, 16, 10, 20, 10, 10, 10, 20): (
            "keys-from-queries",
            "These are shapes of self-attention. Keys and values come from the memory: how many positions has it?",
        ),
        (10, 16, 7, 16, 7, 20, 7, 10, 10, 20): (
            "transposed-scores",
            "Everything stands but the scores: they have one row a target position, one column a source position.",
        ),
        (10, 16, 7, 16, 7, 20, 10, 7, 10, 16): (
            "keys-as-values",
            "Everything stands but the output: it is a mixture of values, so how wide is it?",
        ),
        (10, 16, 7, 16, 7, 20, 10, 7, 7, 20): (
            "queries-from-memory",
            "Everything stands but the output: who asks, and so gets a row?",
        ),
    },
    otherwise="A projection keeps the rows and changes the width: (rows, old) times (old, new). Go one by one.",
)

MISTAKES = {
    "keys-from-queries": "keys and values were made from X; the memory plays no part",
    "queries-from-memory": "the two sequences changed places",
    "projection-swapped": "Wk made the values, and Wv the keys",
    "no-projection": "M itself was used for keys and values",
}
_INPUTS = {
    "X": np.array([[-1, 0], [0, 0], [4, 3]]),
    "M": np.array([[1, 0], [0, 1], [2, 1], [1, 2]]),
    "Wq": np.array([[1, 0], [0, 1]]),
    "Wk": np.array([[0, 1], [1, 0]]),
    "Wv": np.array([[1, 1], [0, 1]]),
}
# Query 2 is zero and returns the mean of the values, which X and M share; rows 1 and 3 lie outside the values of M.
spot_1 = Spot(
    name="cross_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs=_INPUTS,
    wrong=lambda X, M, Wq, Wk, Wv: reference.self_attention(X, Wq, Wk, Wv),
    right=reference.cross_attention,
    answer="keys-from-queries",
    options=MISTAKES,
    would_show={
        "queries-from-memory": "Then there would be 4 rows, one a row of M. The output has 3.",
        "projection-swapped": "Then the values would be M Wk, whose numbers lie between 0 and 2. Row 3 begins with 4.",
        "no-projection": "Then the values would be M, whose numbers lie between 0 and 2. Row 3 begins with 4.",
    },
)
spot_2 = Spot(
    name="cross_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs=_INPUTS,
    wrong=lambda X, M, Wq, Wk, Wv: reference.cross_attention(M, X, Wq, Wk, Wv),
    right=reference.cross_attention,
    answer="queries-from-memory",
    options=MISTAKES,
    would_show={
        "keys-from-queries": "Then there would be 3 rows, one a row of X. The output has 4.",
        "projection-swapped": "Then there would still be 3 rows, one a row of X. The output has 4.",
        "no-projection": "Then there would still be 3 rows, one a row of X. The output has 4.",
    },
)

EXERCISES = (row, projection_shapes, self_attention, cross_attention, spot_1, spot_2)
