"""Exercises of chapter 05, masking. True in a mask = may attend."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models, rules, slips, slips_masks, slips_whole
from rowwise.exercises.attention_cases import attention_trials
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, draw_mask, trial
from rowwise.exercises.plain import Spot, Value
from rowwise.rows import RowExercise, Task

CHAPTER = "05-masking"


def _masked_trials():
    S = np.array([[2.0, 0, 1, -1], [1, 3, 0, 1]])
    mask = np.array([[True, True, False, True], [False, True, False, True]])
    huge = np.array([[1e30, 2, -1e30], [-1e30, 1e30, 0]])
    return (
        trial("ordinary case", "the example", S, mask),
        trial("ordinary case", "other numbers", draw("a", 2, 4), draw_mask("b", 2, 4)),
        trial("other masks and sizes", "five queries, three keys", draw("c", 5, 3), draw_mask("d", 5, 3)),
        trial("other masks and sizes", "square", draw("e", 4, 4), draw_mask("f", 4, 4)),
        trial("other masks and sizes", "everything permitted", draw("g", 3, 4), np.ones((3, 4), dtype=bool)),
        trial("other masks and sizes", "a row with nothing permitted", draw("h", 3, 4), _with_an_empty_row("i")),
        trial("other masks and sizes", "scores of 1e30", huge, draw_mask("j", 2, 3)),
        trial("other masks and sizes", "float32", draw("k", 3, 5).astype(np.float32), draw_mask("l", 3, 5)),
        trial(
            "other masks and sizes",
            "whole numbers",
            draw_integers("m", 3, 4),
            draw_mask("n", 3, 4),
            tags="integer",
        ),
    )


def _with_an_empty_row(seed: str):
    mask = draw_mask(seed, 3, 4)
    mask[1] = False
    return mask


masked_scores = Function(
    name="masked_scores",
    chapter=CHAPTER,
    parts={"ordinary case": 1.0, "other masks and sizes": 0.5, "inputs untouched": 0.5},
    arguments=("S", "mask"),
    right=reference.masked_scores,
    model=models.masked_scores,
    steps={},
    slips=(*slips_masks.EXCLUSIONS, *slips_masks.TOO_WEAK, *slips.TRUNCATED),
    guesses=rules.masked_penalty,
    rules={"integer": rules.integer},
    exact=True,
    draw=_masked_trials,
    shape="the shape of S",
)


def _causal_trials():
    return tuple(
        trial("ordinary case" if n == 4 else "other sizes", "the example" if n == 4 else f"n = {n}", n)
        for n in (4, 1, 2, 3, 5, 8)
    )


def _as_booleans(values):
    """Numbers that stand for booleans, as booleans; and that they were numbers."""
    numbers = [value for value in values if value is not None and value.dtype != bool]
    if not numbers:
        return values, ""
    if any(np.isneginf(value).any() for value in numbers):
        return [None if value is None else value == 0 for value in values], "wrong-type"
    if all(np.isin(value, (0, 1)).all() for value in numbers):
        return [None if value is None else value == 1 for value in values], "wrong-type"
    return values, ""


causal_mask = Function(
    name="causal_mask",
    chapter=CHAPTER,
    parts={"ordinary case": 1.0, "other sizes": 1.0},
    arguments=("n",),
    right=reference.causal_mask,
    model=lambda n, *, pattern=reference.causal_mask: pattern(n),
    steps={},
    slips=slips_masks.CAUSAL,
    unpack=_as_booleans,
    draw=_causal_trials,
    shape="n rows of n booleans, True = may attend",
)


attention = Function(
    name="attention",
    chapter=CHAPTER,
    parts={
        "ordinary case": 1.5,
        "other sizes": 0.75,
        "masks": 1.25,
        "extreme scores": 0.5,
        "nothing permitted": 0.5,
        "inputs untouched": 0.5,
    },
    arguments=("Q", "K", "V", "mask"),
    right=reference.attention,
    model=models.attention,
    steps=models.ATTENTION_STEPS,
    slips=slips_whole.ATTENTION,
    pairs=slips_whole.ATTENTION_PAIRS,
    guesses=rules.attention_numbers(lambda Q, K, *rest: (Q, K)),
    rules=rules.ATTENTION,
    draw=attention_trials,
    shape="one row a query, as wide as the values",
)

# The excluded key has the largest score, so that leaving it in, or zeroing it too late, changes every weight.
mask_row = RowExercise(
    name="mask_row",
    chapter=CHAPTER,
    row=Task(
        scaled=[1, 0.5, 2, -0.5],
        V=[[4, 1], [-2, 3], [5, 6], [0, 2]],
        mask=[True, True, False, True],
        asks=("masked", "weights", "output"),
        marks={"masked": 1, "weights": 2, "output": 2},
    ),
)

attention_row = RowExercise(
    name="attention_row",
    chapter=CHAPTER,
    row=Task(
        q=[1, 2, -1, 0],
        K=[[3, 1, 2, 4], [0, 1, -2, 1], [2, -1, 1, 3]],
        V=[[2, 5], [6, -1], [-3, 4]],
        asks=("scores", "scaled", "weights", "output"),
        marks={"scores": 1, "scaled": 1, "weights": 2, "output": 2},
    ),
)

converted_mask = Value(
    name="converted_mask",
    chapter=CHAPTER,
    points=1,
    right=(1, 0, 0, 1, 1, 0),
    tells={
        (0, 1, 1, 0, 0, 1): (
            "mask-inverted",
            "These are the same truth values as before. There True means ignored; here it means may attend.",
        ),
        (1, 1, 0, 1, 0, 0): (
            "mask-transposed",
            "Query 1 may use two keys here. Read the first row of the mask again: how many of its keys are ignored?",
        ),
    },
    otherwise="Go cell by cell: ignored there is excluded here, and what is not ignored may be attended to.",
)
mask_shape = Value(
    name="mask_shape",
    chapter=CHAPTER,
    points=1,
    right=(5, 3),
    tells={
        (3, 5): (
            "mask-transposed",
            "(3, 5) would be one row a key. Each query has a row of its own: how many queries?",
        ),
        (5, 8): (
            "wrong-shape",
            "(5, 8) is the shape of Q. A mask says who may meet whom, not what their numbers are.",
        ),
        (3, 8): (
            "wrong-shape",
            "(3, 8) is the shape of K. A mask says who may meet whom, not what their numbers are.",
        ),
        (5, 5): (
            "wrong-shape",
            "(5, 5) would pair queries with queries. Each query meets the keys: how many keys?",
        ),
        (3, 3): ("wrong-shape", "(3, 3) would pair keys with keys. Each query has a row: how many queries?"),
    },
    otherwise="A mask has a truth value for each query with each key, so it has the shape of the scores.",
)

MISTAKES = {
    "mask-after-softmax": "weights were set to zero after softmax",
    "mask-zeroes-scores": "excluded scores were set to 0 before softmax",
    "mask-too-weak": "10 was taken from excluded scores before softmax",
    "mask-inverted": "permitted and excluded keys were swapped",
    "mask-ignored": "the mask was never used",
}


def _weights_after(W, mask):
    return np.where(mask, W, 0)


def _identity_values(queries, keys, mask):
    """Inputs whose values are the identity, so that the output is the weights."""
    return {
        "Q": np.array(queries),
        "K": np.array(keys),
        "V": np.eye(len(keys), dtype=int),
        "mask": np.array(mask, dtype=bool),
    }


_QUERIES, _KEYS = [[2, 0], [0, 2], [2, 2]], [[1, 0], [0, 1], [1, 1]]
# In each, one row permits every key and comes out right.
spot_1 = Spot(
    name="masking_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs=_identity_values(_QUERIES, _KEYS, [[1, 1, 0], [1, 1, 1], [0, 1, 1]]),
    wrong=lambda Q, K, V, mask: _weights_after(reference.weights(Q, K), mask) @ V,
    right=reference.attention,
    answer="mask-after-softmax",
    options=MISTAKES,
    would_show={
        "mask-zeroes-scores": "Then excluded cells would keep weight. Here each of them is 0.",
        "mask-too-weak": "Then excluded cells would keep a little weight, and every row would sum to 1. Add up row 1.",
        "mask-inverted": "Then row 1 would hold weight on key 3 alone. It holds weight on keys 1 and 2.",
        "mask-ignored": "Then no cell would be 0. Two cells are, and they are the excluded ones.",
    },
)
spot_2 = Spot(
    name="masking_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs=_identity_values(_QUERIES, _KEYS, [[1, 1, 1], [1, 0, 1], [1, 1, 0]]),
    wrong=lambda Q, K, V, mask: reference.softmax_rows(np.where(mask, reference.scaled_scores(Q, K), 0)) @ V,
    right=reference.attention,
    answer="mask-zeroes-scores",
    options=MISTAKES,
    would_show={
        "mask-after-softmax": "Then excluded cells would be 0. Row 2 holds 0.16 on key 2, which its mask excludes.",
        "mask-too-weak": "Then an excluded weight would be tiny. Row 2 holds 0.16 on key 2.",
        "mask-inverted": "Then row 2 would hold all its weight on key 2. It holds 0.16 there.",
        "mask-ignored": "Then row 2 would hold equal weights on keys 2 and 3: both scores are 2. They differ.",
    },
)

EXERCISES = (
    converted_mask,
    mask_row,
    attention_row,
    mask_shape,
    masked_scores,
    causal_mask,
    attention,
    spot_1,
    spot_2,
)
