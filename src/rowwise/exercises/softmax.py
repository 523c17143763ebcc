"""Exercises of chapter 03, the softmax of each row."""

from rowwise.rows import RowExercise, Task

CHAPTER = "03-rowwise-softmax"

row = RowExercise(
    name="softmax_row",
    chapter=CHAPTER,
    row=Task(scaled=[2, 0.5, -1], asks=("exponentials", "weights"), marks={"exponentials": 2, "weights": 2}),
)

EXERCISES = (row,)
