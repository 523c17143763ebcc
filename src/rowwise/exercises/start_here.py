"""Exercises of chapter 00, where to begin."""

EXERCISES = ()
