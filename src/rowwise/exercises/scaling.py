"""Exercises of chapter 02, scaling."""

EXERCISES = ()
