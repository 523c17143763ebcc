"""softmax_rows."""

import math

import numpy as np
import scipy.special

from wrong import right, wrong


@right("softmax_rows")
def stable(S):
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


@right("softmax_rows")
def by_scipy(S):
    return scipy.special.softmax(S, axis=-1)


@right("softmax_rows")
def by_logsumexp(S):
    return np.exp(S - scipy.special.logsumexp(S, axis=1, keepdims=True))


@right("softmax_rows")
def row_by_row(S):
    out = np.zeros(S.shape)
    for i, row in enumerate(S):
        e = np.exp(row - row.max())
        out[i] = e / e.sum()
    return out


@right("softmax_rows")
def pure_python(S):
    rows = []
    for row in S.tolist():
        top = max(row)
        e = [math.exp(x - top) for x in row]
        rows.append([x / sum(e) for x in e])
    return rows


@right("softmax_rows")
def single(S):
    S = S.astype(np.float32)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


@right("softmax_rows")
def new_axis(S):
    E = np.exp(S - np.max(S, axis=1)[:, None])
    return E / np.sum(E, axis=1)[:, np.newaxis]


@right("softmax_rows")
def transposed_twice(S):
    T = np.exp(S.T - S.T.max(axis=0))
    return (T / T.sum(axis=0)).T


@right("softmax_rows")
def apply_along(S):
    def one(row):
        e = np.exp(row - np.max(row))
        return e / np.sum(e)

    return np.apply_along_axis(one, 1, S.astype(float))


@right("softmax_rows")
def with_a_small_number(S):
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / (E.sum(axis=-1, keepdims=True) + 1e-9)


@right("softmax_rows")
def base_two_done_right(S):
    E = np.exp2((S - S.max(axis=-1, keepdims=True)) / np.log(2))
    return E / E.sum(axis=-1, keepdims=True)


@right("softmax_rows")
def masked_array_module(S):
    E = np.ma.exp(np.ma.masked_invalid(S, copy=True) - S.max(axis=1, keepdims=True)).filled(0)
    return E / E.sum(axis=1, keepdims=True)


# ---- wrong


@wrong("softmax_rows", "softmax-down-columns")
def axis_zero(S):
    E = np.exp(S - S.max(axis=0, keepdims=True))
    E[~np.isfinite(E)] = 0
    return E / E.sum(axis=0, keepdims=True)


@wrong("softmax_rows", "softmax-down-columns")
def scipy_axis_zero(S):
    return scipy.special.softmax(S, axis=0)


@wrong("softmax_rows", "softmax-down-columns")
def sum_down_max_across(S):
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=0)


@wrong("softmax_rows", "softmax-over-everything")
def no_axis(S):
    E = np.exp(S - S.max())
    return E / E.sum()


@wrong("softmax_rows", "softmax-over-everything")
def scipy_no_axis(S):
    return scipy.special.softmax(S)


@wrong("softmax_rows", "softmax-over-everything")
def row_max_total_sum(S):
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / np.sum(E)


@wrong("softmax_rows", "sums-broadcast-wrong")
def sum_without_keepdims(S):
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1)


@wrong("softmax_rows", "sums-broadcast-wrong")
def neither_keeps(S):
    E = np.exp(S - S.max(axis=1))
    return E / E.sum(axis=1)


@wrong("softmax_rows", "sums-broadcast-wrong")
def max_without_keepdims(S):
    E = np.exp(S - np.max(S, -1))
    return E / np.sum(E, -1, keepdims=True)


@wrong("softmax_rows", "overflow")
def naive(S):
    E = np.exp(S)
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "overflow")
def naive_pure_python(S):
    return [[math.exp(x) / sum(math.exp(y) for y in row) for x in row] for row in S.tolist()]


@wrong("softmax_rows", "overflow")
def minus_mean(S):
    E = np.exp(S - S.mean(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "overflow")
def naive_nan_to_num(S):
    E = np.exp(S)
    return np.nan_to_num(E / E.sum(axis=1, keepdims=True))


@wrong("softmax_rows", "overflow")
def clipped(S):
    E = np.exp(np.clip(S, -500, 500))
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "global-maximum")
def one_maximum(S):
    E = np.exp(S - S.max())
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "global-maximum")
def builtin_max(S):
    top = max(max(row) for row in S)
    return np.array([np.exp(row - top) / np.exp(row - top).sum() for row in S])


@wrong("softmax_rows", "global-maximum")
def one_maximum_patched(S):
    E = np.exp(S - np.amax(S))
    return E / (E.sum(axis=1, keepdims=True) + 1e-12)


@wrong("softmax_rows", "no-exponential")
def share_of_sum(S):
    return S / S.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "no-exponential")
def share_of_sizes(S):
    A = np.abs(S)
    return A / A.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "no-exponential")
def shifted_share(S):
    A = S - S.min(axis=1, keepdims=True)
    return A / A.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "wrong-base-or-temperature")
