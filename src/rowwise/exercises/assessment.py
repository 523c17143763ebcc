"""Exercises of chapter 10, the assessment. Their numbers come from the sitting: see seeded.py."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rowwise import reference
from rowwise.exercises import masking
from rowwise.exercises.decimals import Decimals
from rowwise.exercises.inputs import draw
from rowwise.exercises.plain import Value, _Plain
from rowwise.exercises.seeded import Seeded, Sitting
from rowwise.mark import Mark, Step
from rowwise.probe import Answer, Case
from rowwise.rows import RowExercise, Task
from rowwise.rows.apart import apart
from rowwise.rows.lines import read_line

CHAPTER = "10-assessment"
TRIES = 3000


@dataclass(frozen=True)
class Numbers:
    """What the questions of one sitting are about: two queries, three keys with their values, and the key excluded.

    ``queries`` (2, 4), ``K`` (3, 4), ``V`` (3, 2); ``excluded`` counts from 0.
    """

    queries: np.ndarray
    K: np.ndarray
    V: np.ndarray
    excluded: int

    @property
    def mask(self) -> np.ndarray:
        """(3,) booleans, True = may attend."""
        return np.arange(3) != self.excluded

    def task(self, query: int, **more) -> Task:
        """The row of one query, as a paper row."""
        return Task(q=self.queries[query], K=self.K, V=self.V, **more)


ROW = {"scores": 1, "scaled": 1, "exponentials": 2, "weights": 2, "output": 2}
MASKED = {"masked": 1, "weights": 2, "output": 2}
SECOND = {"scores": 1, "scaled": 1, "weights": 2, "output": 1}


def numbers(sitting: Sitting) -> Numbers:
    """The numbers of a sitting: right and wrong are far apart in every row, and no weight is next to nothing."""
    rng = sitting.rng("numbers")
    for _ in range(TRIES):
        queries = rng.integers(-3, 4, size=(2, 4)).astype(float)
        # Tenths, so that the lines of two sittings differ; queries are whole, so that a calculator is enough.
        K = np.round(rng.integers(-35, 36, size=(3, 4)) / 10, 1)
        V = np.round(rng.integers(-60, 61, size=(3, 2)) / 10, 1)
        found = Numbers(queries, K, V, int(rng.integers(3)))
        if _suitable(found):
            return found
    raise ValueError(f"no suitable numbers for the seed {sitting.seed!r}; choose another seed")


def _suitable(found: Numbers) -> bool:
    if (np.abs(found.queries).max(axis=1) < 2).any() or (np.ptp(found.V, axis=0) < 2).any():
        return False
    W = reference.weights(found.queries, found.K)
    if W.min() < 0.05 or W.max() > 0.8:
        return False
    rows = (
        found.task(0, asks=tuple(ROW)),
        found.task(0, asks=tuple(MASKED), mask=found.mask),
        found.task(1, asks=tuple(SECOND)),
    )
    return all(apart(task) for task in rows) and min(_removals(found)) > 0.05


def _removals(found: Numbers) -> tuple[float, float]:
    """How far output 1 moves when the excluded key's content becomes zero, and when the key is masked."""
    Q, key = found.queries, found.excluded
    return tuple(reference.content_removal(Q, found.K, found.V, 0, key, how) for how in ("zero", "mask"))


