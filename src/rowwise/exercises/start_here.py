"""Exercises of chapter 00, where to begin."""

from rowwise.rows import RowExercise, Task

# Sums differ from products, and columns from rows, so that adding, or taking columns for keys, shows.
warm_up = RowExercise(
    name="warm_up",
    chapter="00-start-here",
    row=Task(q=[2, 3], K=[[1, 4], [5, -1]], asks=("scores",), marks={"scores": 2}),
)

EXERCISES = (warm_up,)
