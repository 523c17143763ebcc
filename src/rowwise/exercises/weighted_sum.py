"""Exercises of chapter 04, the weighted sum."""

from rowwise.rows import RowExercise, Task

CHAPTER = "04-weighted-sum"

row = RowExercise(
    name="mix_row",
    chapter=CHAPTER,
    row=Task(
        scaled=[0.8, -0.4],
        V=[6, -2],
        asks=("weights", "products", "output"),
        marks={"weights": 3, "products": 2, "output": 2},
    ),
)

EXERCISES = (row,)
