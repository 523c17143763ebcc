"""Rows worked by hand: what is given and asked, what was typed, and how it is marked."""

from rowwise.rows.exercise import RowExercise
from rowwise.rows.judge import judge
from rowwise.rows.task import STEPS, Task

__all__ = ["STEPS", "RowExercise", "Task", "judge"]
