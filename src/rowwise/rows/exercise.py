"""A paper row as an exercise of the course: its subject is a dict of the steps, as typed."""

from dataclasses import dataclass, field

import numpy as np

from rowwise.mark import Mark
from rowwise.probe import Answer, Case
from rowwise.rows.judge import judge
from rowwise.rows.task import Task


@dataclass(frozen=True)
class RowExercise:
    """A graded row. Its points are the marks of the steps that ``row`` asks for."""

    name: str
    chapter: str
    row: Task
    kind: str = field(default="row", init=False)

    @property
    def points(self) -> float:
        """The marks of all the steps together."""
        return self.row.points

    def cases(self) -> tuple[Case, ...]:
        """One case: the student's dict itself."""
        return (Case("answer"),)

    def judge(self, answers: list[Answer]) -> Mark:
        """The mark, step by step."""
        return judge(self.row, answers[0].value)

    def blank(self) -> dict:
        """The form that a student fills in: {"scores": [None, None, None], …}."""
        return {step: blank_line(self.row, step) for step in self.row.asks}

    def solution(self) -> dict:
        """The right row, each step rounded to the decimals asked for; e^(s − max) for exponentials."""
        return {step: rounded_line(self.row, step) for step in self.row.asks}


def blank_line(task: Task, step: str) -> list:
    """A None for each number of a line; products of single numbers in one list, as they are written on paper."""
    return _rows(np.full(task.shape(step), None), step).tolist()


def rounded_line(task: Task, step: str) -> list:
    """The right line as it is typed, to the decimals asked for."""
    return _rounded(_rows(task.line(step), step), task.decimals)


def _rows(line: np.ndarray, step: str) -> np.ndarray:
    return line[:, 0] if step == "products" and line.shape[1] == 1 else line


def _rounded(line: np.ndarray, decimals: int) -> list:
    """Plain numbers; whole ones without a point, −∞ as the text that is typed for it."""
    if line.ndim > 1:
        return [_rounded(row, decimals) for row in line]
    plain = [round(float(x), decimals) if np.isfinite(x) else "-inf" for x in line]
    return [int(x) if isinstance(x, float) and x.is_integer() else x for x in plain]
