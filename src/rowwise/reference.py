"""The mathematics of the course, a few lines a function. Each function is its formula.

Shapes are those of the field: Q (..., n_q, d_k), K (..., n_k, d_k), V (..., n_k, d_v), mask (..., n_q, n_k) with
True = may attend. Leading axes are batch and head, in that order.

Source of the formulas: Vaswani et al., "Attention Is All You Need" (2017), section 3.2; the online softmax is that of
Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
"""

import numpy as np


def scores(Q, K):
    """Q Kᵀ: the dot product of every query with every key, shape (..., n_q, n_k)."""
    return Q @ np.swapaxes(K, -1, -2)


def scaled_scores(Q, K):
    """Q Kᵀ / √d_k, shape (..., n_q, n_k)."""
    return scores(Q, K) / np.sqrt(np.shape(Q)[-1])


def softmax_rows(S):
    """Softmax along the last axis, each row's own maximum taken away first; shape of S.

    A row whose every score is −inf permits nothing: its weights are 0.
    """
    S = np.asarray(S)
    S = S if np.issubdtype(S.dtype, np.floating) else S.astype(float)
    largest = S.max(axis=-1, keepdims=True)
    e = np.exp(S - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def mix_values(W, V):
    """W V: each query's weighted sum of the values, shape (..., n_q, d_v)."""
    return W @ V


def masked_scores(S, mask):
    """The scores where mask is True, −inf elsewhere; shape (..., n_q, n_k)."""
    return np.where(mask, S, -np.inf)


def causal_mask(n):
    """(n, n) booleans: position i may attend to positions 0 … i, itself included."""
    return np.tri(n, dtype=bool)


def weights(Q, K, mask=None):
    """softmax(Q Kᵀ / √d_k) row by row, excluded keys at exactly 0; shape (..., n_q, n_k)."""
    S = scaled_scores(Q, K)
    return softmax_rows(S if mask is None else masked_scores(S, mask))


def attention(Q, K, V, mask=None):
    """softmax(Q Kᵀ / √d_k) V, shape (..., n_q, d_v); a row with nothing permitted is 0."""
    return mix_values(weights(Q, K, mask), V)


def self_attention(X, Wq, Wk, Wv, mask=None):
    """Queries, keys and values all projected from X (n, d_model); shape (n, d_v)."""
    return attention(X @ Wq, X @ Wk, X @ Wv, mask)


def cross_attention(X, M, Wq, Wk, Wv, mask=None):
    """Queries from X (n_q, d_x), keys and values from the memory M (n_k, d_m); shape (n_q, d_v)."""
    return attention(X @ Wq, M @ Wk, M @ Wv, mask)


def split_heads(X, heads):
    """(..., n, heads · d) to (..., heads, n, d)."""
    *lead, n, width = np.shape(X)
    return np.swapaxes(np.reshape(X, (*lead, n, heads, width // heads)), -2, -3)


def merge_heads(X):
    """(..., heads, n, d) to (..., n, heads · d): the heads side by side."""
    *lead, heads, n, d = np.shape(X)
    return np.reshape(np.swapaxes(X, -2, -3), (*lead, n, heads * d))


def multi_head_attention(X, Wq, Wk, Wv, Wo, heads, mask=None):
    """Split, attend in each head, merge, multiply by Wo; X (..., n, d_model), result (..., n, d_model).

    The mask (..., n, n) is the same for every head.
    """
    Q, K, V = (split_heads(X @ W, heads) for W in (Wq, Wk, Wv))
    mask = None if mask is None else np.expand_dims(mask, -3)
    return merge_heads(attention(Q, K, V, mask)) @ Wo


def content_removal(Q, K, V, query, key, how):
    """How far the output of one query moves when one key's content is taken away, ‖o′ − o‖ / ‖o‖.

    how: "zero" (the value becomes 0), "mean" (it becomes the mean of all values), or "mask" (the key is excluded and
    the other weights renormalise).
    """
    w = weights(Q, K)[query]
    o = w @ V
    if how == "mask":
        allowed = np.arange(len(V)) != key
        moved = attention(Q[query : query + 1], K, V, allowed[None, :])[0] - o
    else:
        stand_in = {"zero": np.zeros_like(V[key]), "mean": V.mean(axis=0)}[how]
        moved = w[key] * (stand_in - V[key])
    return float(np.linalg.norm(moved) / np.linalg.norm(o))


def streaming_attention(Q, K, V, block):
    """The same as attention(Q, K, V), a block of keys at a time, never holding the (n_q, n_k) matrix."""
    n_q, d_k = np.shape(Q)
    largest = np.full((n_q, 1), -np.inf)
    total = np.zeros((n_q, 1))
    out = np.zeros((n_q, np.shape(V)[-1]))
    for start in range(0, len(K), block):
        S = Q @ K[start : start + block].T / np.sqrt(d_k)
        new = np.maximum(largest, S.max(axis=-1, keepdims=True))
        shrink = np.exp(largest - new)
        e = np.exp(S - new)
        total = total * shrink + e.sum(axis=-1, keepdims=True)
        out = out * shrink + e @ V[start : start + block]
        largest = new
    return out / total
