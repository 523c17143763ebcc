"""live.scaling(): what the width d_k does to scores, weights and gradients, from real draws with a seed.

The draws are made by the same arithmetic here and in scaling.js: a hash of the draw's number, then Box–Muller.
Python needs them for the text that stands where no widget runs, and for tests.
"""

import numpy as np

from rowwise import reference

ROWS = 250
KEYS = 4
WIDEST = 1024


def uniform(seed: int, n: np.ndarray) -> np.ndarray:
    """Uniform draws number ``n`` of a seed, strictly between 0 and 1: mulberry32 by Tommy Ettinger."""
    t = np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF) + (n + 1).astype(np.uint32) * np.uint32(0x6D2B79F5)
    t = (t ^ (t >> 15)) * (t | 1)
    t = t ^ (t + (t ^ (t >> 7)) * (t | 61))
    return ((t ^ (t >> 14)) + 0.5) / 2.0**32


def components(seed: int, d_k: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries (250, d_k) and each one's own four keys (250, 4, d_k): independent, mean 0, variance 1."""
    n = np.arange(0, d_k * ROWS * (1 + KEYS), 2, dtype=np.int64)
    radius = np.sqrt(-2 * np.log(uniform(seed, n)))
    angle = 2 * np.pi * uniform(seed, n + 1)
    normal = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    drawn = np.moveaxis(normal.reshape(d_k, ROWS, 1 + KEYS), 0, -1)
    return drawn[:, 0], drawn[:, 1:]


def scores(seed: int, d_k: int, mean: float = 0) -> np.ndarray:
    """q·k for each query and each of its keys, shape (250, 4), every component having this mean."""
    Q, K = components(seed, d_k)
    return reference.scores((Q + mean)[:, None, :], K + mean)[:, 0]


def jacobian(p: np.ndarray) -> np.ndarray:
    """diag(p) − p pᵀ for each row of weights: how each weight answers to each score, shape (..., n, n).

    p (1 − p) is taken as p times the sum of the others: 1 − p has few digits left when p is nearly 1.
    """
    others = ~np.eye(p.shape[-1], dtype=bool)
    outer = p[..., :, None] * p[..., None, :]
    return np.where(others, -outer, (outer * others).sum(axis=-1)[..., None])


def summary(scores: np.ndarray) -> dict[str, float]:
    """Mean and variance of the scores; the typical (median) row's largest weight and size of its Jacobian."""
    p = reference.softmax_rows(scores)
    return {
        "mean": float(scores.mean()),
        "variance": float(scores.var()),
        "largest": float(np.median(p.max(axis=-1))),
        "jacobian": float(np.median(np.linalg.norm(jacobian(p), axis=(-2, -1)))),
    }
