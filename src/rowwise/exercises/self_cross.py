"""Exercises of chapter 06, self-attention and cross-attention."""

EXERCISES = ()
