"""Which mistake explains what a function returned? Candidates are computed, case by case, and compared.

An exercise is a calculation in steps. A *slip* replaces one step by what somebody who makes that mistake would
compute. The most specific slip that explains every case is the one that is named; then two slips together; then the
slip that explains every ordinary case.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rowwise.exercises.inputs import Trial
from rowwise.probe import Answer

CLOSE = 2e-5  # of a case's largest number: float32 stays within it, no mistake of the catalogue does
ARITHMETIC = ("OverflowError", "ZeroDivisionError", "FloatingPointError")


@dataclass(frozen=True)
class Slip:
    """A mistake: its slug, what is computed instead in the steps that it replaces, and which variation this is.

    Each replacement takes what its step takes. A slip without steps was found by a rule, not by computing it.
    """

    slug: str
    steps: Mapping[str, Callable] = field(default_factory=dict)
    note: str = ""


@dataclass(eq=False)
class Seen:
    """One case with what came back and what should have."""

    trial: Trial
    answer: Answer
    value: np.ndarray | None
    right: np.ndarray
    exact: bool = False  # compare entry by entry: nothing is computed that could cancel
    fits: bool = field(init=False)

    def __post_init__(self):
        """Compares once."""
        self.fits = self.value is not None and self.same(self.right)

    @property
    def args(self) -> tuple:
        """The inputs of the case."""
        return self.trial.case.args

    @property
    def raised(self) -> bool:
        """Whether the function raised."""
        return self.answer.problem == "raised"

    @property
    def shaped(self) -> bool:
        """Whether an array of the right shape came back."""
        return self.value is not None and self.value.shape == self.right.shape

    def same(self, other) -> bool:
        """Whether the answer is this array, NaN standing for anything that is not finite; never for None."""
        return other is not None and close(self.value, other, self.exact)


def close(value, other, exact: bool = False) -> bool:
    """Equal up to rounding; where ``other`` is NaN, ``value`` may be anything that is not finite."""
    if value is None or value.shape != other.shape:
        return False
    if other.dtype == bool or other.size == 0:
        return bool((value == other).all())
    value, other = value.astype(float), other.astype(float)
    size = np.abs(other)
    largest = size.max()
    if np.isfinite(largest):
        return bool((np.abs(value - other) <= CLOSE * (size if exact else max(largest, 1e-3))).all())
    finite = np.isfinite(other)
    size = size if exact else np.max(size, where=finite, initial=1e-3)
    near = np.abs(np.where(finite, value - np.where(finite, other, 0), 0)) <= CLOSE * np.where(finite, size, 0)
    rest = np.where(np.isnan(other), ~np.isfinite(value), value == other)
    return bool(np.where(finite, near, rest).all())


def predict(exercise, seen: Seen, *slips: Slip):
    """What these slips would have returned in this case; None where they would have raised."""
    try:
        steps = {name: step for slip in slips for name, step in slip.steps.items()}
        return np.asarray(exercise.model(*seen.args, **steps))
    except Exception:  # a mistaken product of oblong arrays: raising is what it does
        return None


def explains(exercise, all_seen: list[Seen], *slips: Slip) -> bool:
    """Whether the slips account for every case, and for at least one wrong answer number by number."""
    evidence = 0
    # A wrong answer of the right shape says most, so it is looked at first.
    for seen in sorted(all_seen, key=lambda seen: (seen.fits, not seen.shaped)):
        predicted = predict(exercise, seen, *slips)
        if predicted is not None and seen.same(predicted):
            evidence += not seen.fits
        elif not _could_be(predicted, seen):
            return False
    return evidence > 0


def _could_be(predicted, seen: Seen) -> bool:
    """Where the slip gives no array of the right shape, another spelling of it may fail in another way."""
    if seen.fits:
        return False
    if predicted is None:
        return True
    if predicted.shape != seen.right.shape:
        return seen.value is None
    broken = seen.raised and seen.answer.error.startswith(ARITHMETIC)
    return broken and not np.isfinite(predicted).all() and bool(np.isfinite(seen.right).all())


def _two(exercise, slips, all_seen: list[Seen]) -> tuple[Slip, ...]:
    """Two slips of different steps that explain every case together, or ().

    Where another mistake in the place of one of them explains as much, only the other is sure, and only it is given.
    """

    def together(one, other):
        return not one.steps.keys() & other.steps.keys() and explains(exercise, all_seen, one, other)

    for one, other in itertools.combinations(slips, 2):
        if together(one, other):
            first, second = (
                any(slip.slug not in (one.slug, other.slug) and together(slip, kept) for slip in slips)
                for kept in (other, one)
            )
            if not (first and second):
                return tuple(slip for slip, vague in ((one, first), (other, second)) if not vague)
    return ()


def _harmless(exercise, plain: list[Seen], slip: Slip) -> bool:
    """Whether a slip leaves the ordinary cases as they should be."""
    return all(close(predict(exercise, seen, slip), seen.right, seen.exact) for seen in plain)


def find(exercise, all_seen: list[Seen]) -> tuple[tuple[Slip, ...], bool]:
    """The slips that explain the answers, and whether they explain all of them.

    One slip for every case; else a rule for each kind of special case that fails; else two slips; else one for the
    ordinary cases, or for those without a mask; else none.
    """
    slips = (*exercise.slips, *exercise.guesses(all_seen))
    for slip in slips:
        if explains(exercise, all_seen, slip):
            return (slip,), True
    plain = [seen for seen in all_seen if not seen.trial.tags & exercise.special_tags]
    if all(seen.fits for seen in plain):
        # Only slips that do no harm to ordinary cases can be at work.
        quiet = [slip for slip in exercise.pairs if all(seen.same(predict(exercise, seen, slip)) for seen in plain)]
        two = _two(exercise, quiet, all_seen)
        return two if len(two) == 2 else exercise.special(all_seen) or two, True
    if two := _two(exercise, exercise.pairs, all_seen):
        return tuple(sorted(two, key=lambda slip: _harmless(exercise, plain, slip))), len(two) == 2
    for cases in (plain, [seen for seen in plain if "mask" not in seen.trial.tags]):
        for slip in slips:
            if explains(exercise, cases, slip):
                return (slip,), False
    return (), False