def base_two(S):
    E = 2.0 ** (S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "wrong-base-or-temperature")
def base_ten(S):
    E = np.power(10.0, S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "wrong-base-or-temperature")
def halved(S):
    return scipy.special.softmax(S / 2, axis=1)


@wrong("softmax_rows", "wrong-base-or-temperature")
def e_by_hand(S):
    E = 2.7 ** (S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "not-normalised")
def exponentials(S):
    return np.exp(S - S.max(axis=1, keepdims=True))


@wrong("softmax_rows", "not-normalised")
def raw_exponentials(S):
    return np.exp(S)


@wrong("softmax_rows", "not-normalised")
def divided_by_largest(S):
    E = np.exp(S)
    return E / E.max(axis=1, keepdims=True)


@wrong("softmax_rows", "log-weights")
def log_softmax(S):
    return scipy.special.log_softmax(S, axis=1)


@wrong("softmax_rows", "log-weights")
def log_of_softmax(S):
    return np.log(stable(S))


@wrong("softmax_rows", "softmax-twice")
def twice(S):
    return stable(stable(S))


@wrong("softmax_rows", "softmax-twice")
def twice_by_scipy(S):
    W = scipy.special.softmax(S, axis=1)
    return np.array([scipy.special.softmax(w) for w in W])


@wrong("softmax_rows", "argmax")
def one_hot(S):
    W = np.zeros(S.shape)
    W[np.arange(len(S)), S.argmax(axis=1)] = 1
    return W


@wrong("softmax_rows", "argmax")
def largest_is_one(S):
    return (S.max(axis=1, keepdims=True) == S).astype(float)


@wrong("softmax_rows", "inputs-changed")
def subtracts_in_place(S):
    S -= S.max(axis=1, keepdims=True)
    E = np.exp(S)
    return E / E.sum(axis=1, keepdims=True)


@wrong("softmax_rows", "inputs-changed")
def everything_in_place(S):
    S -= S.max(axis=-1)[:, None]
    np.exp(S, out=S)
    S /= S.sum(axis=-1)[:, None]
    return S


@wrong("softmax_rows", "integer-truncation")
def zeros_like(S):
    out = np.zeros_like(S)
    for i in range(len(S)):
        e = np.exp(S[i] - S[i].max())
        out[i] = e / e.sum()
    return out


@wrong("softmax_rows", "integer-truncation")
def copied_store(S):
    W = S.copy()
    for i, row in enumerate(S):
        e = np.exp(row - np.max(row))
        for j in range(len(row)):
            W[i, j] = e[j] / e.sum()
    return W


@wrong("softmax_rows", "fitted-to-the-example")
def four_columns(S):
    out = np.zeros((2, 4))
    for i in range(2):
        e = [np.exp(S[i, j] - max(S[i, 0], S[i, 1], S[i, 2], S[i, 3])) for j in range(4)]
        out[i] = np.array(e) / sum(e)
    return out


@wrong("softmax_rows", "fitted-to-the-example")
def numbers_given(S):
    return stable(np.array([[2.0, 0, 1, -1], [1, 3, 0, 1]]))


@wrong("softmax_rows", "differs")
def random_numbers(S):
    return np.random.default_rng(0).random(S.shape)


@wrong("softmax_rows", "differs")
def sigmoid(S):
    return scipy.special.expit(S)


@wrong("softmax_rows", "raised")
def no_such_axis(S):
    return np.exp(S) / np.exp(S).sum(axis=2)


@wrong("softmax_rows", "wrong-shape")
def first_row(S):
    return stable(S)[0]


# ---- two at once


@wrong("softmax_rows", "softmax-down-columns", "overflow")
def naive_columns(S):
    E = np.exp(S)
    return E / E.sum(axis=0)


@wrong("softmax_rows", "softmax-over-everything", "overflow")
def naive_everything(S):
    return np.exp(S) / np.sum(np.exp(S))


@wrong("softmax_rows", "sums-broadcast-wrong", "overflow")
def naive_broadcast(S):
    return np.exp(S) / np.exp(S).sum(axis=1)


@wrong("softmax_rows", "inputs-changed", "softmax-down-columns")
def columns_in_place(S):
    S -= S.max(axis=0)
    return np.exp(S) / np.exp(S).sum(axis=0)


@wrong("softmax_rows", "softmax-down-columns", "softmax-twice")
def columns_then_rows(S):
    E = np.exp(S - S.max(axis=0))
    return stable(E / E.sum(axis=0))


@wrong("softmax_rows", "wrong-base-or-temperature", "softmax-down-columns")
def base_two_columns(S):
    E = 2.0 ** (S - S.max(axis=0))
    return E / E.sum(axis=0)


@wrong("softmax_rows", "extra-output", "overflow")
def with_sums(S):
    E = np.exp(S)
    total = E.sum(axis=1, keepdims=True)
    return E / total, total
