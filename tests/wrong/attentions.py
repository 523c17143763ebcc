"""attention. Rows that permit nothing are guarded in each of them, so that nothing else is wrong."""

import numpy as np
import scipy.special

from wrong import right, wrong


def softmax(S):
    """Stable; a row of -inf gives zeros."""
    top = S.max(axis=-1, keepdims=True)
    E = np.exp(S - np.where(np.isfinite(top), top, 0))
    total = E.sum(axis=-1, keepdims=True)
    return E / np.where(total > 0, total, 1)


def scaled(Q, K):
    return Q @ K.T / np.sqrt(K.shape[-1])


def masked(S, mask):
    return S if mask is None else np.where(mask, S, -np.inf)


# ---- right


@right("attention")
def plain(Q, K, V, mask=None):
    return softmax(masked(scaled(Q, K), mask)) @ V


@right("attention")
def nan_to_num(Q, K, V, mask=None):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    if mask is not None:
        S = S + np.where(mask, 0, -np.inf)
    W = scipy.special.softmax(S, axis=-1)
    return np.nan_to_num(W) @ V


@right("attention")
def loops(Q, K, V, mask=None):
    out = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        keys = [j for j in range(len(K)) if mask is None or mask[i, j]]
        if not keys:
            continue
        s = np.array([q @ K[j] for j in keys]) / len(q) ** 0.5
        e = np.exp(s - s.max())
        for w, j in zip(e / e.sum(), keys, strict=True):
            out[i] += w * V[j]
    return out


@right("attention")
def einsum(Q, K, V, mask=None):
    S = np.einsum("qd,kd->qk", Q, K) / np.sqrt(K.shape[1])
    W = softmax(masked(S, mask))
    return np.einsum("qk,kv->qv", W, V)


@right("attention")
def single_precision(Q, K, V, mask=None):
    Q, K, V = (A.astype(np.float32) for A in (Q, K, V))
    return softmax(masked(Q @ K.T / np.float32(np.sqrt(Q.shape[1])), mask)) @ V


@right("attention")
def guarded_after(Q, K, V, mask=None):
    if mask is None:
        mask = np.ones((len(Q), len(K)), dtype=bool)
    W = scipy.special.softmax(np.where(mask, scaled(Q, K), -np.inf), axis=1)
    W[~mask.any(axis=1)] = 0
    return W @ V


@right("attention")
def exponentials_masked(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is None:
        mask = np.full(S.shape, True)
    top = np.max(S, axis=1, keepdims=True, where=mask, initial=-np.inf)
    E = np.exp(S - top, where=mask, out=np.zeros(S.shape))
    return E @ V / np.maximum(E.sum(axis=1, keepdims=True), 1e-300)


@right("attention")
def divided_at_the_end(Q, K, V, mask=None):
    S = masked(scaled(Q, K), mask)
    top = S.max(axis=1, keepdims=True)
    top[np.isneginf(top)] = 0
    E = np.exp(S - top)
    total = E.sum(axis=1, keepdims=True)
    return np.divide(E @ V, total, out=np.zeros((len(Q), V.shape[1])), where=total > 0)


@right("attention")
def penalty_then_zeroed(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is None:
        return softmax(S) @ V
    W = softmax(np.where(mask, S, -np.inf)) * mask
    return list(W @ V)


@right("attention")
def with_print_and_warning(Q, K, V, mask=None):
    print(Q)
    W = scipy.special.softmax(masked(Q @ K.T / K.shape[1] ** 0.5, mask), axis=-1)
    W = np.where(np.isnan(W), 0, W)
    np.array([1.0]) / np.array([0.0])
    return W @ V


# ---- wrong products


@wrong("attention", "queries-with-queries")
def queries_twice(Q, K, V, mask=None):
    return softmax(masked(Q @ Q.T / np.sqrt(Q.shape[1]), mask)) @ V


@wrong("attention", "queries-with-queries")
def keys_twice(Q, K, V, mask=None):
    return softmax(masked(K @ K.T / np.sqrt(K.shape[1]), mask)) @ V


@wrong("attention", "cosine-not-dot")
def cosine(Q, K, V, mask=None):
    Q = Q / np.linalg.norm(Q, axis=1, keepdims=True)
    K = K / np.linalg.norm(K, axis=1, keepdims=True)
    return softmax(masked(scaled(Q, K), mask)) @ V


@wrong("attention", "cosine-not-dot")
def unit_keys(Q, K, V, mask=None):
    return plain(Q, K / np.sqrt((K**2).sum(1, keepdims=True)), V, mask)


@wrong("attention", "values-in-scores")
def values_compared(Q, K, V, mask=None):
    return softmax(masked(Q @ V.T / np.sqrt(Q.shape[1]), mask)) @ V


@wrong("attention", "values-in-scores")
def values_compared_einsum(Q, K, V, mask=None):
    S = np.einsum("id,jd->ij", Q, V) / np.sqrt(V.shape[1])
    return softmax(masked(S, mask)) @ V


@wrong("attention", "transposed-scores")
def keys_ask(Q, K, V, mask=None):
    return softmax(masked(K @ Q.T / np.sqrt(K.shape[1]), mask)) @ V


# ---- wrong scales


@wrong("attention", "no-scaling")
def unscaled(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T, mask)) @ V


@wrong("attention", "no-scaling")
def unscaled_loops(Q, K, V, mask=None):
    rows = []
    for i, q in enumerate(Q):
        s = np.array([float(np.dot(q, k)) for k in K])
        if mask is not None:
            s[~mask[i]] = -np.inf
        rows.append(softmax(s[None])[0] @ V)
    return np.array(rows)


@wrong("attention", "scaled-by-width")
def by_width(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T / K.shape[1], mask)) @ V


