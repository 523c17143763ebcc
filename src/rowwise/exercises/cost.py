"""Exercises of chapter 09, cost and memory."""

import numpy as np

from rowwise import reference
from rowwise.exercises import models_heads, rules, slips, slips_heads
from rowwise.exercises.functions import Function
from rowwise.exercises.inputs import draw, draw_integers, trial

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
        trial(
            "other sizes", "three blocks for six keys", draw("o", 3, 2), draw("p", 6, 2), draw("q", 6, 5), 2
        ),
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
    pairs=(*slips_heads.STREAMING[:9], *slips.PRODUCTS[:6], *slips.SCALES[:7]),
    rules={"integer": rules.integer, "extreme": rules.extreme_streaming, "last": rules.last_block},
    draw=_streaming_trials,
    shape="one row a query, as wide as the values",
)

EXERCISES = (streaming_attention,)
