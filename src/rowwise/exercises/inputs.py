"""Inputs for the cases of a function's check: the same arrays on every machine and every day."""

import zlib
from dataclasses import dataclass

import numpy as np

from rowwise.probe import Case


@dataclass(frozen=True)
class Trial:
    """A case, the part of the mark that it decides, and what is special about it.

    ``tags`` steer what a failure is called and which case a message shows: "identity" (V is the identity, so that the
    output is the weights), "extreme", "dominates", "empty", "integer", "mask", "square".
    """

    case: Case
    part: str
    tags: frozenset[str] = frozenset()


def trial(part: str, name: str, *args, tags: str = "") -> Trial:
    """A trial whose arrays nobody can write into; ``tags`` are separated by spaces."""
    for array in args:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return Trial(Case(name, args), part, frozenset(tags.split()))


def draw(seed: str, *shape: int, scale: float = 1.0) -> np.ndarray:
    """Normal numbers of two decimals: easy to read, and no two alike by chance of rounding only."""
    return np.round(scale * np.random.default_rng(zlib.crc32(seed.encode())).normal(size=shape), 2)


def draw_integers(seed: str, *shape: int) -> np.ndarray:
    """Whole numbers from -3 to 3, stored as integers."""
    return np.random.default_rng(zlib.crc32(seed.encode())).integers(-3, 4, size=shape)


def draw_weights(seed: str, *shape: int) -> np.ndarray:
    """Rows of positive numbers that sum to 1."""
    raw = np.random.default_rng(zlib.crc32(seed.encode())).exponential(size=shape)
    return raw / raw.sum(axis=-1, keepdims=True)


def draw_mask(seed: str, n_q: int, n_k: int) -> np.ndarray:
    """A mask of both kinds of cell in every row, something permitted in every column, never symmetric."""
    for attempt in range(1000):
        mask = np.random.default_rng([zlib.crc32(seed.encode()), attempt]).random((n_q, n_k)) < 0.6
        mixed = mask.any(axis=1).all() and not mask.all(axis=1).any() and mask.any(axis=0).all()
        if mixed and not (n_q == n_k and (mask == mask.T).all()):
            return mask
    raise ValueError(f"no such mask of {n_q} rows and {n_k} columns")