@wrong("attention", "scaled-by-width")
def by_root_twice(Q, K, V, mask=None):
    return plain(Q / np.sqrt(Q.shape[1]), K, V, mask)


@wrong("attention", "scaled-wrong-way")
def times_root(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T * np.sqrt(K.shape[1]), mask)) @ V


@wrong("attention", "scaled-wrong-way")
def times_root_after_mask(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T, mask) * Q.shape[1] ** 0.5) @ V


@wrong("attention", "scaled-by-wrong-size")
def by_keys(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T / np.sqrt(len(K)), mask)) @ V


@wrong("attention", "scaled-by-wrong-size")
def by_value_width(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T / np.sqrt(V.shape[-1]), mask)) @ V


@wrong("attention", "scaled-by-wrong-size")
def by_eight(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T / 8.0, mask)) @ V


@wrong("attention", "scaled-by-wrong-size")
def by_an_odd_number(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T / 1.7, mask)) @ V


@wrong("attention", "scaled-output")
def output_divided(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T, mask)) @ V / np.sqrt(K.shape[1])


@wrong("attention", "scaled-output")
def values_divided(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T, mask)) @ (V / np.sqrt(Q.shape[1]))


@wrong("attention", "scaled-output")
def scores_and_output_divided(Q, K, V, mask=None):
    return plain(Q, K, V, mask) / np.sqrt(K.shape[1])


# ---- wrong softmaxes


@wrong("attention", "softmax-down-columns")
def columns(Q, K, V, mask=None):
    return softmax(masked(scaled(Q, K), mask).T).T @ V


@wrong("attention", "softmax-down-columns")
def columns_scipy(Q, K, V, mask=None):
    W = scipy.special.softmax(masked(scaled(Q, K), mask), axis=0)
    return np.nan_to_num(W) @ V


@wrong("attention", "softmax-over-everything")
def everything(Q, K, V, mask=None):
    return scipy.special.softmax(masked(scaled(Q, K), mask)) @ V


@wrong("attention", "softmax-over-everything")
def everything_by_hand(Q, K, V, mask=None):
    S = masked(scaled(Q, K), mask)
    E = np.exp(S - S.max())
    return E / E.sum() @ V


@wrong("attention", "overflow")
def naive(Q, K, V, mask=None):
    E = np.exp(masked(scaled(Q, K), mask))
    total = E.sum(axis=1, keepdims=True)
    if mask is not None:
        total[~mask.any(axis=1)] = 1
    return E / total @ V