@dataclass(frozen=True)
class Guard(_Plain):
    """A function of the student's that must let right outputs pass and stop wrong ones with an AssertionError."""

    name: str
    chapter: str
    parts: tuple[tuple[str, float], ...] = (
        ("wrong shapes are stopped", 1.5),
        ("numbers out of range are stopped", 1.5),
    )
    kind: str = field(default="function", init=False)

    @property
    def points(self) -> float:
        """The sum of the parts."""
        return sum(points for _, points in self.parts)

    def cases(self) -> tuple[Case, ...]:
        """Right outputs first, then those of each part."""
        return tuple(Case(name, args) for name, _, args in self._trials())

    def judge(self, answers: list[Answer]) -> Mark:
        """Nothing is earned while a right output is stopped; then each part by itself."""
        seen = [(part, name, answer) for (name, part, _), answer in zip(self._trials(), answers, strict=True)]
        stopped = [_refuses(answer) for _, _, answer in seen]
        broken = next((a for _, _, a in seen if a.problem and not _refuses(a)), None)
        if broken is not None:
            where = f" Your line: {broken.line}." if broken.line else ""
            said = f"{self.name} came to a stop of another kind: {broken.error}.{where} Only an assert should stop it."
            return Mark(0, self.points, ("raised",), said, self._steps({}))
        if not any(stopped):
            said = f"{self.name} stops nothing yet: write an assert for the shape and one for the range."
            return Mark(0, self.points, message=said, steps=self._steps({}))
        refused_right = [name for (part, name, _), no in zip(seen, stopped, strict=True) if not part and no]
        if refused_right:
            said = f"Your assert stops an output that is right: {refused_right[0]}. Which condition is too strict?"
            return Mark(0, self.points, ("differs",), said, self._steps({}))
        passed = [name for (part, name, _), no in zip(seen, stopped, strict=True) if part and not no]
        works = {
            part: all(no for (p, _, _), no in zip(seen, stopped, strict=True) if p == part) for part, _ in self.parts
        }
        said = (
            f"Passes, and should be stopped: {'; '.join(passed)}."
            if passed
            else "Stops what it should, and nothing else."
        )
        steps = self._steps(works)
        return Mark(sum(s.points for s in steps), self.points, ("differs",) if passed else (), said, steps)

    def _steps(self, works) -> tuple[Step, ...]:
        return tuple(Step(part, points if works.get(part) else 0, points) for part, points in self.parts)

    def _trials(self):
        shape, spread = (part for part, _ in self.parts)
        Q, K, V = draw("guard-q", 2, 4), draw("guard-k", 3, 4), draw("guard-v", 3, 5)
        out = reference.attention(Q, K, V)
        wide = np.array([[1.0, 0, 4, -2, 3]])
        return (
            ("two queries, three keys, values 5 wide", "", (Q, K, V, out)),
            ("an output that equals a value", "", (Q[:1], K, V, V[1:2].copy())),
            ("one row a key", shape, (Q, K, V, np.repeat(out[:1], 3, axis=0))),
            ("as wide as a key", shape, (Q, K, V, out[:, :4].copy())),
            ("the output of one query only", shape, (Q, K, V, out[0].copy())),
            (
                "one number above the largest value of its column",
                spread,
                (Q, K, V, _lifted(out, V.max(axis=0))),
            ),
            (
                "one number below the smallest value of its column",
                spread,
                (Q, K, V, _lifted(out, V.min(axis=0), -1)),
            ),
            (
                "within all values taken together, but not within its column",
                spread,
                (Q[:1], K[:1], wide, wide[:, ::-1]),
            ),
        )


def _lifted(out, edge, sign=1):
    changed = out.copy()
    changed[1, 2] = edge[2] + sign * 0.5
    return changed


def _refuses(answer: Answer) -> bool:
    return answer.problem == "raised" and answer.error.startswith("AssertionError")


shapes = Value(
    name="exam_shapes",
    chapter=CHAPTER,
    points=2,
    right=(2, 4, 3, 4, 3, 2, 2, 3, 2, 2),
    tells={
        (2, 4, 3, 4, 3, 2, 3, 2, 2, 2): (
            "transposed-scores",
            "Everything stands but the scores: they have one row a query, one column a key.",
        ),
        (2, 4, 3, 4, 3, 2, 2, 3, 2, 4): (
            "keys-as-values",
            "Everything stands but the output: it is as wide as the things that are mixed.",
        ),
    },
    otherwise="Go through them one by one: rows count vectors, columns count the numbers in each.",
)


