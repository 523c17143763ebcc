"""Exercises of chapter 09, cost and memory."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models_heads, rules, slips, slips_heads
from rowwise.exercises.decimals import Decimals
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial
from rowwise.exercises.plain import Spot

CHAPTER = "09-cost-and-memory"


def _streaming_trials():
    Q = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1]])
    K = np.array([[0.0, 1, 2, 2], [1, 3, 0, 1], [3, -1, 1, 0], [1, 1, 1, -2]])
    V = np.array([[2.0, 0], [0, 4], [-1, 3], [1, 1]])
    rising = np.array([[1.0], [-1]]), np.arange(6.0)[:, None], draw("h", 6, 2)
    deep = (
        np.array([[10.0, 10, 10, 10], [0, 1, 0, 2]]),
        -np.array([[40.0] * 4, [41, 40, 40, 40], [40, 40, 39, 39]]),
    )
    high = (
        np.array([[10.0, 10, 10, 10], [0, 1, 0, 1]]),
        np.array([[50.0] * 4, [51, 50, 50, 50], [49, 50, 50, 50]]),
    )
    narrow = [A.astype(np.float32) for A in (draw("i", 3, 5), draw("j", 5, 5), draw("k", 5, 2))]
    whole = draw_integers("l", 3, 4), draw_integers("m", 5, 4), draw_integers("n", 5, 2)
    wide = draw("d", 5, 6), draw("e", 7, 6), draw("f", 7, 3)
    return (
        trial("ordinary case", "the example", Q, K, V, 2),
        trial("ordinary case", "other numbers", draw("a", 2, 4), draw("b", 4, 4), draw("c", 4, 2), 2),
        trial("ordinary case", "the largest score comes last, and first", *rising, 2),
        trial("other sizes", "blocks of one key", *wide, 1),
        trial("other sizes", "one block for all keys", *wide, 7),
        trial("other sizes", "three blocks for six keys", draw("o", 3, 2), draw("p", 6, 2), draw("q", 6, 5), 2),
        trial("other sizes", "square", draw("r", 4, 4), draw("s", 4, 4), draw("t", 4, 4), 2),
        trial("other sizes", "float32", *narrow, 5),
        trial("other sizes", "whole numbers", *whole, 1, tags="integer"),
        trial("last block", "seven keys in blocks of three", *wide, 3, tags="last"),
        trial(
            "last block",
            "five keys in blocks of two",
            draw("u", 3, 4),
            draw("v", 5, 4),
            draw("w", 5, 2),
            2,
            tags="last",
        ),
        trial(
            "last block",
            "a block larger than all keys",
            draw("x", 2, 3),
            draw("y", 3, 3),
            draw("z", 3, 4),
            8,
            tags="last",
        ),
        trial("extreme scores", "scores of -800", *deep, V[:3], 1, tags="extreme"),
        trial("extreme scores", "scores near 1000", *high, V[:3], 1, tags="extreme"),
    )


streaming_attention = Function(
    name="streaming_attention",
    chapter=CHAPTER,
    parts={
        "ordinary case": 1.5,
        "other sizes": 0.75,
        "last block": 0.75,
        "extreme scores": 0.5,
        "inputs untouched": 0.5,
    },
    arguments=("Q", "K", "V", "block"),
    right=reference.streaming_attention,
    model=models_heads.streaming_attention,
    steps={
        "product": "the dot products",
        "scale": "the scale",
        "first follow": "the running maximum",
        "carry": "the sums that are kept",
        "starts": "the blocks",
    },
    slips=slips_heads.STREAMING,
    pairs=(*slips_heads.STREAMING[:9], *slips.PRODUCTS[:7], *slips.SCALES[:7]),
    rules={"integer": rules.integer, "extreme": rules.extreme_streaming, "last": rules.last_block},
    draw=_streaming_trials,
    shape="one row a query, as wide as the values",
)

by_hand = Decimals(
    name="online_by_hand",
    chapter=CHAPTER,
    points=4,
    labels=("m after block 1", "ℓ after block 1", "m′ after block 2", "ℓ′ after block 2"),
    right=(2.5, 1.2231, 4.0, 1.4083),
    close=0.0005,
    slips=(
        (
            "accumulator-not-rescaled",
            (np.nan, np.nan, np.nan, 2.3585),
            "This is ℓ with the new block's exponentials added, and the old sum as it was. The maximum has changed: "
            "what happens to the old exponentials?",
        ),
        (
            "block-outputs-averaged",
            (np.nan, np.nan, np.nan, 1.1353),
            "This is the second block alone. What was read before it still counts, shrunk to the new maximum.",
        ),
        (
            "running-maximum-from-zero",
            (0.0, 14.9008, 0.0, np.nan),
            "Take the block's own largest score away, not 0.",
        ),
    ),
    otherwise="m is the largest score so far. ℓ is the sum of e^(score − m) over all scores so far.",
)

MISTAKES = {
    "block-outputs-averaged": "each block was softmaxed alone, and the outputs averaged",
    "accumulator-not-rescaled": "sums were kept as they were when the maximum grew",
    "last-block-lost": "only whole blocks before the last were read",
    "running-maximum-from-zero": "the running maximum started at 0",
}
_ONE_WIDE = {
    "Q": np.array([[0], [1], [-1]]),
    "K": np.array([[1], [0], [3], [2]]),
    "V": np.array([[8], [4], [0], [-4]]),
}
_LOST = "Then every row would mix 8 and 4 alone, and lie between them. Row 1 is 2."
_FROM_ZERO = "Then scores as small as these would come out right: only very negative ones would not."


def _averaged(Q, K, V):
    return np.mean([reference.attention(Q, K[i : i + 2], V[i : i + 2]) for i in (0, 2)], axis=0)


def _not_rescaled(Q, K, V):
    S, largest, total, mixed = reference.scaled_scores(Q, K), -np.inf, 0, 0
    for i in (0, 2):
        largest = np.maximum(largest, S[:, i : i + 2].max(axis=1, keepdims=True))
        e = np.exp(S[:, i : i + 2] - largest)
        total, mixed = total + e.sum(axis=1, keepdims=True), mixed + e @ V[i : i + 2]
    return mixed / total


# Row 1 has equal scores; in row 3 the largest score comes first.
spot_1 = Spot(
    name="cost_spot_1",
    chapter=CHAPTER,
    points=2,
    inputs=_ONE_WIDE,
    wrong=_averaged,
    right=reference.attention,
    answer="block-outputs-averaged",
    options=MISTAKES,
    would_show={
        "accumulator-not-rescaled": "Then row 3 would be right, 4.12: its largest score comes in the first block.",
        "last-block-lost": _LOST,
        "running-maximum-from-zero": _FROM_ZERO,
    },
)
spot_2 = Spot(
    name="cost_spot_2",
    chapter=CHAPTER,
    points=2,
    inputs=_ONE_WIDE,
    wrong=_not_rescaled,
    right=reference.attention,
    answer="accumulator-not-rescaled",
    options=MISTAKES,
    would_show={
        "block-outputs-averaged": "Then row 3 would be off as well. By hand it is 4.12, and so it is here.",
        "last-block-lost": _LOST,
        "running-maximum-from-zero": _FROM_ZERO,
    },
)

EXERCISES = (by_hand, streaming_attention, spot_1, spot_2)
