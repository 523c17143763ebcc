"""The mistakes of the catalogue as calculations: what somebody who makes one computes instead.

Each list is in order of precedence. A slip names the steps of ``rowwise.exercises.models`` that it replaces.
"""

import itertools

import numpy as np

from rowwise import reference
from rowwise.exercises.explain import Slip
from rowwise.exercises.models import by_row, exclude, keep, no_row_for_nothing


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
    slip("queries-with-queries", "Q", product=lambda Q, K: reference.scores(Q, Q)),
    slip("queries-with-queries", "K", product=lambda Q, K: reference.scores(K, K)),
    slip("cosine-not-dot", "both", product=lambda Q, K: reference.scores(unit(Q), unit(K))),
    slip("cosine-not-dot", "query", product=lambda Q, K: reference.scores(unit(Q), K)),
    slip("cosine-not-dot", "key", product=lambda Q, K: reference.scores(Q, unit(K))),
    slip("elementwise-not-dot", "unsummed", product=lambda Q, K: Q[..., :, None, :] * K[..., None, :, :]),
    slip("elementwise-not-dot", "pairs", product=lambda Q, K: Q * K),
    slip("elementwise-not-dot", "pairs summed", product=lambda Q, K: (Q * K).sum(-1)),
    slip("elementwise-not-dot", "sums", product=_sums),
    slip("elementwise-not-dot", "sums", product=_sums_multiplied),
)
# In an exercise that asks for the products alone.
SCALED_TOO_EARLY = slip(
    "differs", "scaled", product=lambda Q, K: reference.scores(Q, K) / np.sqrt(np.shape(Q)[-1])
)
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


def _minus(S, taken):
    return S - taken(S)


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
    slip("wrong-base-or-temperature", "2", power=np.exp2),
    slip("wrong-base-or-temperature", "10", power=lambda S: 10.0**S),
    slip("wrong-base-or-temperature", "2", shift=_nothing, power=np.exp2),
    slip("wrong-base-or-temperature", "10", shift=_nothing, power=lambda S: 10.0**S),
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


# ---- masks

PENALTIES = (
    *(-float(f"1e{power}") for power in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30)),
    *(-5.0, -20.0, -50.0, -500.0, -9999.0, -65504.0, -99999.0, -999999.0),
    float(np.finfo(np.float16).min),
    float(np.finfo(np.float32).min),
    float(np.finfo(np.float64).min),
)


def penalty(c: float, note: str = "") -> tuple[Slip, ...]:
    """A finite number in the place of −∞: put there, or added; before the scale or after it."""
    return (
        slip("mask-too-weak", note or f"{c:g}", exclude=lambda S, mask, sizes: np.where(mask, S, c)),
        slip("mask-too-weak", note or f"{c:g}", exclude=lambda S, mask, sizes: S + np.where(mask, 0, c)),
        slip(
            "mask-too-weak",
            note or f"{c:g}",
            exclude=lambda S, mask, sizes: np.where(mask, S, c / np.sqrt(sizes.get("d_k", 1))),
        ),
        slip(
            "mask-too-weak",
            note or f"{c:g}",
            exclude=lambda S, mask, sizes: S + np.where(mask, 0, c / np.sqrt(sizes.get("d_k", 1))),
        ),
    )


def _by_infinity(S, mask, sizes):
    return S + (1.0 - mask) * -np.inf


def _before_scale(number):
    return lambda S, mask, sizes: S + number(mask) / np.sqrt(sizes.get("d_k", 1))


def _inverted(c: float):
    return lambda S, mask, sizes: np.where(mask, c, S)


