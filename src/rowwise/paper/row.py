"""One row to work by hand, as a student meets it."""

from rowwise.mark import Mark
from rowwise.paper.explain import Explanation
from rowwise.paper.page import framed, question
from rowwise.rows import Task, judge


class Row:
    """One query's row of attention, worked by hand and marked step by step.

    ``Row(q=[1, 0], K=[[1, 0], [0, 1]], V=[[2, 0], [0, 4]])`` is a whole row. A row may start later, from given
    ``scores=``, ``scaled=`` scores or ``weights=``; scores given without ``d_k=`` are not scaled. ``V`` holds a
    value a key, a list or a single number; ``mask`` a truth value a key, True = may attend. ``asks`` names the
    steps to fill in, out of scores, scaled, masked, exponentials, weights, products and output; ``marks`` their
    points, 1 each where it says nothing; ``decimals`` how many are asked for. ValueError says what does not fit.

    ``mark(scores=[…], weights=[…])`` marks what was typed, ``explain()`` works the row through. Shown in a
    notebook, a row is its question with blanks to fill in.
    """

    def __init__(self, q=None, K=None, V=None, mask=None, *, asks=(), marks=None, decimals=4, **given):
        self.task = Task(q, K, V, mask, asks=asks, marks=marks or {}, decimals=decimals, **given)

    def mark(self, **typed) -> Mark:
        """The Mark of what was typed: each step a list, or text such as "2/3, 1/3"; None is a place left empty."""
        return judge(self.task, typed)

    def explain(self) -> Explanation:
        """The row worked through, step by step, each number computed from the digits shown before it."""
        return Explanation(self.task)

    def __repr__(self) -> str:
        """The steps that the row asks for."""
        return f"a row to fill in: {', '.join(self.task.asks)} ({self.task.points:g} points)"

    def _repr_html_(self) -> str:
        return framed(question(self.task))
