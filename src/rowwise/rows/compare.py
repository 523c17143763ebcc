"""Whether a typed line is what follows from a line before it, interval by interval."""

import numpy as np

from rowwise.rows.lines import Line
from rowwise.rows.task import Task

FUZZ = 1e-9  # relative; floating point, not rounding


def compare(task: Task, step: str, line: Line, source: str, box):
    """(which numbers agree, with which box) for each form in which the step may be written."""
    last = task.chain[task.chain.index(step) - 1] if task.chain.index(step) else task.start
    if step == "exponentials":
        before = task.follow(source, box, last, rounds=True)
        forms = [_plain_exponentials(before), _shifted_exponentials(before)]
    else:
        forms = [task.follow(source, box, step, rounds=True)]
    for form in forms:
        agrees = meets(line.box, form)
        if step in ("scores", "scaled"):  # whoever masks early is right
            agrees = agrees | (np.isneginf(line.middle) & ~task.permitted)
        yield agrees, form


def _plain_exponentials(box):
    with np.errstate(over="ignore"):
        return np.exp(box[0]), np.exp(box[1])


def _shifted_exponentials(box):
    """e^(s − max s), where the largest may be any of those whose intervals reach that far."""
    low, high = box
    if len(low) == 1:
        return np.isfinite(low) * 1.0, np.isfinite(high) * 1.0
    others = [np.delete(np.arange(len(low)), i) for i in range(len(low))]
    edges = []
    with np.errstate(invalid="ignore"):
        for own, rest in ((low, high), (high, low)):
            top = np.array([rest[index].max() for index in others])
            edges.append(np.exp(np.where(np.isneginf(own), -np.inf, np.minimum(0, own - top))))
    return edges[0], edges[1]


def meets(typed, expected) -> np.ndarray:
    """Which intervals meet; −∞ meets only itself, NaN nothing."""
    with np.errstate(invalid="ignore"):
        scale = FUZZ * (1 + np.abs(np.where(np.isfinite(expected[0]), expected[0], 0)))
        meets = (typed[0] <= expected[1] + scale) & (expected[0] - scale <= typed[1])
    both = np.isneginf(typed[1]) & np.isneginf(expected[1])
    return np.where(np.isneginf(typed[1]) | np.isneginf(expected[1]), both, meets & np.isfinite(expected[0]))


def wider(box):
    """Half a unit more on either side: somebody cut off instead of rounding, or rounded too soon."""
    with np.errstate(invalid="ignore"):
        half = np.nan_to_num((box[1] - box[0]) / 2)
    return box[0] - half, box[1] + half
