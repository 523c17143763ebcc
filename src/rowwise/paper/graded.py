"""The course's graded rows: shown to be filled in, and worked through once they have been tried."""

from rowwise import exercises, progress
from rowwise.paper.explain import Explanation
from rowwise.paper.row import Row
from rowwise.rows import RowExercise


class NotYet(str):
    """A sentence that stands where an explanation will be."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The sentence, without quotes."""
        return str(self)


def blank(name: str) -> Row:
    """A graded row as a question, with blanks; it can't be marked or explained here. KeyError for another name."""
    return _Question(_exercise(name))


def explain(name: str) -> Explanation | NotYet:
    """A graded row worked through, once it has been checked with no place left empty; until then a sentence."""
    exercise = _exercise(name)
    best = progress.best().get(name)
    if best is None or not best.filled:
        return NotYet(
            f"{name} is worked through here once you have tried it: fill in every place, run its check, then run "
            "this cell again."
        )
    return Explanation(exercise.row)


def _exercise(name: str) -> RowExercise:
    rows = {each.name: each for each in exercises.ALL.values() if each.kind == "row"}
    if name not in rows:
        raise KeyError(f"there is no graded row {name!r}; there are {', '.join(rows)}")
    return rows[name]


class _Question(Row):
    def __init__(self, exercise: RowExercise):
        self.task, self.name = exercise.row, exercise.name

    def mark(self, **typed):
        raise TypeError(f"this row is marked by check.{self.name}({self.name})")

    def explain(self):
        return explain(self.name)
