"""The catalogue's mistakes as they look in one row worked by hand.

A slip takes the line before step ``first`` and gives, wrongly, the line of step ``last``; what comes before and
after it is right. A function returns None where the mistake cannot be made in that row.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rowwise.reference import softmax_rows
from rowwise.rows.task import STEPS, Task, exact


@dataclass(frozen=True)
class Slip:
    """One way to make the mistake ``slug``: ``wrong(task, line)`` stands in for the steps first … last."""

    slug: str
    first: str
    last: str
    wrong: Callable
    factor: float | None = None  # on the scores, where that is what the mistake amounts to

    def line(self, task: Task, source: str, numbers, target: str) -> np.ndarray | None:
        """The line of ``target`` that this slip gives from ``numbers``, the line of ``source``; None if it can't."""
        steps = [task.start, *task.chain]
        if not {self.first, self.last, target} <= set(task.chain) or source not in steps:
            return None
        before = steps[steps.index(self.first) - 1]
        if steps.index(source) > steps.index(before) or steps.index(target) < steps.index(self.last):
            return None
        box = None if numbers is None else exact(numbers)
        with np.errstate(all="ignore"):
            start = task.follow(source, box, before)
            wrong = self.wrong(task, None if start is None else start[0])
            if wrong is None:
                return None
            wrong = np.asarray(wrong, dtype=float)
            if target == self.last:
                return wrong
            if wrong.shape != task.shape(self.last):
                return None
            return task.follow(self.last, exact(wrong), target)[0]


def _cosine(query: bool, keys: bool):
    def wrong(task, _):
        q = task.q / np.linalg.norm(task.q) if query else task.q
        K = task.K / np.linalg.norm(task.K, axis=1, keepdims=True) if keys else task.K
        return K @ q if np.isfinite(q).all() and np.isfinite(K).all() else None

    return wrong


def _divided(size: Callable):
    def wrong(task, line):
        divisor = size(task)
        return line / divisor if divisor and divisor != task.divisor else None

    return wrong


def _softmax(of: Callable):
    """Weights that are the softmax of something else than the line."""

    def wrong(task, line):
        other = of(task, line)
        return None if other is None else softmax_rows(other)

    return wrong


def _shares(of: Callable):
    def wrong(task, line):
        if not np.isfinite(line).any():
            return None
        parts = np.where(task.permitted & np.isfinite(line), of(line[np.isfinite(line)], line), 0.0)
        return parts / parts.sum() if parts.sum() else None

    return wrong


def _from_lowest(task, line):
    """Shares of what each score has more than the lowest; with two keys that is all or nothing, and `argmax`."""
    return _shares(lambda s, line: line - s.min())(task, line) if np.isfinite(line).sum() > 2 else None


def _one_hot(task, line):
    return np.eye(len(line))[int(np.argmax(line))]


def _finite(task, line):
    return line if np.isfinite(line).all() else None


def _square(rows, line):
    return line if rows.shape[0] == rows.shape[1] else None


def _masked_only(change: Callable):
    return lambda task, line: None if task.permitted.all() else change(task, line)


def _weights_then(change: Callable):
    """Softmax over every key, then the change that should have come first."""
    return _masked_only(lambda task, line: change(task, softmax_rows(line)))


WRONG_SIZES = (
    lambda task: np.sqrt(task.n_k),
    lambda task: task.n_k,
    lambda task: np.sqrt(task.V.shape[1]) if task.V is not None and task.V.shape[1] > 1 else None,
)

