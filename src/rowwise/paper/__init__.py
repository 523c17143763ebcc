"""Rows worked by hand: one row marked and explained, practice without end, and pages to print."""

from rowwise.paper.graded import blank, explain
from rowwise.paper.row import Row

__all__ = ["Row", "blank", "explain"]
