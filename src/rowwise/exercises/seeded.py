"""Exercises whose numbers come from a seed, so that a class, a term or a student has its own.

A *sitting* is a seed and, where the paper is bound to a student, that student's id. In a notebook the sitting is the
one that ``rowwise.assessment.begin`` chose; a grader binds each submission to the sitting that is that student's.
"""

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rowwise.mark import Mark
from rowwise.probe import Answer, Case

PAPER = "paper.json"  # beside the notebook: {"seed": "autumn-2026", "each_student": true}
PRACTICE = "practice"


@dataclass(frozen=True)
class Sitting:
    """A seed, and the id of the student whose numbers these are ("" where a class shares them)."""

    seed: str = PRACTICE
    student: str = ""

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose; the same sitting and purpose give the same numbers everywhere."""
        text = "\0".join((self.seed, self.student.strip().casefold(), purpose))
        return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))


def of_folder(folder: str | Path = ".", student: str = "") -> Sitting:
    """The sitting that a folder's paper.json asks for; the practice paper where there is none that can be read."""
    try:
        return sitting((Path(folder) / PAPER).read_bytes(), student)
    except OSError:
        return Sitting()


def sitting(paper: bytes, student: str = "") -> Sitting:
    """The sitting that the text of a paper.json asks for; the practice paper where it cannot be read."""
    try:
        asked = json.loads(paper)
        return Sitting(str(asked["seed"]), student if asked.get("each_student") else "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return Sitting()


_chosen: Sitting | None = None


def sit(sitting: Sitting | None) -> None:
    """Choose the sitting of this kernel; None goes back to what the folder says."""
    global _chosen
    _chosen = sitting


def current() -> Sitting:
    """The sitting of this kernel: the one chosen, else the one of the folder that it runs in."""
    return _chosen or of_folder()


@dataclass(frozen=True)
class Seeded:
    """An exercise that is another one in every sitting; ``make(sitting)`` is the exercise with its numbers."""

    name: str
    chapter: str
    points: float
    kind: str
    make: Callable[[Sitting], object]

    def bind(self, sitting: Sitting):
        """The exercise with the numbers of one sitting."""
        return _made(self, sitting)

    def cases(self) -> tuple[Case, ...]:
        """One case: the student's own answer."""
        return self.bind(current()).cases()

    def judge(self, answers: list[Answer]) -> Mark:
        """The mark, by the numbers of this kernel's sitting."""
        return self.bind(current()).judge(answers)

    def __getattr__(self, name: str):
        # what a row has beside a mark (row, blank, solution) is that of the current sitting
        if name in ("row", "blank", "solution"):
            return getattr(self.bind(current()), name)
        raise AttributeError(name)


@functools.lru_cache(maxsize=4096)
def _made(exercise: Seeded, sitting: Sitting):
    return exercise.make(sitting)
