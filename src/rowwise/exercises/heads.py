"""Exercises of chapter 07, batches and heads."""

EXERCISES = ()
