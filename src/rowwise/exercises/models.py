"""The calculations of the course in steps that can be replaced one by one, so that mistakes can be computed.

``rowwise.reference`` says what is right; these only say what somebody who does one step differently would get.
"""

import numpy as np

from rowwise import reference


def sizes_of(Q, K, V=None) -> dict[str, int]:
    """The sizes that a divisor might be taken from by mistake."""
    sizes = {"n_q": np.shape(Q)[-2], "n_k": np.shape(K)[-2], "d_k": np.shape(K)[-1]}
    return sizes if V is None else {**sizes, "d_v": np.shape(V)[-1]}


def by_root_of_width(S, sizes):
    """The right scale."""
    return S / np.sqrt(sizes["d_k"])


def row_maximum(S):
    """The right shift."""
    return S.max(axis=-1, keepdims=True)


def by_row(E):
    """The right normalisation."""
    return E / E.sum(axis=-1, keepdims=True)


def exclude(S, mask, sizes=None):
    """The right way to mask."""
    return np.where(mask, S, -np.inf)


def keep(W, *_):
    """What stands there, unchanged."""
    return W


def no_row_for_nothing(W, S, mask):
    """The right guard: a row that permits nothing has no weights."""
    return np.where(mask.any(axis=-1, keepdims=True), W, 0)


def mix(W, V, K=None):
    """The right sum."""
    return W @ V


def scores(Q, K, *, product=reference.scores, finish=keep):
    """Products alone."""
    return finish(product(floats(Q), floats(K)))


def scaled_scores(Q, K, *, product=reference.scores, scale=by_root_of_width, finish=keep):
    """Products, then the scale."""
    return finish(scale(product(floats(Q), floats(K)), sizes_of(Q, K)))


def soften(S, *, shift=row_maximum, power=np.exp, normalise=by_row, rework=keep, finish=keep):
    """The softmax in its three steps, and what may be done to the weights afterwards."""
    S = floats(S)
    return finish(rework(normalise(power(S - shift(S)))))


def masked_scores(S, mask, *, exclude=exclude, finish=keep):
    """The mask alone."""
    return finish(exclude(floats(S), mask, {}))


def mix_values(W, V, *, mix=mix, rework=keep, finish=keep):
    """The sum alone."""
    return finish(mix(rework(floats(W)), floats(V)))


ATTENTION_STEPS = {
    "product keys": "the dot products",
    "scale": "the scale",
    "exclude guard reweigh": "the mask",
    "shift power normalise rework": "the softmax",
    "mix finish": "the weighted sum",
}


def attention(
    Q,
    K,
    V,
    mask=None,
    *,
    keys=lambda Q, K, V: K,
    product=reference.scores,
    scale=by_root_of_width,
    exclude=exclude,
    guard=no_row_for_nothing,
    reweigh=keep,
    mix=mix,
    finish=keep,
    sizes=None,
    **softening,
):
    """Everything: products, scale, mask, softmax, guard, sum."""
    Q, K, V = floats(Q), floats(K), floats(V)
    sizes = {**sizes_of(Q, K, V), **(sizes or {})}
    S = scale(product(Q, keys(Q, K, V)), sizes)
    allowed = np.ones(S.shape[-2:], dtype=bool) if mask is None else mask
    W = guard(soften(S if mask is None else exclude(S, mask, sizes), **softening), S, allowed)
    W = W if mask is None else reweigh(W, mask)
    return finish(mix(W, V, K), sizes)


def floats(A) -> np.ndarray:
    """The same numbers as float64."""
    return np.asarray(A, dtype=float)


def self_attention(X, Wq, Wk, Wv, mask=None, *, project=lambda X, M, Wq, Wk, Wv: (X @ Wq, M @ Wk, M @ Wv), **steps):
    """Projections, then attention."""
    return cross_attention(X, X, Wq, Wk, Wv, mask, project=project, **steps)


def cross_attention(X, M, Wq, Wk, Wv, mask=None, *, project=lambda X, M, Wq, Wk, Wv: (X @ Wq, M @ Wk, M @ Wv), **steps):
    """Projections of two sources, then attention."""
    X, M, Wq, Wk, Wv = map(floats, (X, M, Wq, Wk, Wv))
    return attention(*project(X, M, Wq, Wk, Wv), mask, sizes={"d_model": X.shape[-1]}, **steps)
