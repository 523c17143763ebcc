"""Exercises of chapter 10, the assessment."""

EXERCISES = ()
