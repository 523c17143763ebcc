"""Exercises of chapter 04, the weighted sum."""

EXERCISES = ()
