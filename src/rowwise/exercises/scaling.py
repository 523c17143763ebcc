"""Exercises of chapter 02, scaling."""

from rowwise.rows import RowExercise, Task

CHAPTER = "02-scaling"

row = RowExercise(
    name="scaling_row",
    chapter=CHAPTER,
    row=Task(
        q=[2, -1, 3, 1],
        K=[[1, 2, 0, 3], [3, 1, 1, -2], [-1, 0, 2, -5]],
        asks=("scores", "scaled"),
        marks={"scores": 2, "scaled": 2},
    ),
)

EXERCISES = (row,)
