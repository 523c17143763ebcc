"""The cases of attention: each mask and each extreme that tells two mistakes apart."""

import numpy as np

from rowwise.exercises.inputs import draw, draw_integers, draw_mask, trial

# Queries of 2 in one place pick a column of this K as scaled scores; the largest of it is excluded.
ABOVE = np.array([[1500.0, 0, 1, 0], [3, 1, 2, 0], [1, 5000, 0, 2], [2, 2, 1, 3000]])
NOT_ABOVE = np.array(
    [
        [False, True, True, True],
        [True, True, False, True],
        [True, False, True, True],
        [True, False, True, False],
    ]
)


def attention_trials():
    """No mask, masks, extreme scores, nothing permitted; in each, something oblong and V as the identity."""
    whole = draw_integers("a", 3, 4), draw_integers("b", 5, 4), draw_integers("c", 5, 2)
    narrow = [draw(seed, *shape).astype(np.float32) for seed, shape in (("d", (3, 5)), ("e", (4, 5)), ("f", (4, 2)))]
    return (
        trial("ordinary case", "the example", *_example()),
        trial("ordinary case", "other numbers", draw("g", 2, 4), draw("h", 3, 4), draw("i", 3, 2)),
        trial("other sizes", "five queries, three keys", draw("j", 5, 6), draw("k", 3, 6), draw("l", 3, 2)),
        trial("other sizes", "V is the identity", draw("m", 3, 6), draw("n", 5, 6), np.eye(5), tags="identity"),
        trial("other sizes", "square", draw("o", 5, 5), draw("p", 5, 5), draw("q", 5, 5)),
        trial(
            "other sizes",
            "square, V is the identity",
            draw("r", 3, 3),
            draw("s", 3, 3),
            np.eye(3),
            tags="identity",
        ),
        trial("other sizes", "one query", draw("t", 1, 3), draw("u", 4, 3), draw("v", 4, 2)),
        trial("other sizes", "one key", draw("w", 3, 4), draw("x", 1, 4), draw("y", 1, 2)),
        trial("other sizes", "float32", *narrow),
        trial("other sizes", "whole numbers", *whole, tags="integer"),
        *_attention_masks(),
        *_attention_extremes(),
    )


def _example():
    Q = np.array([[1.0, 0, 2, -1], [2, 1, 0, 1]])
    K = np.array([[1.0, 3, 0, 1], [0, 1, 2, 2], [3, -1, 1, 0]])
    V = np.array([[2.0, 0], [0, 4], [-1, 3]])
    return Q, K, V


def _attention_masks():
    lower, padding = np.tri(5, dtype=bool), np.broadcast_to(np.arange(5) < 3, (4, 5)).copy()
    whole = draw_integers("aa", 4, 4), draw_integers("bb", 5, 4), draw_integers("cc", 5, 2)
    return (
        trial(
            "masks",
            "a mask",
            draw("a1", 4, 3),
            draw("b1", 6, 3),
            draw("c1", 6, 5),
            draw_mask("d1", 4, 6),
            tags="mask",
        ),
        trial(
            "masks",
            "a mask, V is the identity",
            draw("e1", 3, 6),
            draw("f1", 5, 6),
            np.eye(5),
            draw_mask("g1", 3, 5),
            tags="mask identity",
        ),
        trial(
            "masks",
            "a square mask",
            draw("h1", 4, 3),
            draw("i1", 4, 3),
            draw("j1", 4, 2),
            draw_mask("k1", 4, 4),
            tags="mask",
        ),
        trial(
            "masks",
            "a causal mask, V is the identity",
            draw("l1", 5, 3),
            draw("m1", 5, 3),
            np.eye(5),
            lower,
            tags="mask identity",
        ),
        trial("masks", "padding", draw("n1", 4, 2), draw("o1", 5, 2), draw("p1", 5, 3), padding, tags="mask"),
        trial(
            "masks",
            "everything permitted",
            draw("q1", 2, 3),
            draw("r1", 4, 3),
            draw("s1", 4, 2),
            np.ones((2, 4), bool),
            tags="mask",
        ),
        trial("masks", "mask=None", draw("t1", 3, 5), draw("u1", 4, 5), draw("v1", 4, 2), None),
        trial("masks", "whole numbers and a mask", *whole, draw_mask("dd", 4, 5), tags="mask integer"),
    )


def _attention_extremes():
    """With d_k = 4 and a query of 2 in one place, that column of K holds the scaled scores."""
    near_1000 = (
        np.array([[10.0, 10, 10, 10], [-10, -10, -10, -10], [1, 0, 2, -1]]),
        np.array([[50.0, 50, 50, 50], [51, 50, 49, 50.5], [50, 49, 51, 49.5]]),
        np.array([[2.0, 0], [0, 4], [-1, 3]]),
    )
    huge = (
        np.array([[1e15, 0], [-1e15, 0], [0, 1]]),
        np.array([[1e15, 0], [5e14, 1], [-1e15, 0.5]]),
        np.array([[2.0, 0], [0, 4], [-1, 3]]),
    )
    below = np.array([[-2000.0, -3e9, -1e15, 0], [-2001, -4e9, -2e15, 0], [0, 0, 0, 0], [4, 5, 0, 0]])
    deep = np.diag([2.0, 2, 2e15, 0])[:3]
    not_below = np.array([[True, True, False, False]] * 3)
    nothing = np.array([[True, False, True, True], [False] * 4, [False, True, True, False]])
    return (
        trial("extreme scores", "scores near 1000", *near_1000, tags="extreme"),
        trial("extreme scores", "scores of 1e30", *huge, tags="extreme"),
        trial(
            "extreme scores",
            "an excluded score far above",
            2 * np.eye(4)[:3],
            ABOVE,
            np.eye(4),
            NOT_ABOVE[:3],
            tags="mask dominates identity",
        ),
        trial(
            "extreme scores",
            "permitted scores far below",
            deep,
            below,
            np.eye(4),
            not_below,
            tags="mask weak identity",
        ),
        trial(
            "nothing permitted",
            "a row with nothing permitted",
            draw("w1", 3, 2),
            draw("x1", 4, 2),
            draw("y1", 4, 3),
            nothing,
            tags="mask empty",
        ),
        trial(
            "nothing permitted",
            "a row with nothing permitted, V is the identity",
            draw("z1", 3, 6),
            draw("a2", 4, 6),
            np.eye(4),
            nothing,
            tags="mask empty identity",
        ),
    )
