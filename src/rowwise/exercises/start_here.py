"""Exercises of chapter 00, where to begin."""

from rowwise.rows import RowExercise, Task

# Small numbers whose sums differ from their products, so that adding instead of multiplying shows.
warm_up = RowExercise(
    name="warm_up",
    chapter="00-start-here",
    row=Task(q=[2, 3], K=[[1, 4], [4, -1]], asks=("scores",), marks={"scores": 2}),
)

EXERCISES = (warm_up,)
