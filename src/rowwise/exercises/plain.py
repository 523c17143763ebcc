"""Exercises answered with plain data: a shape written down first, a mistake named from its output."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rowwise.mark import Mark, Step
from rowwise.probe import Answer, Case

BLANK = "is not filled in yet"


def _slugs(steps) -> tuple[str, ...]:
    """What a mark is called whose steps are these: an answer that is not there is no mistake."""
    wrong = any(step.points < step.of and not step.message.startswith("Not filled in") for step in steps)
    return ("differs",) if wrong else ()


class _Plain:
    """What the exercises of this module share: one case without arguments, a value instead of a function."""

    def cases(self) -> tuple[Case, ...]:
        """One case: the student's value itself."""
        return (Case("answer"),)


@dataclass(frozen=True)
class Value(_Plain):
    """A short tuple of whole numbers, such as a shape, or several shapes one after the other.

    ``tells`` maps a likely wrong answer to (slug, what a tutor would say); ``otherwise`` is for the rest.
    """

    name: str
    chapter: str
    points: float
    right: tuple[int, ...]
    tells: Mapping[tuple[int, ...], tuple[str, str]]
    otherwise: str
    kind: str = field(default="value", init=False)

    def judge(self, answers: list[Answer]) -> Mark:
        """Full marks for the right numbers in order; else 0 and what the numbers given would mean."""
        numbers, trouble = _whole_numbers(answers[0].value, len(self.right))
        if trouble:
            slugs = () if trouble.startswith(BLANK) else ("wrong-type",)
            return Mark(0, self.points, slugs, f"{self.name} {trouble}")
        if numbers == self.right:
            return Mark(self.points, self.points, message=f"{self.name}: every number stands where it belongs.")
        slug, said = self.tells.get(numbers, ("differs", self.otherwise))
        return Mark(0, self.points, mistakes=(slug,), message=said)


