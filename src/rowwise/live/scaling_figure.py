"""live.scaling(): what the width d_k does to scores, weights and gradients, from real draws with a seed.

The draws are made by the same arithmetic here and in scaling-math.js: a hash of the draw's number, then Box–Muller.
Python needs them for the text that stands where no widget runs, and for tests.
"""

import numbers

import numpy as np
import traitlets

from rowwise import reference
from rowwise.live.widget import Widget, text_of

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


class Scaling(Widget):
    """The figure. ``d_k``, ``mean``, ``row`` (counted from 0) and ``seed`` are what is on the screen."""

    _esm = text_of("parts.js", "scaling-math.js", "scaling_figure.js")
    _css = text_of("look.css", "parts.css", "scaling_figure.css")
    d_k = traitlets.Int(2).tag(sync=True)
    mean = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)

    def alt(self) -> str:
        """The picture in words."""
        S = scores(self.seed, self.d_k, self.mean)
        plain, scaled = summary(S), summary(S / np.sqrt(self.d_k))
        says = "spread {:.2f}, a typical row's largest weight {:.2f}, size of its Jacobian {:.3g}".format
        spoken = [says(one["variance"] ** 0.5, one["largest"], one["jacobian"]) for one in (plain, scaled)]
        return (
            f"Scores of 250 random queries with four keys each, d_k = {self.d_k}, components of mean {self.mean}. "
            f"Without scaling: {spoken[0]}. Divided by √d_k: {spoken[1]}."
        )

    @traitlets.validate("d_k", "mean", "row")
    def _within(self, proposal):
        highest = {"d_k": WIDEST, "mean": 1, "row": ROWS - 1}[proposal.trait.name]
        return whole(proposal.trait.name, proposal.value, int(proposal.trait.name == "d_k"), highest)


def whole(name: str, value: int, lowest: int, highest: int) -> int:
    """The value, or a ValueError where it is no whole number from ``lowest`` to ``highest``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not lowest <= value <= highest:
        raise ValueError(f"{name} is {value!r}: expected a whole number from {lowest} to {highest}.")
    return int(value)


def scaling(seed: int = 0, d_k: int = 2, mean: int = 0) -> Scaling:
    """What the width d_k does to scores, weights and gradients, without and with the division by √d_k.

    1000 dot products of real draws: 250 queries with four keys each. seed: a whole number from 0 to 4,294,967,295 that
    names the draws. d_k: where the slider starts, 1 to 1024. mean: 0 or 1, the mean of every component.
    Raises ValueError for anything else.
    """
    return Scaling(
        seed=whole("seed", seed, 0, 2**32 - 1),
        d_k=whole("d_k", d_k, 1, WIDEST),
        mean=whole("mean", mean, 0, 1),
    )
