"""What goes wrong with the weighted sum and with the sources of Q, K and V; and all the slips of attention."""

import itertools

import numpy as np

from rowwise.exercises import slips
from rowwise.exercises.explain import Slip
from rowwise.exercises.models import by_row, keep
from rowwise.exercises.slips import TRUNCATED, slip
from rowwise.exercises.slips_masks import (
    AFTER_SOFTMAX,
    EXCLUSIONS,
    MASKS,
    NOTHING_PERMITTED,
    however_guarded,
    not_a_number_to_zero,
    penalty,
)


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
    slip("mean-of-values", "one row", mix=lambda W, V, K=None: V.mean(axis=-2)),
    slip("mean-of-values", "one row", mix=lambda W, V, K=None: V.sum(axis=-2)),
    slip(
        "weights-not-summed",
        mix=lambda W, V, K=None: np.swapaxes(W[..., :, :, None] * V[..., None, :, :], -1, -2),
    ),
    slip("weights-not-summed", "pairs", mix=lambda W, V, K=None: W * V),
)
SCALED_OUTPUT = (
    slip("scaled-output", scale=lambda S, sizes: S, finish=lambda O, sizes: O / np.sqrt(sizes["d_k"])),
    slip("scaled-output", "both", finish=lambda O, sizes: O / np.sqrt(sizes["d_k"])),
)

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
    (
        *slips.COLUMNS,
        *slips.EVERYTHING,
        *slips.BROADCAST,
        *slips.LARGEST,
        *slips.UNLIKE_EXPONENTIALS,
        *slips.UNNORMALISED,
        *slips.AFTERWARDS,
    )
)


def _patched(those) -> tuple[Slip, ...]:
    """The slips with every NaN made 0 afterwards."""
    return tuple(Slip(s.slug, {"guard": not_a_number_to_zero, **s.steps}, s.note) for s in those)


GUARDED_SHIFTS = _patched(slips.SHIFTS)
# Who compares angles seldom scales.
UNSCALED_COSINES = tuple(
    Slip(s.slug, {**s.steps, "scale": lambda S, sizes: S}, s.note) for s in slips.PRODUCTS if s.slug == "cosine-not-dot"
)
ATTENTION = (
    *slips.PRODUCTS,
    *UNSCALED_COSINES,
    *slips.VALUES_IN_SCORES,
    *slips.SCALES,
    *slips.VALUE_SCALES,
    *SCALED_OUTPUT,
    *_SOFTMAX_GUARDED,
    *slips.SHIFTS,
    *GUARDED_SHIFTS,
    *MASKS,
    *MIXES,
    *TRUNCATED,
    slip("differs", "weights only", mix=lambda W, V, K=None: W),
)
# Two by two, only what is common; every guard of a mask, one of the rest.
ATTENTION_PAIRS = (
    *slips.PRODUCTS[:7],
    *UNSCALED_COSINES,
    *slips.VALUES_IN_SCORES,
    *slips.SCALES[:5],
    *slips.VALUE_SCALES[:1],
    *SCALED_OUTPUT,
    *slips.SOFTMAX,
    *_patched((*slips.COLUMNS, *slips.EVERYTHING, *slips.SHIFTS)),
    *however_guarded(EXCLUSIONS),
    *AFTER_SOFTMAX,
    *NOTHING_PERMITTED,
    *however_guarded([each for c in (-10.0, -100.0, -1e4, -1e6, -1e9, -1e10) for each in penalty(c)[:2]]),
    *MIXES,
)
