"""The mistakes of the catalogue as calculations: what somebody who makes one computes instead.

Each list is in order of precedence. A slip names the steps of ``rowwise.exercises.models`` that it replaces.
"""

import numpy as np

from rowwise import reference
from rowwise.exercises.explain import Slip
from rowwise.exercises.models import by_row, keep


def unit(A):
    """Every row divided by its length."""
    return A / np.linalg.norm(A, axis=-1, keepdims=True)


def slip(slug: str, note: str = "", **steps) -> Slip:
    """A slip, its replaced steps by name."""
    return Slip(slug, steps, note)


def _sums(Q, K):
    return Q.sum(-1)[..., :, None] + K.sum(-1)[..., None, :]


def _sums_multiplied(Q, K):
    return Q.sum(-1)[..., :, None] * K.sum(-1)[..., None, :]


PRODUCTS = (
    slip("transposed-scores", product=lambda Q, K: K @ np.swapaxes(Q, -1, -2)),
    slip("transposed-scores", product=lambda Q, K: reference.scores(unit(K), unit(Q))),
    slip("queries-with-queries", "Q", product=lambda Q, K: reference.scores(Q, Q)),
    slip("queries-with-queries", "K", product=lambda Q, K: reference.scores(K, K)),
    slip("cosine-not-dot", "both", product=lambda Q, K: reference.scores(unit(Q), unit(K))),
    slip("cosine-not-dot", "query", product=lambda Q, K: reference.scores(unit(Q), K)),
    slip("cosine-not-dot", "key", product=lambda Q, K: reference.scores(Q, unit(K))),
    slip("elementwise-not-dot", "unsummed", product=lambda Q, K: Q[..., :, None, :] * K[..., None, :, :]),
    slip("elementwise-not-dot", "unsummed", product=lambda Q, K: K[..., :, None, :] * Q[..., None, :, :]),
    slip("elementwise-not-dot", "unsummed", product=np.multiply.outer),
    slip("elementwise-not-dot", "pairs", product=lambda Q, K: Q * K),
    slip("elementwise-not-dot", "pairs summed", product=lambda Q, K: (Q * K).sum(-1)),
    slip("elementwise-not-dot", "sums", product=_sums),
    slip("elementwise-not-dot", "sums", product=_sums_multiplied),
)
# In an exercise that asks for the products alone.
SCALED_TOO_EARLY = slip("differs", "scaled", product=lambda Q, K: reference.scores(Q, K) / np.sqrt(np.shape(Q)[-1]))
VALUES_IN_SCORES = (slip("values-in-scores", keys=lambda Q, K, V: V),)


def divided(note: str, by, slug: str = "scaled-by-wrong-size") -> Slip:
    """The scores divided by a number that ``by`` takes from the sizes."""
    return slip(slug, note, scale=lambda S, sizes: S / by(sizes))


def _root(name: str):
    return lambda sizes: np.sqrt(sizes[name])


SCALES = (
    divided("", lambda sizes: 1.0, "no-scaling"),
    divided("", lambda sizes: sizes["d_k"], "scaled-by-width"),
    divided("", lambda sizes: 1 / np.sqrt(sizes["d_k"]), "scaled-wrong-way"),
    divided("√n_k, from the number of keys", _root("n_k")),
    divided("√n_q, from the number of queries", _root("n_q")),
    divided("n_k, the number of keys", lambda sizes: sizes["n_k"]),
    divided("n_q, the number of queries", lambda sizes: sizes["n_q"]),
    divided("1/d_k, so that it multiplies", lambda sizes: 1 / sizes["d_k"]),
    divided("d_k to the power of 1/4", lambda sizes: sizes["d_k"] ** 0.25),
    divided("d_k²", lambda sizes: sizes["d_k"] ** 2),
    divided("2·√d_k", lambda sizes: 2 * np.sqrt(sizes["d_k"])),
    divided("√(2·d_k)", lambda sizes: np.sqrt(2 * sizes["d_k"])),
    divided("√d_k / 2", lambda sizes: np.sqrt(sizes["d_k"]) / 2),
    divided("the logarithm of d_k", lambda sizes: np.log(sizes["d_k"])),
    divided("√(n_q·n_k), from the number of scores", lambda sizes: np.sqrt(sizes["n_q"] * sizes["n_k"])),
    divided("√(n_q·d_k), from the size of Q", lambda sizes: np.sqrt(sizes["n_q"] * sizes["d_k"])),
    divided("√n_k·√d_k", lambda sizes: np.sqrt(sizes["n_k"] * sizes["d_k"])),
)
VALUE_SCALES = (
    divided("√d_v, from the width of the values", _root("d_v")),
    divided("d_v, the width of the values", lambda sizes: sizes["d_v"]),
)
MODEL_SCALES = (
    divided("√d_model, from the width of X", _root("d_model")),
    divided("d_model, the width of X", lambda sizes: sizes["d_model"]),
)


def _nothing(S):
    return 0.0


def _everything(S):
    return S.max()


def by_columns(E):
    """Every column divided by its sum."""
    return E / E.sum(axis=-2, keepdims=True)


def by_everything(E):
    """Every cell divided by the one sum."""
    return E / E.sum()


def _column_maximum(S):
    return S.max(axis=-2, keepdims=True)


