"""Exercises of chapter 05, masking."""

EXERCISES = ()
