"""masked_scores and causal_mask."""

import numpy as np

from wrong import right, wrong

# ---- masked_scores, right


@right("masked_scores")
def where(S, mask):
    return np.where(mask, S, -np.inf)


@right("masked_scores")
def additive(S, mask):
    return S + np.where(mask, 0.0, -np.inf)


@right("masked_scores")
def fill_a_copy(S, mask):
    out = S.astype(float)
    out[~mask] = -np.inf
    return out


@right("masked_scores")
def log_of_the_mask(S, mask):
    return S + np.log(mask)


@right("masked_scores")
def loops(S, mask):
    return [
        [s if m else float("-inf") for s, m in zip(row, marks, strict=True)] for row, marks in zip(S, mask, strict=True)
    ]


@right("masked_scores")
def putmask(S, mask):
    out = np.array(S, dtype=np.float64)
    np.putmask(out, np.logical_not(mask), -np.inf)
    return out


@right("masked_scores")
def masked_and_filled(S, mask):
    return np.ma.array(S.astype(float), mask=~mask).filled(-np.inf)


# ---- masked_scores, wrong


@wrong("masked_scores", "mask-zeroes-scores")
def zeros(S, mask):
    return np.where(mask, S, 0)


@wrong("masked_scores", "mask-zeroes-scores")
def times(S, mask):
    return S * mask


@wrong("masked_scores", "mask-too-weak")
def billion(S, mask):
    return np.where(mask, S, -1e9)


@wrong("masked_scores", "mask-too-weak")
def ten_added(S, mask):
    return S + (1 - mask.astype(float)) * -10


@wrong("masked_scores", "mask-too-weak")
def smallest_float(S, mask):
    return np.where(mask, S, np.finfo(float).min)


@wrong("masked_scores", "mask-too-weak")
def odd_number(S, mask):
    out = S.astype(float)
    out[~mask] = -31337
    return out


@wrong("masked_scores", "mask-times-infinity")
def product_with_infinity(S, mask):
    return S + (1 - mask) * -np.inf


@wrong("masked_scores", "mask-times-infinity")
def not_mask_times(S, mask):
    return S - ~mask * np.inf


@wrong("masked_scores", "mask-added")
def plus(S, mask):
    return S + mask


@wrong("masked_scores", "mask-added")
def plus_as_float(S, mask):
    out = S.astype(float)
    out += mask.astype(float)
    return out


@wrong("masked_scores", "mask-inverted")
def swapped_sides(S, mask):
    return np.where(mask, -np.inf, S)


@wrong("masked_scores", "mask-inverted")
def fills_the_permitted(S, mask):
    out = S.astype(float)
    out[mask] = -np.inf
    return out


@wrong("masked_scores", "mask-ignored")
def as_they_came(S, mask):
    return S


@wrong("masked_scores", "mask-ignored")
def result_thrown_away(S, mask):
    np.where(mask, S, -np.inf)
    return S.copy()


@wrong("masked_scores", "mask-transposed")
def mask_turned(S, mask):
    return np.where(mask.T, S, -np.inf)


@wrong("masked_scores", "inputs-changed")
def fills_the_input(S, mask):
    S[~mask] = -np.inf
    return S


@wrong("masked_scores", "inputs-changed")
def inverts_the_mask(S, mask):
    np.logical_not(mask, out=mask)
    return np.where(mask, -np.inf, S)


@wrong("masked_scores", "integer-truncation")
def fill_an_integer_copy(S, mask):
    out = S.copy()
    out[~mask] = -np.inf
    return out


@wrong("masked_scores", "integer-truncation")
def zeros_like_store(S, mask):
    out = np.zeros_like(S)
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            out[i, j] = S[i, j] if mask[i, j] else -np.inf
    return out


@wrong("masked_scores", "differs")
def not_a_number(S, mask):
    return np.where(mask, S, np.nan)


@wrong("masked_scores", "wrong-shape")
def only_permitted(S, mask):
    return S[mask]


@wrong("masked_scores", "wrong-type")
def masked_array(S, mask):
    return np.ma.array(S, mask=~mask)


@wrong("masked_scores", "mask-inverted", "mask-too-weak")
def inverted_and_weak(S, mask):
    return np.where(mask, -1e9, S)


# ---- causal_mask, right


@right("causal_mask")
def tri(n):
    return np.tri(n, dtype=bool)


@right("causal_mask")
def tril(n):
    return np.tril(np.ones((n, n), dtype=bool))


@right("causal_mask")
def compared(n):
    return np.arange(n)[:, None] >= np.arange(n)


@right("causal_mask")
def not_triu(n):
    return ~np.triu(np.ones((n, n), bool), k=1)


@right("causal_mask")
def nested_lists(n):
    return [[j <= i for j in range(n)] for i in range(n)]


@right("causal_mask")
def loop_fill(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mask[i, : i + 1] = True
    return mask


# ---- causal_mask, wrong


@wrong("causal_mask", "mask-inverted")
def not_tril(n):
    return ~np.tril(np.ones((n, n), dtype=bool))


@wrong("causal_mask", "mask-inverted")
def strictly_above(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)


@wrong("causal_mask", "causal-looks-ahead")
def triu(n):
    return np.triu(np.ones((n, n), dtype=bool))


@wrong("causal_mask", "causal-looks-ahead")
def tri_turned(n):
    return np.tri(n, dtype=bool).T


@wrong("causal_mask", "causal-looks-ahead")
def off_by_one(n):
    return np.tri(n, k=1, dtype=bool)


@wrong("causal_mask", "causal-looks-ahead")
def loop_one_too_far(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mask[i, : i + 2] = True
    return mask


@wrong("causal_mask", "causal-excludes-self")
def strictly_below(n):
    return np.tri(n, k=-1, dtype=bool)


@wrong("causal_mask", "causal-excludes-self")
def less_than(n):
    return [[j < i for j in range(n)] for i in range(n)]


@wrong("causal_mask", "wrong-type")
def numbers(n):
    return np.tril(np.ones((n, n)))


@wrong("causal_mask", "wrong-type")
def penalties(n):
    return np.where(np.tri(n, dtype=bool), 0.0, -np.inf)


@wrong("causal_mask", "fitted-to-the-example")
def four_by_four(n):
    return np.tri(4, dtype=bool)


@wrong("causal_mask", "fitted-to-the-example")
def written_out(n):
    return np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]) == 1


@wrong("causal_mask", "differs")
def only_oneself(n):
    return np.eye(n, dtype=bool)


@wrong("causal_mask", "wrong-type", "mask-inverted")
def numbers_inverted(n):
    return 1 - np.tril(np.ones((n, n)))
