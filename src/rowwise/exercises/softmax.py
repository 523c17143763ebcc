"""Exercises of chapter 03, the softmax of each row."""

EXERCISES = ()
