"""Exercises of chapter 07, batches and heads. True in a mask = may attend."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models_heads, rules, slips_heads
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, draw_mask, trial
from rowwise.exercises.plain import Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "07-batches-and-heads"


def _split_trials():
    return (
        trial("ordinary case", "the example", 10.0 * np.arange(1, 4)[:, None] + np.arange(4), 2),
        trial("ordinary case", "other numbers", draw("a", 3, 4), 2),
        trial("other sizes", "three heads of two", draw("b", 5, 6), 3),
        trial("other sizes", "a batch", draw("c", 2, 5, 12), 3),
        trial("other sizes", "two axes in front", draw("d", 2, 3, 4, 6), 2),
        trial("other sizes", "as many heads as positions", draw("e", 2, 2, 4), 2),
        trial("other sizes", "one head", draw("f", 3, 4), 1),
        trial("other sizes", "heads one wide", draw("g", 2, 3, 4), 4),
        trial("other sizes", "one position", draw("h", 1, 6), 2),
        trial("other sizes", "whole numbers", draw_integers("i", 4, 6), 2),
    )


split_heads = Function(
    name="split_heads",
    chapter=CHAPTER,
    parts={"ordinary case": 1.5, "other sizes": 1.0, "inputs untouched": 0.5},
    arguments=("X", "heads"),
    right=reference.split_heads,
    model=models_heads.split_heads,
    steps={},
    slips=slips_heads.SPLITS,
    exact=True,
    draw=_split_trials,
    shape="(…, heads, n, d), a matrix a head",
)


def _merge_trials():
    numbered = 10.0 * np.arange(1, 4)[:, None] + np.arange(4)
    return (
        trial("ordinary case", "the example", reference.split_heads(numbered, 2).copy()),
        trial("ordinary case", "other numbers", draw("a", 2, 3, 2)),
        trial("other sizes", "three heads of two", draw("b", 3, 5, 2)),
        trial("other sizes", "a batch", draw("c", 2, 3, 5, 4)),
        trial("other sizes", "two axes in front", draw("d", 2, 3, 2, 4, 3)),
        trial("other sizes", "as many heads as positions", draw("e", 2, 2, 2, 2)),
        trial("other sizes", "one head", draw("f", 1, 3, 4)),
        trial("other sizes", "heads one wide", draw("g", 2, 4, 3, 1)),
        trial("other sizes", "one position", draw("h", 2, 1, 3)),
        trial("other sizes", "whole numbers", draw_integers("i", 2, 4, 3)),
    )


merge_heads = Function(
    name="merge_heads",
    chapter=CHAPTER,
    parts={"ordinary case": 1.0, "other sizes": 0.5, "inputs untouched": 0.5},
    arguments=("X",),
    right=reference.merge_heads,
    model=models_heads.merge_heads,
    steps={},
    slips=slips_heads.MERGES,
    exact=True,
    draw=_merge_trials,
    shape="(…, n, heads · d), the heads side by side",
)


def _matrices(seed: str, width: int) -> tuple:
    """Wq, Wk, Wv and Wo, no two alike."""
    return tuple(draw(f"{seed}{which}", width, width) for which in ("q", "k", "v", "o"))


def _multi_trials():
    batch = draw("c", 2, 5, 6), *_matrices("c", 6), 3
    square = draw("d", 2, 2, 4), *_matrices("d", 4), 2
    masks = np.stack([draw_mask("e", 5, 5), draw_mask("E", 5, 5)])
    square_masks = np.stack([np.tri(2, dtype=bool), np.ones((2, 2), dtype=bool)])
    nothing = np.tri(4, k=-1, dtype=bool)
    narrow = [A.astype(np.float32) for A in (draw("f", 2, 3, 4), *_matrices("f", 4))]
    near_1000 = 12 * draw("g", 3, 4), *(np.round(12 * W) for W in _matrices("g", 4)), 2
    return (
        trial("ordinary case", "the example", draw("a", 3, 4), *_matrices("a", 4), 2),
        trial("ordinary case", "other numbers", draw("b", 3, 4), *_matrices("b", 4), 2),
        trial("other sizes", "a batch", *batch),
        trial("other sizes", "as many sentences, heads and positions", *square),
        trial("other sizes", "heads, positions and width alike", draw("j", 4, 4, 16), *_matrices("j", 16), 4),
        trial("other sizes", "one head", draw("h", 3, 4), *_matrices("h", 4), 1),
        trial("other sizes", "heads one wide", draw("i", 2, 3, 4), *_matrices("i", 4), 4),
        trial("other sizes", "float32", *narrow, 2),
        trial("masks", "a mask", draw("k", 4, 6), *_matrices("k", 6), 2, draw_mask("k", 4, 4), tags="mask"),
        trial(
            "masks",
            "a causal mask",
            draw("l", 5, 4),
            *_matrices("l", 4),
            2,
            np.tri(5, dtype=bool),
            tags="mask",
        ),
        trial("masks", "a batch, a mask for each", *batch, masks, tags="mask"),
        trial("masks", "a small batch, a mask for each", *square, square_masks, tags="mask"),
        trial("extremes and empty rows", "large scores", *near_1000, tags="extreme"),
        trial(
            "extremes and empty rows",
            "nothing to attend to",
            draw("m", 4, 4),
            *_matrices("m", 4),
            2,
            nothing,
            tags="mask empty",
        ),
    )


multi_head_attention = Function(
    name="multi_head_attention",
    chapter=CHAPTER,
    parts={
        "ordinary case": 1.5,
        "other sizes": 1.0,
        "masks": 0.75,
        "extremes and empty rows": 0.25,
        "inputs untouched": 0.5,
    },
    arguments=("X", "Wq", "Wk", "Wv", "Wo", "heads", "mask"),
    right=reference.multi_head_attention,
    model=models_heads.multi_head_attention,
    steps=models_heads.HEADS_STEPS,
    slips=slips_heads.HEADS,
    pairs=slips_heads.HEADS_PAIRS,
    rules={"extreme": rules.extreme, "empty": rules.empty},
    draw=_multi_trials,
    shape="(…, n, d_model), one row a position",
)

row = RowExercise(
    name="heads_row",
    chapter=CHAPTER,
    row=Task(
        q=[-1, 3, 1, -1],
        K=[[2, 2, -1, 2], [-1, 1, 3, 3], [3, 2, 3, -1]],
        V=[[-2, -4], [3, -1], [-2, -2]],
        asks=("scores", "scaled", "weights", "output"),
        marks={"scores": 1, "scaled": 1, "weights": 2, "output": 2},
    ),
)

shapes = Value(
    name="heads_shapes",
    chapter=CHAPTER,
    points=2,
    right=(2, 3, 5, 4, 2, 3, 5, 5, 2, 5, 12),
    tells={
        (2, 5, 3, 4, 2, 3, 5, 5, 2, 5, 12): (
            "reshape-for-transpose",
            "Cut into heads, the axes still stand as (batch, position, head, feature). Which order is asked for?",
        ),
        (2, 3, 5, 12, 2, 3, 5, 5, 2, 5, 12): (
            "wrong-shape",
            "The heads share the 12 features between them: how many does each of 3 heads get?",
        ),
        (2, 3, 5, 4, 2, 5, 5, 5, 2, 5, 12): (
            "wrong-shape",
            "Scores have the axes (batch, head, query, key): each head has a matrix of its own.",
        ),
    },
    otherwise="Axes come in the order (batch, head, position, feature). Go through the three shapes one by one.",
)

MISTAKES = {
    "reshape-for-transpose": "the array was reshaped straight to (heads, n, d)",
    "heads-interleaved": "features were dealt out to the heads in turn",
    "heads-averaged": "the heads were averaged",
    "transposed-batch": "all axes were turned round first",
}
# Each number says where it comes from: 23 is position 2, feature 3.
_NUMBERED = {"X": 10 * np.arange(1, 4)[:, None] + np.arange(4)}


def _first_head(X):
    return reference.split_heads(X, 2)[0]


spot_1 = Spot(
    name="heads_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs=_NUMBERED,
    wrong=lambda X: X.reshape(2, 3, 2)[0],
    right=_first_head,
    answer="reshape-for-transpose",
    options=MISTAKES,
    would_show={
        "heads-interleaved": "Then row 1 would hold features 0 and 2: 10 and 12. It holds 10 and 11.",
        "heads-averaged": "Then row 1 would hold the mean of both heads, 11 and 12. It holds 10 and 11.",
        "transposed-batch": "Then row 1 would hold numbers of different positions. Both of its numbers begin with 1.",
    },
)
spot_2 = Spot(
    name="heads_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs=_NUMBERED,
    wrong=lambda X: X.reshape(3, 2, 2)[:, :, 0],
    right=_first_head,
    answer="heads-interleaved",
    options=MISTAKES,
    would_show={
        "reshape-for-transpose": "Then row 2 would still be of position 1: 12 and 13. It holds 20 and 22.",
        "heads-averaged": "Then row 1 would hold the mean of both heads, 11 and 12. It holds 10 and 12.",
        "transposed-batch": "Then row 1 would hold numbers of different positions. Both of its numbers begin with 1.",
    },
)

EXERCISES = (row, shapes, split_heads, merge_heads, multi_head_attention, spot_1, spot_2)