EXCLUSIONS = (
    slip("mask-zeroes-scores", exclude=lambda S, mask, sizes: np.where(mask, S, 0.0)),
    slip("mask-inverted", exclude=lambda S, mask, sizes: exclude(S, ~mask)),
    *(slip("mask-inverted", exclude=_inverted(c)) for c in (-1e9, -1e10, -1e4, -10.0)),
    slip("mask-times-infinity", exclude=_by_infinity),
    slip("mask-times-infinity", exclude=lambda S, mask, sizes: S * np.where(mask, 1.0, -np.inf)),
    slip("mask-added", exclude=lambda S, mask, sizes: S + mask),
    slip("mask-added", exclude=_before_scale(lambda mask: mask * 1.0)),
    slip("mask-added", "excluded", exclude=lambda S, mask, sizes: S + ~mask),
    slip("mask-added", "subtracted", exclude=lambda S, mask, sizes: S - mask * 1.0),
    slip("mask-added", "subtracted", exclude=lambda S, mask, sizes: S - ~mask * 1.0),
    slip("mask-transposed", exclude=lambda S, mask, sizes: exclude(S, np.swapaxes(mask, -1, -2))),
    slip("mask-ignored", exclude=keep),
)
TOO_WEAK = tuple(each for c in PENALTIES for each in penalty(c))


def _renormalised(W, mask):
    return by_row(W * mask)


AFTER_SOFTMAX = (
    slip("mask-after-softmax", exclude=keep, guard=keep, reweigh=lambda W, mask: W * mask),
    slip("mask-then-renormalise", exclude=keep, guard=keep, reweigh=_renormalised),
    slip(
        "mask-then-renormalise",
        exclude=keep,
        guard=keep,
        reweigh=lambda W, m: np.nan_to_num(_renormalised(W, m)),
    ),
)


def _not_a_number_to_zero(W, S, mask):
    return np.where(np.isnan(W), 0, W)


def _uniform(W, S, mask):
    return np.where(mask.any(axis=-1, keepdims=True), W, 1 / W.shape[-1])


def _unmasked(W, S, mask):
    return np.where(mask.any(axis=-1, keepdims=True), W, reference.softmax_rows(S))


def however_guarded(slips) -> tuple[Slip, ...]:
    """Each of the slips with every way in which a row that permits nothing may be treated beside it."""
    guards = (keep, no_row_for_nothing, _not_a_number_to_zero)
    return tuple(Slip(s.slug, {"guard": guard, **s.steps}, s.note) for s in slips for guard in guards)


NOTHING_PERMITTED = (
    slip("nothing-permitted-nan", guard=keep),
    slip("nothing-permitted-uniform", guard=_uniform),
    slip("nothing-permitted-uniform", "unmasked", guard=_unmasked),
)
MASKS = (*NOTHING_PERMITTED, *however_guarded(EXCLUSIONS), *AFTER_SOFTMAX, *however_guarded(TOO_WEAK))


CAUSAL = (
    slip("mask-inverted", pattern=lambda n: ~np.tri(n, dtype=bool)),
    slip("causal-looks-ahead", "upper", pattern=lambda n: np.tri(n, dtype=bool).T),
    slip("causal-looks-ahead", "one", pattern=lambda n: np.tri(n, k=1, dtype=bool)),
    slip("causal-looks-ahead", "all", pattern=lambda n: np.ones((n, n), dtype=bool)),
    slip("causal-excludes-self", pattern=lambda n: np.tri(n, k=-1, dtype=bool)),
    slip("causal-looks-ahead", "strict upper", pattern=lambda n: np.tri(n, k=-2, dtype=bool).T),
)


# ---- the sum


def _every_row_alike(row):
    return lambda W, V, K=None: np.broadcast_to(row(V), (*W.shape[:-1], V.shape[-1]))


MIXES = (
    slip("keys-as-values", mix=lambda W, V, K: W @ K),
    slip("transposed-mix", mix=lambda W, V, K=None: np.swapaxes(W, -1, -2) @ V),
    slip("mean-of-values", mix=_every_row_alike(lambda V: V.mean(axis=-2, keepdims=True))),
    slip("mean-of-values", "sum", mix=_every_row_alike(lambda V: V.sum(axis=-2, keepdims=True))),
    slip(
        "mean-of-values",
        "permitted",
        rework=lambda W: np.full_like(W, 1 / W.shape[-1]),
        guard=keep,
        reweigh=lambda W, mask: np.nan_to_num(by_row(mask * 1.0)),
    ),
    slip("weights-not-summed", mix=lambda W, V, K=None: W[..., :, :, None] * V[..., None, :, :]),
    slip("weights-not-summed", "pairs", mix=lambda W, V, K=None: W * V),
)
SCALED_OUTPUT = (
    slip("scaled-output", scale=lambda S, sizes: S, finish=lambda O, sizes: O / np.sqrt(sizes["d_k"])),
    slip("scaled-output", "both", finish=lambda O, sizes: O / np.sqrt(sizes["d_k"])),
)
TRUNCATED = (slip("integer-truncation", finish=lambda O, sizes=None: np.trunc(O)),)