def _lined_up_with_columns(E):
    return E / E.sum(axis=-1)


def _maximum_lined_up(S):
    return S.max(axis=-1)


def _one_hot(W):
    return (np.arange(W.shape[-1]) == np.argmax(W, axis=-1)[..., None]).astype(float)


def _every_largest(W):
    return (np.max(W, axis=-1, keepdims=True) == W).astype(float)


def _shared_among_largest(W):
    return by_row(_every_largest(W))


def _sum_of_sizes(S):
    return S / np.abs(S).sum(axis=-1, keepdims=True)


def _share_of_largest(S):
    return S / S.max(axis=-1, keepdims=True)


def _smallest(S):
    return S.min(axis=-1, keepdims=True)


def _cooled(note: str, by) -> Slip:
    return slip("wrong-base-or-temperature", note, power=lambda S: np.exp(S / by(S.shape[-1])))


_WIDTHS = (
    ("1/√n, from the length of the row,", np.sqrt),
    ("1/n, from the length of the row,", float),
    ("√n, from the length of the row,", lambda n: 1 / np.sqrt(n)),
)
COLUMNS = (
    slip("softmax-down-columns", shift=_column_maximum, normalise=by_columns),
    slip("softmax-down-columns", normalise=by_columns),
    slip("softmax-down-columns", shift=_everything, normalise=by_columns),
)
EVERYTHING = (
    slip("softmax-over-everything", shift=_everything, normalise=by_everything),
    slip("softmax-over-everything", normalise=by_everything),
)
BROADCAST = (
    slip("sums-broadcast-wrong", normalise=_lined_up_with_columns),
    slip("sums-broadcast-wrong", "maximum", shift=_maximum_lined_up),
    slip("sums-broadcast-wrong", "both", shift=_maximum_lined_up, normalise=_lined_up_with_columns),
)
LARGEST = (
    slip("argmax", rework=_one_hot),
    slip("argmax", rework=_every_largest),
    slip("argmax", rework=_shared_among_largest),
)
UNLIKE_EXPONENTIALS = (
    slip("no-exponential", shift=_nothing, power=keep),
    slip("no-exponential", shift=_nothing, power=np.abs),
    slip("no-exponential", shift=_nothing, power=keep, normalise=_sum_of_sizes),
    slip("no-exponential", power=keep),
    slip("no-exponential", shift=lambda S: S.min(axis=-1, keepdims=True), power=keep),
    slip("no-exponential", shift=lambda S: S.min(), power=keep),
    slip("no-exponential", shift=_nothing, power=np.square),
    slip("no-exponential", shift=_nothing, power=lambda S: np.maximum(S, 0)),
    slip("no-exponential", shift=_nothing, power=keep, normalise=_share_of_largest),
    slip("no-exponential", shift=_smallest, power=keep, normalise=_share_of_largest),
    *(_cooled(note, by) for note, by in _WIDTHS),
    slip("wrong-base-or-temperature", "base 2", power=np.exp2),
    slip("wrong-base-or-temperature", "base 10", power=lambda S: 10.0**S),
    slip("wrong-base-or-temperature", "base 2", shift=_nothing, power=np.exp2),
    slip("wrong-base-or-temperature", "base 10", shift=_nothing, power=lambda S: 10.0**S),
)
UNNORMALISED = (
    slip("not-normalised", normalise=keep),
    slip("not-normalised", shift=_nothing, normalise=keep),
    slip("not-normalised", "maximum", shift=_nothing, normalise=lambda E: E / E.max(axis=-1, keepdims=True)),
    slip("not-normalised", shift=_everything, normalise=keep),
    slip("not-normalised", "maximum", shift=_nothing, normalise=lambda E: E / E.max()),
    slip("not-normalised", "mean", normalise=lambda E: E / E.mean(axis=-1, keepdims=True)),
    slip("not-normalised", "size", normalise=lambda E: E / E.shape[-1]),
    slip("not-normalised", "squares", normalise=lambda E: E / np.linalg.norm(E, axis=-1, keepdims=True)),
)
AFTERWARDS = (
    slip("log-weights", power=keep, normalise=lambda S: S - np.log(np.exp(S).sum(axis=-1, keepdims=True))),
    slip("log-weights", rework=np.log),
    slip("softmax-twice", rework=reference.softmax_rows),
    slip("softmax-twice", rework=lambda W: reference.softmax_rows(np.nan_to_num(W))),
)
SHIFTS = (
    slip("global-maximum", shift=_everything),
    slip("overflow", "none", shift=_nothing),
    slip("overflow", "mean", shift=lambda S: S.mean(axis=-1, keepdims=True)),
    slip("overflow", "mean", shift=lambda S: S.mean()),
    slip("overflow", "minimum", shift=lambda S: S.min(axis=-1, keepdims=True)),
    slip("overflow", "size", shift=lambda S: np.abs(S).max(axis=-1, keepdims=True)),
)
SOFTMAX = (
    *COLUMNS,
    *EVERYTHING,
    *BROADCAST,
    *LARGEST,
    *UNLIKE_EXPONENTIALS,
    *UNNORMALISED,
    *AFTERWARDS,
    *SHIFTS,
)

TRUNCATED = (slip("integer-truncation", finish=lambda O, sizes=None: np.trunc(O)),)