# In the catalogue's order: where several fit, the first is named.
SLIPS = (
    Slip(
        "nothing-permitted-uniform",
        "exponentials",
        "weights",
        lambda task, line: None if task.permitted.any() else np.full(task.n_k, 1 / task.n_k),
    ),
    Slip(
        "transposed-scores",
        "scores",
        "scores",
        lambda task, _: _square(task.K, task.q @ task.K if task.K.shape[0] == task.K.shape[1] else None),
    ),
    Slip("queries-with-queries", "scores", "scores", lambda task, _: np.full(task.n_k, task.q @ task.q)),
    Slip("queries-with-queries", "scores", "scores", lambda task, _: (task.K * task.K).sum(axis=1)),
    Slip("cosine-not-dot", "scores", "scores", _cosine(True, True)),
    Slip("cosine-not-dot", "scores", "scores", _cosine(True, False)),
    Slip("cosine-not-dot", "scores", "scores", _cosine(False, True)),
    Slip("elementwise-not-dot", "scores", "scores", lambda task, _: (task.K * task.q).ravel()),
    Slip("elementwise-not-dot", "scores", "scores", lambda task, _: (task.K + task.q).sum(axis=1)),
    Slip("elementwise-not-dot", "scores", "scores", lambda task, _: task.K.sum(axis=1)),
    Slip(
        "values-in-scores",
        "scores",
        "scores",
        lambda task, _: task.V @ task.q if task.V is not None and task.V.shape[1] == len(task.q) else None,
    ),
    Slip("no-scaling", "scaled", "scaled", _divided(lambda task: 1.0)),
    Slip("scaled-by-width", "scaled", "scaled", _divided(lambda task: task.width)),
    Slip("scaled-wrong-way", "scaled", "scaled", _divided(lambda task: 1 / task.divisor)),
    *(Slip("scaled-by-wrong-size", "scaled", "scaled", _divided(size)) for size in WRONG_SIZES),
    Slip(
        "scaled-output",
        "scaled",
        "output",
        lambda task, line: (
            task.follow("masked" if "masked" in task.chain else "scaled", _mask_if_any(task, line), "output")[0]
            / task.divisor
        ),
    ),
    Slip(
        "scaled-output",
        "output",
        "output",
        lambda task, line: line.sum(axis=0) / task.divisor if task.divisor != 1 else None,
    ),
    Slip("no-exponential", "exponentials", "exponentials", _finite),
    Slip("no-exponential", "exponentials", "weights", _finite),
    Slip("no-exponential", "exponentials", "weights", _shares(lambda s, line: line)),
    Slip("no-exponential", "exponentials", "weights", _shares(lambda s, line: np.abs(line))),
    Slip("no-exponential", "exponentials", "weights", _from_lowest),
    Slip("no-exponential", "exponentials", "weights", _shares(lambda s, line: line - s.max())),
    Slip("wrong-base-or-temperature", "exponentials", "exponentials", lambda task, line: 2.0**line, np.log(2)),
    Slip("wrong-base-or-temperature", "exponentials", "exponentials", lambda task, line: 10.0**line, np.log(10)),
    Slip("not-normalised", "exponentials", "weights", lambda task, line: np.exp(line)),
    Slip("not-normalised", "exponentials", "weights", lambda task, line: np.exp(line - line.max())),
    Slip("log-weights", "exponentials", "weights", lambda task, line: np.log(softmax_rows(line))),
    Slip(
        "softmax-twice",
        "exponentials",
        "weights",
        _softmax(lambda task, line: np.where(task.permitted, softmax_rows(line), -np.inf)),
    ),
    Slip("softmax-twice", "exponentials", "weights", _softmax(lambda task, line: softmax_rows(line))),
    Slip("argmax", "exponentials", "weights", _one_hot),
    Slip(
        "keys-as-values",
        "products",
        "products",
        lambda task, line: None if task.K is None else line[:, None] * task.K,
    ),
    Slip("keys-as-values", "products", "output", lambda task, line: None if task.K is None else line @ task.K),
    Slip(
        "transposed-mix",
        "products",
        "products",
        lambda task, line: _square(task.V, line[:, None] * task.V.T if task.V.shape[0] == task.V.shape[1] else None),
    ),
    Slip("mean-of-values", "products", "products", lambda task, line: task.V / task.n_k),
    Slip("mean-of-values", "products", "products", lambda task, line: task.V),
    Slip("weights-not-summed", "output", "output", lambda task, line: line.ravel() if task.n_k > 1 else None),
    Slip(
        "mask-after-softmax",
        "masked",
        "weights",
        _weights_then(lambda task, w: np.where(task.permitted, w, 0)),
    ),
    Slip("mask-zeroes-scores", "masked", "masked", _masked_only(lambda task, s: np.where(task.permitted, s, 0))),
    Slip("mask-too-weak", "masked", "masked", _masked_only(lambda task, s: np.where(task.permitted, s, s - 10))),
    Slip("mask-too-weak", "masked", "masked", _masked_only(lambda task, s: np.where(task.permitted, s, -10))),
    Slip("mask-added", "masked", "masked", _masked_only(lambda task, s: s + task.permitted)),
    Slip(
        "mask-inverted",
        "masked",
        "masked",
        _masked_only(lambda task, s: np.where(task.permitted, -np.inf, s)),
    ),
    Slip("mask-ignored", "masked", "masked", _masked_only(lambda task, s: s)),
)


def _mask_if_any(task, line):
    box = exact(line)
    return task.step("masked", box) if "masked" in task.chain else box


def verdict_step(task: Task, slip: Slip) -> str | None:
    """The first step asked for in which the slip shows; None where it never does."""
    asked = [step for step in task.asks if STEPS.index(step) >= STEPS.index(slip.last)]
    return asked[0] if asked else None


def wrong_lines(task: Task):
    """Every slip that can be made in this row: (slip, step where it shows, line that it gives there)."""
    for slip in SLIPS:
        step = verdict_step(task, slip)
        if step is None:
            continue
        line = slip.line(task, task.start, task.given and task.given[0], step)
        if line is not None:
            yield slip, step, line