@wrong("attention", "overflow")
def naive_guarded(Q, K, V, mask=None):
    E = np.exp(masked(scaled(Q, K), mask))
    return np.nan_to_num(E / E.sum(axis=1, keepdims=True)) @ V


@wrong("attention", "softmax-twice")
def twice(Q, K, V, mask=None):
    return softmax(softmax(masked(scaled(Q, K), mask))) @ V


@wrong("attention", "softmax-twice")
def twice_guarded(Q, K, V, mask=None):
    W = softmax(softmax(masked(scaled(Q, K), mask)))
    return (W if mask is None else np.where(mask.any(axis=1)[:, None], W, 0)) @ V


@wrong("attention", "argmax")
def the_best_value(Q, K, V, mask=None):
    W = softmax(masked(scaled(Q, K), mask))
    hot = np.zeros_like(W)
    hot[np.arange(len(W)), W.argmax(axis=1)] = W.any(axis=1)
    return hot @ V


@wrong("attention", "argmax")
def the_best_scores(Q, K, V, mask=None):
    S = masked(scaled(Q, K), mask)
    hot = (S.max(axis=1, keepdims=True) == S) & np.isfinite(S)
    return hot.astype(float) @ V


@wrong("attention", "not-normalised")
def exponentials_only(Q, K, V, mask=None):
    S = masked(scaled(Q, K), mask)
    top = S.max(axis=1, keepdims=True)
    return np.exp(S - np.where(np.isfinite(top), top, 0)) @ V


# ---- wrong sums


@wrong("attention", "keys-as-values")
def mixes_keys(Q, K, V, mask=None):
    return softmax(masked(scaled(Q, K), mask)) @ K


@wrong("attention", "keys-as-values")
def mixes_keys_einsum(Q, K, V, mask=None):
    return np.einsum("ij,jd->id", softmax(masked(scaled(Q, K), mask)), K)


@wrong("attention", "transposed-mix")
def weights_turned(Q, K, V, mask=None):
    return softmax(masked(scaled(Q, K), mask)).T @ V


@wrong("attention", "transposed-mix")
def weights_turned_einsum(Q, K, V, mask=None):
    return np.einsum("ji,jd->id", softmax(masked(scaled(Q, K), mask)), V)


@wrong("attention", "mean-of-values")
def mean(Q, K, V, mask=None):
    return np.repeat(V.mean(axis=0)[None], len(Q), axis=0)


@wrong("attention", "mean-of-values")
def mean_of_permitted(Q, K, V, mask=None):
    if mask is None:
        mask = np.ones((len(Q), len(K)))
    return mask @ V / np.maximum(mask.sum(axis=1, keepdims=True), 1)


# ---- wrong masks


@wrong("attention", "mask-after-softmax")
def zeroed_afterwards(Q, K, V, mask=None):
    W = softmax(scaled(Q, K))
    return (W if mask is None else W * mask) @ V


@wrong("attention", "mask-after-softmax")
def values_zeroed(Q, K, V, mask=None):
    W = softmax(scaled(Q, K))
    if mask is None:
        return W @ V
    return np.array([w @ (V * m[:, None]) for w, m in zip(W, mask, strict=True)])


@wrong("attention", "mask-then-renormalise")
def zeroed_and_divided(Q, K, V, mask=None):
    W = softmax(scaled(Q, K))
    if mask is not None:
        W = W * mask
        W = W / W.sum(axis=1, keepdims=True)
        W[~mask.any(axis=1)] = 0
    return W @ V


@wrong("attention", "mask-then-renormalise")
def exponentials_zeroed(Q, K, V, mask=None):
    S = scaled(Q, K)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    if mask is not None:
        E = E * mask
    return E / np.maximum(E.sum(axis=1, keepdims=True), 1e-12) @ V


