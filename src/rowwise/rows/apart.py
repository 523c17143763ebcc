"""Whether a row's numbers keep right and wrong apart, and rows drawn so that they do."""

from dataclasses import dataclass

import numpy as np

from rowwise.rows.slips import wrong_lines
from rowwise.rows.task import Task

TOLERANCES = 4  # how far apart two lines must be, in the widest tolerance that is accepted


@dataclass(frozen=True)
class Clash:
    """Two lines of one step too near to tell: ``slug`` and ``other`` (or "right"), ``distance`` in tolerances."""

    step: str
    slug: str
    other: str
    distance: float


def clashes(task: Task) -> list[Clash]:
    """Every two of {right, each mistake that can be made} that give nearly the same row.

    Two rows are apart when, in the first step that shows the mistake, at least one number differs by four tolerances:
    half units of the third figure, or of the last decimal asked for where that is coarser.
    """
    found, seen = [], []
    for slip, step, line in wrong_lines(task):
        tolerance = _tolerance(task, step)
        for other, other_step, other_line in [("right", step, task.line(step)), *seen]:
            if other == slip.slug or other_step != step or other_line.shape != line.shape:
                continue
            distance = _distance(line, other_line, tolerance)
            if distance < TOLERANCES:
                found.append(Clash(step, slip.slug, other, distance))
        seen.append((slip.slug, step, line))
    return found


def apart(task: Task) -> bool:
    """Whether right and every mistake that can be made give rows that nobody could take for one another."""
    return not clashes(task)


def _tolerance(task: Task, step: str) -> np.ndarray:
    """The widest half unit accepted at each number of the right line."""
    line = task.line(step)
    with np.errstate(divide="ignore", invalid="ignore"):
        third = np.where(np.isfinite(line) & (line != 0), np.floor(np.log10(np.abs(line))) - 2, -np.inf)
    return 0.5 * 10.0 ** np.maximum(third, -task.decimals)


def _distance(line, other, tolerance) -> float:
    """The largest gap in tolerances; one of two numbers infinite, and they are as far apart as can be."""
    same = (line == other) | (np.isneginf(line) & np.isneginf(other))
    with np.errstate(invalid="ignore"):
        gaps = np.where(same, 0, np.abs(line - other) / tolerance)
    return float(np.max(np.where(np.isnan(gaps), np.inf, gaps)))
