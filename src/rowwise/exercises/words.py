"""From what was found to what a student reads: which case and row to show, and what is right already.

A message says what the numbers show, what that points at, and what to look at next. The right answer is never in it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rowwise.exercises import tutor
from rowwise.exercises.numerals import number, numbers

STOPPED = ("timeout", "interrupted")


@dataclass(frozen=True)
class Evidence:
    """The case that shows a mistake best, and the row of the student's answer in it."""

    exercise: object
    seen: object
    note: str = ""
    only: bool = True  # nothing else is wrong that would hide the weights in the output

    @property
    def value(self) -> np.ndarray:
        """What came back."""
        return self.seen.value

    @property
    def right_shape(self) -> tuple[int, ...]:
        """The shape that was wanted."""
        return self.seen.right.shape

    @property
    def shaped(self) -> bool:
        """Whether the shape is right, so that a row can be shown."""
        return self.seen.shaped

    @property
    def where(self) -> str:
        """The case, to begin a sentence with."""
        name = self.seen.trial.case.name
        return "In the example" if name == "the example" else f'In the case "{name}"'

    @property
    def reads_weights(self) -> bool:
        """Whether what came back can be read as weights."""
        softmax = self.exercise.arguments[:1] == ("S",)
        return self.shaped and (softmax or ("identity" in self.seen.trial.tags and self.only))

    @property
    def weights_where(self) -> str:
        """The case, and why what came back can be read as weights."""
        if self.exercise.arguments[:1] == ("S",) or not self.reads_weights:
            return self.where
        return f"{self.where} your output is your weights; there"

    @property
    def mask(self) -> np.ndarray | None:
        """The mask of the case."""
        return next((a for a in self.seen.args if isinstance(a, np.ndarray) and a.dtype.kind == "b"), None)

    def text_of(self, row: int) -> str:
        """A row of the student's, counted from 0."""
        return numbers(self.value.reshape(-1, self.value.shape[-1])[row])

    @property
    def uneven(self) -> tuple[int, float]:
        """The row whose sum is farthest from 1, counted from 0, and that sum."""
        sums = self.value.sum(axis=-1).ravel()
        row = int(np.argmax(np.nan_to_num(np.abs(sums - 1))))
        return row, float(sums[row])

    @property
    def given(self) -> str:
        """The case with the shapes that went in, to begin a sentence with."""
        pairs = zip(self.exercise.arguments, self.seen.args, strict=False)
        shown = [f"{name} {np.shape(a)}" if np.ndim(a) else f"{name} = {a}" for name, a in pairs]
        return f"{self.where} ({', '.join(shown)})"

    def argument(self, name: str):
        """An input of the case by its name, or None."""
        place = self.exercise.arguments.index(name) if name in self.exercise.arguments else 99
        return self.seen.args[place] if place < len(self.seen.args) else None

    @cached_property
    def row(self) -> int:
        """The first row that differs, counted from 0; 0 where the shape does."""
        if not self.shaped or self.value.ndim == 0:
            return 0
        return int(np.argmax(self._differing))

    @property
    def _differing(self) -> np.ndarray:
        value, right = np.atleast_2d(self.value.astype(float)), np.atleast_2d(self.seen.right.astype(float))
        value, right = value.reshape(-1, value.shape[-1]), right.reshape(-1, right.shape[-1])
        size = np.abs(right) if self.exercise.exact else np.max(np.abs(right), where=np.isfinite(right), initial=1e-3)
        same = (np.abs(value - right) <= 2e-5 * size) | (value == right)
        return ~same.all(axis=-1)

    @property
    def rows_right(self) -> int:
        """How many rows of this case agree."""
        return int((~self._differing).sum()) if self.shaped else 0

    @property
    def mine(self) -> np.ndarray:
        """The student's own row."""
        if self.value.ndim < 2:
            return np.atleast_1d(self.value)
        return self.value.reshape(-1, self.value.shape[-1])[self.row]

    @property
    def shown(self) -> str:
        """The student's own row, or number, as the middle of a sentence."""
        if self.value.ndim == 0:
            return f"yours is {number(self.value)}"
        if self.value.ndim < 3:
            return f"row {self.row + 1} of yours is {self.mine_text}"
        place = ", ".join(str(int(i)) for i in np.unravel_index(self.row, self.value.shape[:-1]))
        return f"row [{place}] of yours, counted from 0, is {self.mine_text}"

    @property
    def mine_text(self) -> str:
        """The student's own row as NumPy would print it, shortened."""
        return numbers(self.mine)


# ---- nothing to compare


def unusable(exercise, answers) -> tuple[str, str] | None:
    """The slug and the message where no case gave anything that could be compared."""
    first, name = answers[0], exercise.name
    call = f"check.{name}({name})"
    if first.problem == "not-callable":
        return "wrong-type", (
            f"The check was given {first.error} instead of the function {name}. It calls the function itself, on inputs "
            f"of its own, so hand it over without brackets after it: {call}."
        )
    stopped = [(a, t.case.name) for a, t in zip(answers, exercise.trials, strict=True) if a.problem in STOPPED]
    if stopped:
        stopped, case = stopped[0]
        how = "was interrupted" if stopped.problem == "interrupted" else f"was {stopped.error}"
        return "raised", (
            f'{name} did not come to an end in the case "{case}" and {how}. On arrays this small the calculation takes '
            "far less than a second, so a loop is waiting for something that never happens. Look at what each loop counts, "
            "and at what changes the condition of a `while`."
        )
    if all(a.value is None and not a.problem for a in answers):
        return "wrong-type", (f"{name} returned None: either it is not written yet, or its last line lacks `return`.")
    if all(a.problem == "raised" for a in answers):
        return "raised", tutor.raised(exercise, exercise.trials[0].case, first, every=True)
    if all(a.problem == "unreadable" for a in answers):
        return "wrong-type", tutor.unreadable(exercise, first)
    return None