@wrong("attention", "mask-zeroes-scores")
def score_zero(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax(S if mask is None else S * mask) @ V


@wrong("attention", "mask-zeroes-scores")
def score_zero_guarded(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is None:
        return softmax(S) @ V
    W = softmax(np.where(mask, S, 0))
    W[~mask.any(axis=1)] = 0
    return W @ V


@wrong("attention", "mask-too-weak")
def minus_ten(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax(S if mask is None else S + np.where(mask, 0, -10)) @ V


@wrong("attention", "mask-too-weak")
def minus_a_billion(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax(S if mask is None else np.where(mask, S, -1e9)) @ V


@wrong("attention", "mask-too-weak")
def minus_a_billion_before_scale(Q, K, V, mask=None):
    S = Q @ K.T
    if mask is not None:
        S = np.where(mask, S, -1e9)
    return softmax(S / np.sqrt(K.shape[1])) @ V


@wrong("attention", "mask-too-weak")
def minus_an_odd_number(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is not None:
        S = S - 7.3 * (1 - mask)
    return softmax(S) @ V


@wrong("attention", "mask-too-weak")
def smallest_of_float16(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is not None:
        S = np.where(mask, S, np.finfo(np.float16).min)
    W = softmax(S)
    return (W if mask is None else W * mask.any(axis=1, keepdims=True)) @ V


@wrong("attention", "mask-times-infinity")
def zero_times_infinity(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is not None:
        S = S + (1 - mask) * -np.inf
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V


@wrong("attention", "mask-times-infinity")
def inverted_boolean_times_infinity(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is not None:
        S = S - ~mask * np.inf
    return softmax(S) @ V


@wrong("attention", "mask-added")
def plus(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax(S if mask is None else S + mask) @ V


@wrong("attention", "mask-added")
def plus_before_scale(Q, K, V, mask=None):
    S = Q @ K.T
    if mask is not None:
        S = S + mask
    return softmax(S / np.sqrt(K.shape[1])) @ V


@wrong("attention", "mask-inverted")
def inverted(Q, K, V, mask=None):
    return plain(Q, K, V, None if mask is None else ~mask)


@wrong("attention", "mask-inverted")
def fills_where_true(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is not None:
        S[mask] = -np.inf
    return np.nan_to_num(scipy.special.softmax(S, axis=1)) @ V


@wrong("attention", "mask-transposed")
def mask_turned(Q, K, V, mask=None):
    return plain(Q, K, V, None if mask is None else mask.T)


@wrong("attention", "mask-transposed")
def mask_turned_loop(Q, K, V, mask=None):
    S = scaled(Q, K).astype(float)
    if mask is not None:
        for i in range(S.shape[0]):
            for j in range(S.shape[1]):
                if not mask[j, i]:
                    S[i, j] = -np.inf
    return softmax(S) @ V


@wrong("attention", "mask-ignored")
def no_mask(Q, K, V, mask=None):
    return softmax(scaled(Q, K)) @ V


@wrong("attention", "mask-ignored")
def mask_forgotten(Q, K, V, mask=None):
    S = scaled(Q, K)
    if mask is not None:
        np.where(mask, S, -np.inf)
    return softmax(S) @ V


@wrong("attention", "nothing-permitted-nan")
def unguarded(Q, K, V, mask=None):
    return scipy.special.softmax(masked(scaled(Q, K), mask), axis=1) @ V


@wrong("attention", "nothing-permitted-nan")
def unguarded_by_hand(Q, K, V, mask=None):
    S = masked(scaled(Q, K), mask)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V


@wrong("attention", "nothing-permitted-uniform")
def uniform(Q, K, V, mask=None):
    W = softmax(masked(scaled(Q, K), mask))
    W[W.sum(axis=1) == 0] = 1 / len(K)
    return W @ V


@wrong("attention", "nothing-permitted-uniform")
def unmasked_then(Q, K, V, mask=None):
    if mask is not None:
        mask = mask | ~mask.any(axis=1, keepdims=True)
    return plain(Q, K, V, mask)


@wrong("attention", "nothing-permitted-uniform")
def smallest_float(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax(S if mask is None else np.where(mask, S, np.finfo(np.float64).min)) @ V


# ---- everything else


@wrong("attention", "extra-output")
def with_weights(Q, K, V, mask=None):
    W = softmax(masked(scaled(Q, K), mask))
    return W @ V, W


@wrong("attention", "extra-output")
def with_weights_in_a_list(Q, K, V, mask=None):
    W = softmax(masked(scaled(Q, K), mask))
    return [W @ V, W]


@wrong("attention", "inputs-changed")
def scales_in_place(Q, K, V, mask=None):
    Q /= np.sqrt(Q.shape[1])
    return softmax(masked(Q @ K.T, mask)) @ V


@wrong("attention", "inputs-changed")
def fills_the_mask(Q, K, V, mask=None):
    out = plain(Q, K, V, mask)
    if mask is not None:
        mask[:] = True
    return out


@wrong("attention", "integer-truncation")
def stored_like_values(Q, K, V, mask=None):
    out = np.zeros((len(Q), V.shape[1]), dtype=V.dtype)
    out[:] = plain(Q, K, V, mask)
    return out


@wrong("attention", "integer-truncation")
def fills_an_integer_array(Q, K, V, mask=None):
    S = Q @ K.T
    if mask is not None:
        S[~mask] = -np.inf
    return softmax(S / np.sqrt(K.shape[1])) @ V


@wrong("attention", "fitted-to-the-example")
def sizes_of_the_example(Q, K, V, mask=None):
    out = np.zeros((2, 2))
    for i in range(2):
        s = np.array([Q[i] @ K[0], Q[i] @ K[1], Q[i] @ K[2]]) / 2
        w = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
        out[i] = w[0] * V[0] + w[1] * V[1] + w[2] * V[2]
    return out


@wrong("attention", "differs")
def zeros(Q, K, V, mask=None):
    return np.zeros((len(Q), V.shape[1]))


@wrong("attention", "differs")
def relu_of_output(Q, K, V, mask=None):
    return np.maximum(plain(Q, K, V, mask), 0)


@wrong("attention", "raised")
def arity(Q, K):
    return Q @ K.T


@wrong("attention", "wrong-type")
def prints_only(Q, K, V, mask=None):
    print(plain(Q, K, V, mask))


# ---- two at once


@wrong("attention", "no-scaling", "softmax-down-columns")
def unscaled_columns(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T, mask).T).T @ V


@wrong("attention", "no-scaling", "mask-after-softmax")
def unscaled_zeroed(Q, K, V, mask=None):
    W = softmax(Q @ K.T)
    return (W if mask is None else W * mask) @ V


@wrong("attention", "no-scaling", "nothing-permitted-nan")
def unscaled_unguarded(Q, K, V, mask=None):
    return scipy.special.softmax(masked(Q @ K.T, mask), axis=1) @ V


@wrong("attention", "overflow", "nothing-permitted-nan")
def naive_unguarded(Q, K, V, mask=None):
    E = np.exp(masked(scaled(Q, K), mask))
    return E / E.sum(axis=1, keepdims=True) @ V


@wrong("attention", "overflow", "no-scaling")
def naive_unscaled(Q, K, V, mask=None):
    E = np.exp(masked(Q @ K.T, mask))
    return np.nan_to_num(E / E.sum(axis=1, keepdims=True)) @ V


@wrong("attention", "mask-inverted", "scaled-by-width")
def inverted_by_width(Q, K, V, mask=None):
    return softmax(masked(Q @ K.T / K.shape[1], None if mask is None else ~mask)) @ V


@wrong("attention", "mask-ignored", "cosine-not-dot")
def ignored_cosine(Q, K, V, mask=None):
    return cosine(Q, K, V)


@wrong("attention", "keys-as-values", "mask-zeroes-scores")
def keys_and_zeroes(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax(S if mask is None else S * mask) @ K


@wrong("attention", "extra-output", "no-scaling")
def weights_and_unscaled(Q, K, V, mask=None):
    W = softmax(masked(Q @ K.T, mask))
    return W @ V, W


@wrong("attention", "inputs-changed", "mask-too-weak")
def in_place_and_weak(Q, K, V, mask=None):
    Q *= 1 / np.sqrt(K.shape[1])
    S = Q @ K.T
    return softmax(S if mask is None else np.where(mask, S, -1e9)) @ V


@wrong("attention", "mask-too-weak", "softmax-down-columns")
def weak_columns(Q, K, V, mask=None):
    S = scaled(Q, K)
    return softmax((S if mask is None else np.where(mask, S, -100.0)).T).T @ V
