"""Rows drawn from a seed: small whole numbers that a pocket calculator is enough for, and that hide no mistake."""

import numpy as np

from rowwise.rows.apart import apart
from rowwise.rows.task import STEPS, Task

TRIES = 3000
WHOLE = ("scores", "scaled", "exponentials", "weights", "products", "output")


def draw(seed: int, asks=WHOLE, *, n_k: int = 3, d_k: int = 4, d_v: int = 2, masked: bool = False, marks=None) -> Task:
    """A row with no clash between right and wrong; the same seed and sizes give the same row.

    It is given q and K where scores or scaled scores are asked for, else scaled scores. ``d_v`` = 1 gives single
    values; ``masked`` excludes one key, or two of more than four, and asks for
    the masked scores. Raises ValueError where ``asks`` names no step, and
    where these sizes hide a mistake whatever the numbers (n_k = d_k makes √n_k the right divisor).
    """
    unknown = [step for step in asks if step not in STEPS]
    if unknown or not asks:
        raise ValueError(f"no step {', '.join(map(repr, unknown))}; the steps are {', '.join(STEPS)}")
    asks = tuple(step for step in STEPS if step in asks or (masked and step == "masked"))
    rng = np.random.default_rng(seed)
    for _ in range(TRIES):
        task = _numbers(rng, asks, n_k, d_k, d_v, marks or {})
        if _mild(task) and apart(task):
            return task
    raise ValueError(f"no numbers keep right and wrong apart for {n_k} keys, d_k = {d_k}, d_v = {d_v}")


def _numbers(rng, asks, n_k, d_k, d_v, marks) -> Task:
    needs_values = {"products", "output"} & set(asks)
    V = _whole(rng, (n_k, d_v), 9 if d_v == 1 else 6).tolist() if needs_values else None
    mask = None
    if "masked" in asks:
        mask = np.ones(n_k, dtype=bool)
        mask[rng.choice(n_k, size=1 if n_k < 5 else 2, replace=False)] = False
        mask = mask.tolist()
    common = {"V": V, "mask": mask, "asks": asks, "marks": marks}
    if {"scores", "scaled"} & set(asks):
        return Task(q=_whole(rng, d_k, 3).tolist(), K=_whole(rng, (n_k, d_k), 4).tolist(), **common)
    halves = np.arange(-4, 7) / 2
    return Task(scaled=rng.choice(halves, size=n_k, replace=False).tolist(), **common)


def _whole(rng, shape, largest: int) -> np.ndarray:
    """Whole numbers up to ``largest`` in size; no vector of 0 and ±1 alone, whose length divides out unseen."""
    while True:
        numbers = rng.integers(-largest, largest + 1, size=shape)
        vectors = np.atleast_2d(numbers)
        if (np.abs(vectors).max(axis=1) > (vectors.shape[-1] > 1)).all():
            return numbers


def _mild(task: Task) -> bool:
    """Whether no permitted key takes nearly everything or gets nearly nothing."""
    if task.start == "question" and not {"weights", "output", "products"} & set(task.asks):
        scores = task.line("scores")
        return len(np.unique(scores)) == len(scores) and np.abs(scores).max() <= 15
    weights = task.line("weights")[task.permitted]
    return weights.min() >= 0.03 and weights.max() <= 0.85 and len(np.unique(np.round(weights, 4))) == len(weights)
