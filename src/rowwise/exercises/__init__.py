"""Every exercise of the course: its cases, its judge, its points. The only place where points are written.

An exercise is three steps that know nothing of one another: ``cases()`` makes inputs, ``rowwise.probe.probe`` calls the
student's function on copies of them, ``judge(answers)`` decides from what came back.
"""

from dataclasses import dataclass
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