class OwnRow(RowExercise):
    """A row that is nobody else's.

    Follow-through would give a copied row most of its marks. So a first line of which not one number is right, and
    which no mistake of the catalogue explains, ends the row.
    """

    def judge(self, answers: list[Answer]) -> Mark:
        """The mark, step by step; 0 for a row of other numbers."""
        mark = super().judge(answers)
        first = mark.steps[0]
        typed = answers[0].value.get(first.name) if isinstance(answers[0].value, dict) else None
        line = read_line(typed, self.row.shape(first.name), self.row.decimals)
        if line.box is None or first.points or first.mistake not in ("", "differs"):
            return mark
        right = self.row.line(first.name)
        finite = np.isfinite(right)
        if ((line.box[0] <= right) & (right <= line.box[1]))[finite].any():
            return mark
        said = f"Not one of your {first.name} belongs to the numbers of this paper. Is the paper above your own?"
        steps = tuple(Step(s.name, 0, s.of, message=s.message if s.name == first.name else "") for s in mark.steps)
        return Mark(0, self.points, ("differs",), said, steps)


def lines(sitting: Sitting) -> set[tuple]:
    """Every numeric line of a sitting's key to two decimals; what everybody shares (1, masked zeros) left out."""
    found = set()
    for exercise in EXERCISES:
        if not isinstance(exercise, Seeded):
            continue
        key = exercise.bind(sitting).solution()
        for step, line in key.items() if isinstance(key, dict) else [("", key)]:
            shared = (0, 1, "-inf") if step == "exponentials" else (0, "-inf")
            found.add((exercise.name, step, *(round(float(x), 2) for x in line if x not in shared)))
    return found


def _row(name: str, query: int, marks: dict, masked: bool = False) -> Seeded:
    def make(sitting: Sitting) -> RowExercise:
        drawn = numbers(sitting)
        more = {"mask": drawn.mask} if masked else {}
        return OwnRow(name, CHAPTER, drawn.task(query, asks=tuple(marks), marks=marks, **more))

    return Seeded(name, CHAPTER, float(sum(marks.values())), "row", make)


def _range(sitting: Sitting) -> Decimals:
    V = numbers(sitting).V
    low, high = V.min(axis=0), V.max(axis=0)
    right = (low[0], high[0], low[1], high[1])
    return Decimals(
        name="exam_range",
        chapter=CHAPTER,
        points=2,
        labels=(
            "first number, smallest",
            "first number, largest",
            "second number, smallest",
            "second number, largest",
        ),
        right=tuple(map(float, right)),
        slips=(
            (
                "differs",
                (right[1], right[0], right[3], right[2]),
                "Smallest and largest have changed places.",
            ),
        ),
        otherwise="The output lies between the smallest and the largest value, number by number: read down a column.",
    )


def _removal(sitting: Sitting) -> Decimals:
    found = numbers(sitting)
    key, W = found.excluded, reference.weights(found.queries, found.K)[0]
    zero, mask = _removals(found)
    length = float(np.linalg.norm(W @ found.V))
    return Decimals(
        name="exam_removal",
        chapter=CHAPTER,
        points=3,
        labels=("its value becomes zero", "the key is masked"),
        right=(zero, mask),
        close=0.01,  # carried on from rounded lines
        slips=(
            (
                "removal-renormalised",
                (mask, zero),
                "This answers the other question: zero leaves the weights, a mask scales them up.",
            ),
            (
                "removal-measures-weights",
                (float(W[key]),) * 2,
                "This is the weight itself. Asked is how far the output moves.",
            ),
            (
                "differs",
                (zero * length, mask * length),
                "This is the distance. Divide it by the length of the output before the change.",
            ),
        ),
        otherwise="Output after minus output before; the length of that, divided by the length of the output before.",
    )


attention = dataclasses.replace(masking.attention, name="exam_attention", chapter=CHAPTER)

PLAN: tuple[tuple[str, Callable | object, int], ...] = (  # question, exercise, minutes
    ("1", shapes, 4),
    ("2", _row("exam_row", 0, ROW), 18),
    ("3", Seeded("exam_range", CHAPTER, 2.0, "value", _range), 3),
    ("4", _row("exam_masked", 0, MASKED, masked=True), 10),
    ("5", _row("exam_second", 1, SECOND), 12),
    ("6", attention, 12),
    ("7", Guard("exam_guard", CHAPTER), 8),
    ("8", Seeded("exam_removal", CHAPTER, 3.0, "value", _removal), 8),
)

EXERCISES = tuple(exercise for _, exercise, _ in PLAN)
