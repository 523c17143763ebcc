"""Exercises of chapter 09, cost and memory."""

EXERCISES = ()
