"""Every exercise of the course: its cases, its judge, its points. The only place where points are written.

An exercise is three steps that know nothing of one another: ``cases()`` makes inputs, ``rowwise.probe.probe`` calls the
student's function on copies of them, ``judge(answers)`` decides from what came back.
"""

import functools
import hashlib
import sys
from pathlib import Path
from typing import Protocol

from rowwise.mark import Mark
from rowwise.probe import Answer, Case


class Exercise(Protocol):
    """What a check, the build and the grader ask of an exercise."""

    name: str  # check.<name>, and nbgrader's grade_id of the cell that the student fills in
    chapter: str  # "01-dot-product"
    points: float
    kind: str  # "function", "row", "choice" or "value"

    def cases(self) -> tuple[Case, ...]:
        """The inputs; for every kind but "function" one case without arguments."""
        ...

    def judge(self, answers: list[Answer]) -> Mark:
        """The mark for what the probe brought back, an answer a case, in order."""
        ...


from rowwise.exercises import (  # noqa: E402  (the modules below need nothing of this one)
    assessment,
    cost,
    dot_product,
    heads,
    masking,
    scaling,
    self_cross,
    shows,
    softmax,
    start_here,
    weighted_sum,
)

CHAPTERS = (
    start_here,
    dot_product,
    scaling,
    softmax,
    weighted_sum,
    masking,
    self_cross,
    heads,
    shows,
    cost,
    assessment,
)
ALL: dict[str, Exercise] = {}
_MODULE: dict[str, str] = {}
for _module in CHAPTERS:
    for _exercise in _module.EXERCISES:
        if _exercise.name in ALL:
            raise ValueError(f"two exercises are called {_exercise.name}")
        ALL[_exercise.name] = _exercise
        _MODULE[_exercise.name] = _module.__name__


def of_chapter(chapter: str) -> list[Exercise]:
    """The exercises of one chapter, in the order in which the module lists them; [] for a chapter with none."""
    return [exercise for exercise in ALL.values() if exercise.chapter == chapter]


def version(name: str) -> str:
    """Changes whenever the mark of this exercise might: a hash of everything that its judge is made of."""
    chapters = {Path(module.__file__) for module in CHAPTERS}
    files = set(Path(__file__).parent.glob("*.py")) - chapters | {Path(sys.modules[_MODULE[name]].__file__)}
    package = Path(__file__).parents[1]
    if ALL[name].kind == "row":
        files |= set((package / "rows").glob("*.py"))
    files |= {package / f"{part}.py" for part in ("reference", "mark", "probe")}
    return _hash(tuple(sorted(map(str, files))))


def used_the_answer(name: str, what: str) -> Mark:
    """The mark of a graded run whose code called the course's reference, or a library's attention, instead.

    ``what`` is what was called, as the grader saw it. A check in a notebook cannot tell, and never gives this mark.
    """
    return Mark(
        0,
        ALL[name].points,
        ("uses-the-answer",),
        f"Your {name} calls {what}, which does the whole calculation. The exercise is to write it: what NumPy offers for "
        "arrays (products, sums, maxima, exponentials) is all it needs.",
    )


@functools.cache
def _hash(files: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(Path(file).read_bytes() if Path(file).exists() else b"")
    return digest.hexdigest()[:16]
