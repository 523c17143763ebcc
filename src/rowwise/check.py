"""What a student calls: ``check.softmax_rows(softmax_rows)`` gives a Mark that names the mistake.

There is a check for every exercise of the course, of whatever kind, under the exercise's own name; the subject is the
student's function, row, choice or value. A check never raises for anything that the subject does, and gives a function
ten seconds for all its cases together.
"""

from rowwise import exercises, progress
from rowwise.mark import Mark
from rowwise.probe import probe


def of(name: str, subject) -> Mark:
    """The mark of one exercise, by its name; KeyError where there is no such exercise."""
    exercise = exercises.ALL[name]
    mark = exercise.judge(probe(exercise.cases(), subject))
    record = getattr(progress, "record", None)
    if record is not None:
        record(name, mark)
    return mark


def inputs(name: str, case: str = "") -> tuple:
    """Fresh copies of the inputs of one case of a function's check: the visible example, or the case a message names.

    ``Q, K = check.inputs("scores")``. KeyError, with the names there are, where there is no such case.
    """
    from rowwise.probe import _copy

    cases = {each.name: each for each in exercises.ALL[name].cases()}
    chosen = cases[case] if case in cases else None if case else next(iter(cases.values()))
    if chosen is None:
        raise KeyError(f"{name} has the cases {', '.join(map(repr, cases))}")
    return tuple(_copy(argument) for argument in chosen.args)


def __getattr__(name: str):
    if name not in exercises.ALL:
        raise AttributeError(f"there is no check named {name!r}; there are: {', '.join(exercises.ALL)}")

    def check(subject) -> Mark:
        return of(name, subject)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Marks {name}, {exercises.ALL[name].points:g} points, chapter {exercises.ALL[name].chapter}."
    return check


def __dir__() -> list[str]:
    return [*exercises.ALL, "inputs", "of"]
