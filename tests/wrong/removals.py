"""content_removal and streaming_attention."""

import numpy as np
import scipy.special

from wrong import right, wrong
from wrong.attentions import plain

# ---- content_removal


def weights(Q, K, query):
    return scipy.special.softmax(Q[query] @ K.T / np.sqrt(K.shape[1]))


def moved(before, after):
    return np.linalg.norm(after - before) / np.linalg.norm(before)


@right("content_removal")
def by_attention(Q, K, V, query, key, how):
    before = plain(Q, K, V)[query]
    if how == "mask":
        mask = np.ones((len(Q), len(K)), dtype=bool)
        mask[:, key] = False
        after = plain(Q, K, V, mask)[query]
    else:
        new = V.astype(float)
        new[key] = 0 if how == "zero" else V.mean(axis=0)
        after = plain(Q, K, new)[query]
    return moved(before, after)


@right("content_removal")
def by_one_row(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    before = w @ V
    if how == "zero":
        after = before - w[key] * V[key]
    elif how == "mean":
        after = before + w[key] * (V.mean(axis=0) - V[key])
    else:
        rest = np.delete(w, key)
        after = rest / rest.sum() @ np.delete(V, key, axis=0)
    return float(np.sqrt(((after - before) ** 2).sum()) / np.sqrt((before**2).sum()))


@right("content_removal")
def weights_divided_again(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    before, new = w @ V, np.array(V, dtype=float)
    if how == "mask":
        w = np.where(np.arange(len(w)) == key, 0, w)
        w = w / w.sum()
    else:
        new[key] = {"zero": 0 * V[key], "mean": V.mean(axis=0)}[how]
    return moved(before, w @ new)


def removal(Q, K, V, query, key, how, zero, mean, mask):
    w = weights(Q, K, query)
    before = w @ V
    return moved(before, {"zero": zero, "mean": mean, "mask": mask}[how](w, V.astype(float), key))


def zeroed(w, V, key):
    V[key] = 0
    return w @ V


def averaged(w, V, key):
    V[key] = V.mean(axis=0)
    return w @ V


def masked(w, V, key):
    w[key] = 0
    return w / w.sum() @ V


@wrong("content_removal", "removal-renormalised")
def zero_renormalises(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    before = w @ V
    if how == "mean":
        return moved(before, averaged(w, V.astype(float), key))
    w = np.where(np.arange(len(w)) == key, 0, w)
    return moved(before, w / w.sum() @ V)


@wrong("content_removal", "removal-renormalised")
def mask_does_not(Q, K, V, query, key, how):
    return removal(Q, K, V, query, key, how, zeroed, averaged, zeroed)


@wrong("content_removal", "removal-renormalised")
def branches_swapped(Q, K, V, query, key, how):
    return removal(Q, K, V, query, key, how, masked, averaged, zeroed)


@wrong("content_removal", "removal-measures-weights")
def change_of_weights(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    new = w.copy()
    new[key] = 0
    if how == "mask":
        new = new / new.sum()
    return np.linalg.norm(new - w) / np.linalg.norm(w)


@wrong("content_removal", "removal-measures-weights")
def total_change_of_weights(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    new = w.copy()
    if how == "mask":
        new[key] = 0
        new /= new.sum()
    return np.abs(new - w).sum()


@wrong("content_removal", "inputs-changed")
def value_zeroed_in_place(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    before = w @ V
    if how == "mask":
        rest = np.arange(len(K)) != key
        return moved(before, w[rest] / w[rest].sum() @ V[rest])
    V[key] = 0 if how == "zero" else V.mean(axis=0)
    return moved(before, w @ V)


@wrong("content_removal", "integer-truncation")
def mean_in_an_integer_copy(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    before, new = w @ V, V.copy()
    if how == "mask":
        return moved(before, masked(w, new, key))
    new[key] = 0 if how == "zero" else V.mean(axis=0)
    return moved(before, w @ new)


@wrong("content_removal", "differs")
def absolute(Q, K, V, query, key, how):
    w = weights(Q, K, query)
    return by_one_row(Q, K, V, query, key, how) * np.linalg.norm(w @ V)


@wrong("content_removal", "no-scaling")
def unscaled(Q, K, V, query, key, how):
    return by_one_row(Q * np.sqrt(Q.shape[1]), K, V, query, key, how)


@wrong("content_removal", "overflow")
def naive(Q, K, V, query, key, how):
    e = np.exp(Q[query] @ K.T / np.sqrt(K.shape[1]))
    after = {"zero": zeroed, "mean": averaged, "mask": masked}[how]
    w = e / e.sum()
    return moved(w @ V, after(w.copy(), V.astype(float), key))


@wrong("content_removal", "removal-measures-weights", "no-scaling")
def unscaled_weights(Q, K, V, query, key, how):
    return change_of_weights(Q * np.sqrt(Q.shape[1]), K, V, query, key, how)


# ---- streaming_attention


def streaming(Q, K, V, block, m0=-np.inf, both=(True, True), limit=None, divisor=None):
    m = np.full((len(Q), 1), float(m0))
    total, mixed = np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[1]))
    for i in range(0, limit if limit is not None else len(K), block):
        S = Q @ K[i : i + block].T / (divisor or np.sqrt(K.shape[1]))
        new = np.maximum(m, S.max(axis=1, keepdims=True))
        shrink, e = np.exp(m - new), np.exp(S - new)
        total = (total * shrink if both[0] else total) + e.sum(axis=1, keepdims=True)
        mixed = (mixed * shrink if both[1] else mixed) + e @ V[i : i + block]
        m = new
    return mixed / total


@right("streaming_attention")
def online(Q, K, V, block):
    return streaming(Q, K, V, block)


@right("streaming_attention")
def row_by_row(Q, K, V, block):
    rows = []
    for q in Q:
        top, total, mixed = -np.inf, 0.0, np.zeros(V.shape[1])
        for i in range(0, len(K), block):
            s = K[i : i + block] @ q / len(q) ** 0.5
            new = max(top, s.max())
            total = total * np.exp(top - new) + np.exp(s - new).sum()
            mixed = mixed * np.exp(top - new) + np.exp(s - new) @ V[i : i + block]
            top = new
        rows.append(mixed / total)
    return rows


@right("streaming_attention")
def two_passes(Q, K, V, block):
    parts = [slice(i, i + block) for i in range(0, len(K), block)]
    top = np.max([(Q @ K[p].T / np.sqrt(K.shape[1])).max(axis=1) for p in parts], axis=0)[:, None]
    E = [np.exp(Q @ K[p].T / np.sqrt(K.shape[1]) - top) for p in parts]
    return sum(e @ V[p] for e, p in zip(E, parts, strict=True)) / sum(e.sum(axis=1, keepdims=True) for e in E)


@right("streaming_attention")
def normalised_on_the_way(Q, K, V, block):
    out, lse = np.zeros((len(Q), V.shape[1])), np.full((len(Q), 1), -np.inf)
    for i in range(0, len(K), block):
        S = Q @ K[i : i + block].T / np.sqrt(K.shape[1])
        here = scipy.special.logsumexp(S, axis=1, keepdims=True)
        both = np.logaddexp(lse, here)
        out = out * np.exp(lse - both) + np.exp(S - both) @ V[i : i + block]
        lse = both
    return out


@wrong("streaming_attention", "accumulator-not-rescaled")
def sums_kept(Q, K, V, block):
    return streaming(Q, K, V, block, both=(False, False))


@wrong("streaming_attention", "accumulator-not-rescaled")
def only_total_rescaled(Q, K, V, block):
    return streaming(Q, K, V, block, both=(True, False))


@wrong("streaming_attention", "accumulator-not-rescaled")
def only_output_rescaled(Q, K, V, block):
    return streaming(Q, K, V, block, both=(False, True))


@wrong("streaming_attention", "block-outputs-averaged")
def mean_of_blocks(Q, K, V, block):
    return np.mean([plain(Q, K[i : i + block], V[i : i + block]) for i in range(0, len(K), block)], axis=0)


@wrong("streaming_attention", "block-outputs-averaged")
def weighted_mean_of_blocks(Q, K, V, block):
    out = np.zeros((len(Q), V.shape[1]))
    for i in range(0, len(K), block):
        part = K[i : i + block]
        out += plain(Q, part, V[i : i + block]) * len(part) / len(K)
    return out


@wrong("streaming_attention", "running-maximum-from-zero")
def from_zero(Q, K, V, block):
    return streaming(Q, K, V, block, m0=0)


@wrong("streaming_attention", "running-maximum-from-zero")
def from_zeros_patched(Q, K, V, block):
    return np.nan_to_num(streaming(Q, K, V, block, m0=0))


@wrong("streaming_attention", "last-block-lost")
def full_blocks_only(Q, K, V, block):
    return streaming(Q, K, V, block, limit=len(K) // block * block)


@wrong("streaming_attention", "last-block-lost")
def number_of_blocks(Q, K, V, block):
    return np.nan_to_num(streaming(Q, K[: len(K) // block * block], V, block))


@wrong("streaming_attention", "no-scaling")
def unscaled_stream(Q, K, V, block):
    return streaming(Q, K, V, block, divisor=1.0)


@wrong("streaming_attention", "overflow")
def no_maximum(Q, K, V, block):
    total, mixed = 0, 0
    for i in range(0, len(K), block):
        e = np.exp(Q @ K[i : i + block].T / np.sqrt(K.shape[1]))
        total, mixed = total + e.sum(axis=1, keepdims=True), mixed + e @ V[i : i + block]
    return mixed / total


@wrong("streaming_attention", "differs")
def padded_with_zeros(Q, K, V, block):
    extra = -len(K) % block
    return streaming(Q, np.pad(K, ((0, extra), (0, 0))), np.pad(V, ((0, extra), (0, 0))), block)


@wrong("streaming_attention", "last-block-lost", "accumulator-not-rescaled")
def two_things(Q, K, V, block):
    return streaming(Q, K, V, block, both=(False, False), limit=len(K) // block * block)
