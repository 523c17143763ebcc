"""Wrong and right implementations as students write them, for the tests and for benchmarks/mistakes.py.

Each wrong one makes exactly one mistake of the catalogue, in one of the many ways in which it can be made; each of the
pairs makes two at once; the right ones are honest answers in every style.
"""

import importlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """A student's function for an exercise, and the mistakes that are in it."""

    exercise: str
    mistakes: tuple[str, ...]
    function: object

    @property
    def name(self) -> str:
        return f"{self.exercise}-{'+'.join(self.mistakes) or 'right'}-{self.function.__name__.strip('_')}"


WRITTEN: list[Written] = []


def wrong(exercise: str, *mistakes: str):
    """Registers a function with the one mistake, or the two, that it makes."""

    def keep(function):
        WRITTEN.append(Written(exercise, mistakes, function))
        return function

    return keep


def right(exercise: str):
    """Registers an honest right answer."""
    return wrong(exercise)


def collection() -> list[Written]:
    """All of them."""
    for module in ("products", "softmaxes", "sums", "masks", "attentions", "sources", "heads", "removals"):
        importlib.import_module(f"wrong.{module}")
    return list(WRITTEN)


def singles() -> list[Written]:
    """One mistake each."""
    return [written for written in collection() if len(written.mistakes) == 1]


def pairs() -> list[Written]:
    """Two mistakes at once."""
    return [written for written in collection() if len(written.mistakes) == 2]


def rights() -> list[Written]:
    """No mistake."""
    return [written for written in collection() if not written.mistakes]
