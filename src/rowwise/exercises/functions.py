"""The exercises in which a student writes a function: from the answers of the probe to a mark."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rowwise.exercises import words
from rowwise.exercises.explain import Seen, Slip, find
from rowwise.exercises.inputs import Trial
from rowwise.mark import Mark, Step
from rowwise.probe import Answer, Case

UNTOUCHED = "inputs untouched"


@dataclass(frozen=True, eq=False)
class Function:
    """A function that a student writes.

    ``parts`` say what earns points, in order; the first is the ordinary case, and nothing else earns anything before it
    is right. A part is earned when every one of its trials is right; "inputs untouched" when no argument was written
    into. An answer that has to be unpacked or converted first earns half of what it would.

    ``right`` is the reference. ``model`` is the same calculation in steps, each of which a slip can replace; ``steps``
    names them as a message does. ``slips`` come in order of precedence, ``pairs`` are those of them that are tried two by
    two, ``guesses`` makes more, with numbers found in the answers. ``rules`` give, for a tag, the slip of its failing
    trials when every ordinary trial is right; they take those trials and all that fail. ``unpack`` turns all that came into
    arrays and a slug.
    """

    name: str
    chapter: str
    parts: Mapping[str, float]
    arguments: tuple[str, ...]
    right: Callable
    model: Callable
    steps: Mapping[str, str]
    slips: tuple[Slip, ...]
    draw: Callable[[], tuple[Trial, ...]]
    shape: str
    pairs: tuple[Slip, ...] = ()
    guesses: Callable[[list[Seen]], tuple[Slip, ...]] = lambda all_seen: ()
    rules: Mapping[str, Callable] = field(default_factory=dict)
    unpack: Callable | None = None
    exact: bool = False
    kind: str = field(default="function", init=False)

    @property
    def points(self) -> float:
        """The sum of the parts."""
        return float(sum(self.parts.values()))

    @functools.cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The cases with what each is for."""
        return self.draw()

    def cases(self) -> tuple[Case, ...]:
        """The inputs, the visible example first; the same on every machine."""
        return tuple(trial.case for trial in self.trials)

    @property
    def special_tags(self) -> frozenset[str]:
        """Tags of the cases that are not ordinary."""
        return frozenset(self.rules)

    def special(self, all_seen: list[Seen]) -> tuple[Slip, ...]:
        """Where only special cases fail, what each kind of failure is called."""
        failing = [seen for seen in all_seen if not seen.fits]
        if any(not seen.trial.tags & self.special_tags for seen in failing):
            return ()
        found: dict[str, Slip] = {}
        for tag, rule in self.rules.items():
            tagged = [seen for seen in failing if tag in seen.trial.tags]
            slip = rule(tagged, failing) if tagged else None
            if slip is not None:
                found.setdefault(slip.slug, slip)
        return tuple(found.values())

    def judge(self, answers: list[Answer]) -> Mark:
        """The mark, with the mistakes that explain what came back, or full marks when every case is right."""
        if len(answers) != len(self.trials):
            raise ValueError(f"{self.name} has {len(self.trials)} cases; {len(answers)} answers came")
        hopeless = words.unusable(self, answers)
        if hopeless:
            slug, message = hopeless
            return Mark(0, self.points, (slug,), message, self._steps(None, False, 0.0))
        with np.errstate(all="ignore"):
            return self._judge(answers)

    def _judge(self, answers: list[Answer]) -> Mark:
        rights = [np.asarray(self.right(*trial.case.args)) for trial in self.trials]
        values, peeled = self._unpacked(answers, rights)
        parts = zip(self.trials, answers, values, rights, strict=True)
        all_seen = [Seen(*each, self.exact) for each in parts]
        changed = [seen for seen in all_seen if _changed(seen)]
        failing = [seen for seen in all_seen if not seen.fits]
        if not (failing or changed or peeled):
            return Mark(self.points, self.points, message=words.right(self), steps=self._steps({}, True, 1.0))
        explained = [seen for seen in failing if changed and words.cannot_write(seen, changed)]
        failing = [seen for seen in failing if seen not in explained]
        found, complete = ((), True) if not failing else find(self, [s for s in all_seen if s not in explained])
        slugs, message = words.explain(self, all_seen, failing, found, complete, peeled, changed)
        broken: dict[str, list[str]] = {}
        for seen in failing:
            broken.setdefault(seen.trial.part, []).append(f'"{seen.trial.case.name}"')
        steps = self._steps(broken, not changed, 0.5 if peeled else 1.0)
        return Mark(sum(step.points for step in steps), self.points, slugs, message, steps)

    def _unpacked(self, answers: list[Answer], rights: list[np.ndarray]) -> tuple[list, str]:
        """The arrays that came, out of tuples and the like; and the slug of having had to take them out."""
        values = [answer.value for answer in answers]
        tuples = [value for value in values if isinstance(value, tuple)]
        if not tuples:
            return self.unpack(values) if self.unpack else (values, "")
        count = len(tuples[0])
        for i, (value, right) in enumerate(zip(values, rights, strict=True)):
            several = isinstance(value, tuple) or (
                value is not None and value.ndim == right.ndim + 1 and len(value) == count
            )
            if several:  # arrays of one shape in a list have become one array
                fitting = [item for item in value if item.shape == right.shape]
                values[i] = (fitting or [*value] or [None])[0]
        return values, "extra-output"

    def _steps(self, broken: Mapping[str, list[str]] | None, untouched: bool, share: float) -> tuple[Step, ...]:
        """What each part earns; ``broken`` names its cases that differ, and is None where no case gave anything."""
        ordinary = next(iter(self.parts))
        started = broken is not None and ordinary not in broken
        steps = []
        for part, points in self.parts.items():
            names = (broken or {}).get(part, [])
            good = not names and (untouched or part != UNTOUCHED)
            said = f"not yet: {', '.join(names[:4])}{', …' if len(names) > 4 else ''}" if names else ""
            if good and broken and not started:
                said = f"counts once the {ordinary} is right"
            steps.append(Step(part, points * share if started and good else 0.0, points, message=said))
        return tuple(steps)


def _changed(seen: Seen) -> bool:
    """Whether an argument holds other numbers than before; NaN is the same as NaN here."""
    pairs = zip(seen.args, seen.answer.after, strict=False)
    return any(isinstance(was, np.ndarray) and was.tobytes() != now.tobytes() for was, now in pairs)
