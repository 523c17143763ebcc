"""Exercises answered with a few numbers that are not whole, each worth the same."""

from dataclasses import dataclass, field

import numpy as np

from rowwise.exercises.plain import _Plain
from rowwise.mark import Mark, Step
from rowwise.probe import Answer
from rowwise.rows.lines import read_line


@dataclass(frozen=True)
class Decimals(_Plain):
    """Plain numbers in a list; each is worth the same. ``close`` is how far off a number may be, in its own size.

    ``slips`` are (slug, numbers, what a tutor would say) for the likely mistakes.
    """

    name: str
    chapter: str
    points: float
    labels: tuple[str, ...]
    right: tuple[float, ...]
    slips: tuple[tuple[str, tuple[float, ...], str], ...]
    otherwise: str
    close: float = 0.0
    kind: str = field(default="value", init=False)

    def solution(self) -> list[float]:
        """The right numbers, to four decimals."""
        return [round(x, 4) for x in self.right]

    def judge(self, answers: list[Answer]) -> Mark:
        """Each number by itself: its share of the points, or what it would mean."""
        line = read_line(answers[0].value, (len(self.right),))
        box = line.box or line.partial
        if box is None:
            message = line.problem or "Not filled in yet: write a number in the place of each None."
            return Mark(0, self.points, message=message)
        share = self.points / len(self.right)
        steps = tuple(self._step(i, share, box[0][i], box[1][i]) for i in range(len(self.right)))
        slugs = tuple(dict.fromkeys(step.mistake for step in steps if step.mistake))
        return Mark(sum(step.points for step in steps), self.points, slugs, "", steps)

    def _step(self, i: int, share: float, low: float, high: float) -> Step:
        if np.isnan(low):
            return Step(self.labels[i], 0, share, message="Not filled in yet.")
        if _meets(low, high, self.right[i], self.close):
            return Step(self.labels[i], share, share, message="Agrees.")
        for slug, values, said in self.slips:
            if _meets(low, high, values[i], self.close):
                return Step(self.labels[i], 0, share, slug, message=said)
        return Step(self.labels[i], 0, share, "differs", message=self.otherwise)


def _meets(low: float, high: float, value: float, close: float) -> bool:
    slack = abs(value) * close + 1e-9
    return low - slack <= value <= high + slack
