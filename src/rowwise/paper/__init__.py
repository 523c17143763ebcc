"""Rows worked by hand: one row marked and explained, practice without end, and pages to print."""

import random

from rowwise.paper.graded import blank, explain
from rowwise.paper.row import Row
from rowwise.paper.sheets import worksheet

USUAL = ("scores", "scaled", "exponentials", "weights", "output")

__all__ = ["Row", "blank", "explain", "practice", "worksheet"]


def practice(seed: int | None = None, asks=None, **sizes):
    """Rows without end, in a widget: a fresh one from a seed that is shown, each step checked as it is typed.

    ``asks`` names the steps to fill in (those of a whole row where it says nothing); ``n_k`` keys, ``d_k`` and ``d_v``
    numbers in a key and a value, ``masked=True`` with an excluded key. The same seed, steps and sizes give the same
    row.
    """
    from rowwise.paper.endless import Practice, seed_of  # anywidget takes a while to import
    from rowwise.paper.session import Session

    drawn = random.SystemRandom().randrange(10_000)
    return Practice(Session(seed_of(seed, drawn), tuple(asks or USUAL), sizes))
