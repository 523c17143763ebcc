"""Exercises of chapter 05, masking."""

from rowwise.rows import RowExercise, Task

CHAPTER = "05-masking"

# The excluded key has the largest score, so that leaving it in, or zeroing it too late, changes every weight.
mask_row = RowExercise(
    name="mask_row",
    chapter=CHAPTER,
    row=Task(
        scaled=[1, 0.5, 2, -0.5],
        V=[[4, 1], [-2, 3], [5, 6], [0, 2]],
        mask=[True, True, False, True],
        asks=("masked", "weights", "output"),
        marks={"masked": 1, "weights": 2, "output": 2},
    ),
)

attention_row = RowExercise(
    name="attention_row",
    chapter=CHAPTER,
    row=Task(
        q=[1, 2, -1, 0],
        K=[[3, 1, 2, 4], [0, 1, -2, 1], [2, -1, 1, 3]],
        V=[[2, 5], [6, -1], [-3, 4]],
        asks=("scores", "scaled", "weights", "output"),
        marks={"scores": 1, "scaled": 1, "weights": 2, "output": 2},
    ),
)

EXERCISES = (mask_row, attention_row)