def _whole_numbers(value, count: int) -> tuple[tuple[int, ...], str]:
    """The numbers of an answer, or what stands in the way of reading them."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if value is None or (isinstance(value, list | tuple) and any(item is None for item in value)):
        return (), f"{BLANK}: write a number in the place of each None, then run both cells."
    if not isinstance(value, list | tuple):
        return (), f"should be {count} whole numbers in brackets, with commas between them."
    try:
        numbers = tuple(int(item) for item in value)
        if any(number != item for number, item in zip(numbers, value, strict=True)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        return (), "should hold whole numbers only: no letters, no fractions."
    if len(numbers) != count:
        return (), f"holds {len(numbers)} number{'s' * (len(numbers) != 1)}; {count} are asked for."
    return numbers, ""


@dataclass(frozen=True)
class Spot(_Plain):
    """The output of a wrong program: name the mistake, and a row of the output that gives it away.

    ``wrong`` and ``right`` are functions of the ``inputs`` (in order). ``options`` maps each slug on offer to
    what was done; ``would_show`` maps a slug that is not the answer to what its output would have shown.
    The subject is ``{"mistake": slug, "row": number}``; each half carries half the points.
    """

    name: str
    chapter: str
    points: float
    inputs: Mapping[str, np.ndarray]
    wrong: Callable
    right: Callable
    answer: str
    options: Mapping[str, str]
    would_show: Mapping[str, str]
    kind: str = field(default="choice", init=False)

    @property
    def output(self) -> np.ndarray:
        """What the wrong program returns for the inputs."""
        with np.errstate(all="ignore"):
            return np.asarray(self.wrong(*(array.copy() for array in self.inputs.values())))

    @property
    def rows(self) -> frozenset[int]:
        """The rows that differ from the right ones, counted from 1; every row where the shapes differ."""
        got, wanted = self.output, np.asarray(self.right(*self.inputs.values()))
        if got.shape != wanted.shape:
            return frozenset(range(1, len(got) + 1))
        return frozenset(int(i) + 1 for i in np.flatnonzero(~np.isclose(got, wanted).all(axis=-1)))

    def judge(self, answers: list[Answer]) -> Mark:
        """Half the points for the mistake, half for a row that shows it."""
        value = answers[0].value
        if not isinstance(value, dict):
            return Mark(0, self.points, message=f'{self.name} keeps its form: {{"mistake": "…", "row": …}}.')
        steps = (self._mistake(value.get("mistake")), self._row(value.get("row")))
        return Mark(sum(step.points for step in steps), self.points, _slugs(steps), steps=steps)

    def _mistake(self, said) -> Step:
        half = self.points / 2
        if said is None or said == "":
            return Step("mistake", 0, half, message="Not filled in yet: write a name from the list, in quotes.")
        slug = _meant(said, self.options)
        if slug == self.answer:
            return Step("mistake", half, half, message=f"{slug}: {self.options[slug]}. That is what was done.")
        if slug in self.options:
            return Step("mistake", 0, half, slug, message=self.would_show[slug])
        return Step("mistake", 0, half, message=f"{str(said)[:60]!r} is not in the list. Copy a name from it.")

    def _row(self, said) -> Step:
        half = self.points / 2
        if said is None or said == "":
            return Step("row", 0, half, message="Not filled in yet: write the number of a row, counted from 1.")
        try:
            row = int(said)
        except (TypeError, ValueError, OverflowError):
            return Step("row", 0, half, message="A row is named by its number, counted from 1.")
        if row in self.rows:
            return Step("row", half, half, message=f"Row {row} cannot come from a right program.")
        if not 1 <= row <= len(self.output):
            return Step("row", 0, half, message=f"The output has rows 1 to {len(self.output)}.")
        said = f"Row {row} is what a right program gives. Work one cell of another row by hand, and compare."
        return Step("row", 0, half, message=said)


@dataclass(frozen=True)
class Match(_Plain):
    """Several wrong programs at once: say of each what it did.

    ``programs`` maps a label to its function of the ``inputs``; ``answers`` a label to what it did,
    one of the ``options`` (name: what was done). The subject is ``{"A": name, "B": name, …}``; each label
    carries an equal share of the points.
    """

    name: str
    chapter: str
    points: float
    inputs: Mapping[str, np.ndarray]
    programs: Mapping[str, Callable]
    answers: Mapping[str, str]
    options: Mapping[str, str]
    hint: str
    kind: str = field(default="choice", init=False)

    @property
    def outputs(self) -> dict[str, np.ndarray]:
        """What each program returns for the inputs, by its label."""
        return {label: np.asarray(program(*self.inputs.values())) for label, program in self.programs.items()}

    def judge(self, answers: list[Answer]) -> Mark:
        """An equal share of the points for each program that is named rightly."""
        value = answers[0].value
        if not isinstance(value, dict):
            form = ", ".join(f'"{label}": …' for label in self.programs)
            return Mark(0, self.points, message=f"{self.name} keeps its form: {{{form}}}.")
        steps = tuple(self._step(label, value.get(label)) for label in self.programs)
        return Mark(sum(step.points for step in steps), self.points, _slugs(steps), steps=steps)

    def _step(self, label: str, said) -> Step:
        share = self.points / len(self.programs)
        if said is None or said == "":
            return Step(label, 0, share, message="Not filled in yet: write a name from the list, in quotes.")
        meant = _meant(said, self.options)
        if meant == self.answers[label]:
            return Step(label, share, share, message=f"{meant}: {self.options[meant]}. That is what was done.")
        if meant not in self.options:
            return Step(label, 0, share, message=f"{str(said)[:60]!r} is not in the list. Copy a name from it.")
        return Step(label, 0, share, message=f"That would have given other numbers. {self.hint}")


def _meant(said, options: Mapping[str, str]) -> str:
    """The option meant: its name, or its letter in the list."""
    said = str(said).strip().casefold()
    letters = {chr(ord("a") + i): name for i, name in enumerate(options)}
    names = {name.casefold(): name for name in options}
    return letters.get(said) or names.get(said, said)