# ---- where queries, keys and values come from


def _swapped(use: tuple[str, str, str]) -> Slip:
    def project(X, M, Wq, Wk, Wv):
        made = {"q": Wq, "k": Wk, "v": Wv}
        return X @ made[use[0]], M @ made[use[1]], M @ made[use[2]]

    if use == ("q", "k", "k"):
        return slip("keys-as-values", project=project)
    jobs = zip(("queries", "keys", "values"), use, "qkv", strict=True)
    note = " and ".join(f"the {job} are made with W{used}" for job, used, own in jobs if used != own)
    return slip("projection-swapped", note, project=project)


def _raw(which: str) -> Slip:
    def project(X, M, Wq, Wk, Wv):
        return (
            X if "q" in which else X @ Wq,
            M if "k" in which else M @ Wk,
            M if "v" in which else M @ Wv,
        )

    names = {"q": "queries", "k": "keys", "v": "values"}
    note = " and ".join(names[letter] for letter in which)
    return slip("no-projection", f"the {note} are the vectors as they came", project=project)


PROJECTIONS = (
    *(_swapped(use) for use in itertools.product("qkv", repeat=3) if use != ("q", "k", "v")),
    *(_raw(which) for which in ("qkv", "q", "k", "v", "qk", "qv", "kv")),
)
SELF_SOURCES = PROJECTIONS
CROSS_SOURCES = (
    slip("keys-from-queries", "KV", project=lambda X, M, Wq, Wk, Wv: (X @ Wq, X @ Wk, X @ Wv)),
    slip("keys-from-queries", "K", project=lambda X, M, Wq, Wk, Wv: (X @ Wq, X @ Wk, M @ Wv)),
    slip("keys-from-queries", "V", project=lambda X, M, Wq, Wk, Wv: (X @ Wq, M @ Wk, X @ Wv)),
    slip("queries-from-memory", project=lambda X, M, Wq, Wk, Wv: (M @ Wq, X @ Wk, X @ Wv)),
    slip("queries-from-memory", project=lambda X, M, Wq, Wk, Wv: (M @ Wq, M @ Wk, M @ Wv)),
    *PROJECTIONS,
)


_SOFTMAX_GUARDED = however_guarded(
    (*COLUMNS, *EVERYTHING, *BROADCAST, *LARGEST, *UNLIKE_EXPONENTIALS, *UNNORMALISED, *AFTERWARDS)
)

ATTENTION = (
    *PRODUCTS,
    *VALUES_IN_SCORES,
    *SCALES,
    *VALUE_SCALES,
    *SCALED_OUTPUT,
    *_SOFTMAX_GUARDED,
    *SHIFTS,
    *MASKS,
    *MIXES,
    *TRUNCATED,
)
# Two by two, only what is common; every guard of a mask, one of the rest.
ATTENTION_PAIRS = (
    *PRODUCTS[:6],
    *VALUES_IN_SCORES,
    *SCALES[:5],
    *VALUE_SCALES[:1],
    *SCALED_OUTPUT,
    *SOFTMAX,
    *(Slip(s.slug, {"guard": _not_a_number_to_zero, **s.steps}, s.note) for s in (*COLUMNS, *EVERYTHING)),
    *however_guarded(EXCLUSIONS),
    *AFTER_SOFTMAX,
    *NOTHING_PERMITTED,
    *however_guarded([each for c in (-10.0, -100.0, -1e4, -1e6, -1e9, -1e10) for each in penalty(c)[:2]]),
    *MIXES,
)