def cannot_write(seen, changed) -> bool:
    """Whether this failure is that of writing fractions or −inf into the caller's own integer array."""
    return "integer" in seen.trial.tags and (seen.raised or seen in changed)


# ---- what is said


def right(exercise) -> str:
    """What is said when everything is right: a finding, no praise."""
    return f"{exercise.name} is right in all {len(exercise.trials)} cases: {', '.join(exercise.parts)}."


def explain(exercise, all_seen, failing, found, complete, peeled: str, changed) -> tuple[tuple[str, ...], str]:
    """The slugs and the message for what was found."""
    slugs, said = [], []
    hides = {"mix", "finish", "project", "keys"}
    for slip in found:
        if slip.slug not in slugs:
            slugs.append(slip.slug)
            only = not any(hides & set(other.steps) for other in found if other is not slip)
            said.append(_say(exercise, slip.slug, tell_tale(failing, slip), slip.note, only))
    if failing and not found:
        slug, text = _unknown(exercise, all_seen, failing)
        slugs.append(slug)
        said.append(text)
    if peeled:
        slugs.append(peeled)
        said.append(_say(exercise, peeled, next(seen for seen in all_seen if seen.answer.value is not None)))
    if changed:
        slugs.append("inputs-changed")
        said.append(_say(exercise, "inputs-changed", changed[0]))
    if found and not complete:
        said.append(
            "That explains the ordinary cases, not all of the others: mend this first, then run the check again."
        )
    said.append(_already(exercise, all_seen, failing, found if complete else ()))
    return tuple(slugs), "\n\n".join(text for text in said if text)


def _say(exercise, slug: str, seen, note: str = "", only: bool = True) -> str:
    evidence = Evidence(exercise, seen, note, only)
    try:
        return (tutor.SAYS.get(note) or tutor.SAYS[slug])(evidence)
    except Exception:  # an answer of a kind that the sentence was not written for: a mark is worth more than a sentence
        return tutor.speechless(evidence)


def tell_tale(failing, slip=None):
    """The failing case that shows most: one of the right shape first, the example before others."""
    wanted = tutor.SHOWN_BY.get(slip.slug, ()) if slip else ()
    return min(
        failing,
        key=lambda seen: (
            seen.value is None,
            next((i for i, tags in enumerate(wanted) if set(tags.split()) <= seen.trial.tags), len(wanted)),
            not seen.shaped if slip and slip.slug not in tutor.SHOWN_BY_SHAPE else 0,
            failing.index(seen),
        ),
    )


def _unknown(exercise, all_seen, failing) -> tuple[str, str]:
    """What is wrong in no way that the catalogue knows: never a guess."""
    if fitted(all_seen):
        return "fitted-to-the-example", tutor.fitted(Evidence(exercise, failing[0]))
    first = failing[0]
    if first.raised:
        return "raised", tutor.raised(exercise, first.trial.case, first.answer)
    if first.answer.problem == "unreadable":
        return "wrong-type", tutor.unreadable(exercise, first.answer)
    if first.value is None:
        return "wrong-type", tutor.nothing(Evidence(exercise, first))
    if not first.shaped:
        return "wrong-shape", tutor.shape(Evidence(exercise, first))
    return "differs", tutor.differs(Evidence(exercise, first))


def fitted(all_seen) -> bool:
    """Whether only the example is right: its numbers come back whatever goes in, or only its sizes work."""
    example, others = all_seen[0], all_seen[1:]
    if not example.fits or all(seen.fits for seen in others):
        return False
    if all(seen.value is not None and np.array_equal(seen.value, example.value) for seen in others):
        return True
    alike = [seen for seen in others if _shapes(seen) == _shapes(example)]
    strange = [seen for seen in others if _shapes(seen) != _shapes(example)]
    fixed = [seen.raised or (seen.value is not None and seen.value.shape == example.value.shape) for seen in strange]
    return all(seen.fits for seen in alike) and all(fixed) and not any(seen.fits for seen in strange)


def _shapes(seen) -> tuple:
    return tuple(np.shape(argument) if np.ndim(argument) else argument for argument in seen.args)


def _already(exercise, all_seen, failing, found) -> str:
    """What is right already: the steps that no slip touches, else the cases, else the shapes."""
    broken = {step for slip in found for step in slip.steps}
    steps = [words for step, words in exercise.steps.items() if not broken & set(step.split())]
    if found and all(slip.steps for slip in found) and steps and "whole" not in broken:
        return f"Right already: {_listed(steps)}."
    parts = [
        p for p in exercise.parts if (mine := [s for s in all_seen if s.trial.part == p]) and all(s.fits for s in mine)
    ]
    if parts:
        return f"Right already: {_listed(parts)}."
    names = [f'"{seen.trial.case.name}"' for seen in all_seen if seen.fits]
    if names:
        return f"Right already: the case{'s' * (len(names) > 1)} {_listed(names[:4])}."
    if all(seen.shaped for seen in failing):
        return "Right already: the shape, in every case."
    return ""


def _listed(words) -> str:
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
