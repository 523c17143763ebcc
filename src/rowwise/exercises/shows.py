"""Exercises of chapter 08, what weights show."""

EXERCISES = ()
