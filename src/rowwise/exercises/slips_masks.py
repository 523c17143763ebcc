"""What masks do wrong, as calculations: what is computed where −∞ belongs, and in rows that permit nothing."""

import numpy as np

from rowwise import reference
from rowwise.exercises.explain import Slip
from rowwise.exercises.models import by_row, exclude, keep, no_row_for_nothing
from rowwise.exercises.slips import slip

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
    slip("mask-times-infinity", "inverted", exclude=lambda S, mask, sizes: S + mask * -np.inf),
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


def not_a_number_to_zero(W, S, mask):
    """A guard after the fact."""
    return np.where(np.isnan(W), 0, W)


def _uniform(W, S, mask):
    return np.where(mask.any(axis=-1, keepdims=True), W, 1 / W.shape[-1])


def _unmasked(W, S, mask):
    return np.where(mask.any(axis=-1, keepdims=True), W, reference.softmax_rows(S))


def however_guarded(slips) -> tuple[Slip, ...]:
    """Each of the slips with every way in which a row that permits nothing may be treated beside it."""
    guards = (keep, no_row_for_nothing, not_a_number_to_zero)
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
