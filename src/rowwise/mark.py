"""Mark: what a check gives back. nbgrader reads it as a number, a student reads it as a table."""

import html
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One line of a mark: a step of a paper row, or one thing a function must do.

    ``points`` of ``of`` were earned; ``mistake`` is a slug of the catalogue or ""; ``carried`` says that the step was
    judged from the student's own earlier line.
    """

    name: str
    points: float
    of: float
    mistake: str = ""
    carried: bool = False
    message: str = ""


class Mark(float):
    """Points earned, from 0 to ``points``, with the mistakes that were named and what a tutor would say.

    nbgrader takes the mark from the text of the last output, so ``repr`` is the plain number whatever formatter a
    student has set; the table is a second form of the same output. ``print(mark)`` gives it as text.
    """

    points: float
    mistakes: tuple[str, ...]
    message: str
    steps: tuple[Step, ...]

    def __new__(cls, earned: float, points: float, mistakes=(), message: str = "", steps=()):
        """ValueError where ``earned`` is no number from 0 to ``points``."""
        earned, points = float(earned), float(points)
        if not (math.isfinite(points) and 0 <= earned <= points):
            raise ValueError(f"a mark lies between 0 and its points; this one is {earned} of {points}")
        mark = super().__new__(cls, round(earned, 4))
        mark.points, mark.mistakes = points, tuple(mistakes)
        mark.message, mark.steps = message, tuple(steps)
        return mark

    def __repr__(self) -> str:
        return repr(float(self))

    def __reduce__(self):
        return Mark, (float(self), self.points, self.mistakes, self.message, self.steps)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(float.__repr__(self))

    def __str__(self) -> str:
        lines = [f"{_number(self)} of {_number(self.points)} points"]
        for step in self.steps:
            lines.append(f"  {step.name}: {_number(step.points)} of {_number(step.of)}")
            lines += [f"    {line}" for line in step.message.splitlines()]
        return "\n".join([*lines, *self.message.splitlines(), *_called(self.mistakes)])

    def _repr_html_(self) -> str:
        # Notebooks align cells to the right, and nbgrader's feedback page leaves no room between them.
        left = "style='text-align:left;vertical-align:top;padding:2px 12px 2px 0'"
        said = any(step.message for step in self.steps)
        rows = "".join(
            f"<tr><th scope='row' {left}>{html.escape(step.name)}</th>"
            f"<td {left[:-1]};white-space:nowrap'>{_number(step.points)} of {_number(step.of)}</td>"
            + (f"<td {left}>{_paragraphs(step.message)}</td></tr>" if said else "</tr>")
            for step in self.steps
        )
        columns = ("step", "points", "what it shows")[: 3 if said else 2]
        heads = "".join(f"<th scope='col' {left}>{head}</th>" for head in columns)
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        called = "".join(f"<p>{html.escape(line)}</p>" for line in _called(self.mistakes))
        return (
            f"<div class='rowwise-mark' role='group' aria-label='mark'>"
            f"<p><strong>{_number(self)} of {_number(self.points)} points</strong></p>{table}"
            f"<div>{_paragraphs(self.message)}</div>{called}</div>"
        )


# What could not be recognised as one mistake has no name to learn.
_NAMELESS = {"differs", "raised", "wrong-shape", "wrong-type"}


def _called(mistakes) -> list[str]:
    """The names by which chapters, feedback and reports speak of these mistakes, in a sentence, if there are any."""
    names = [slug for slug in mistakes if slug not in _NAMELESS]
    return [f"In this course it is called {' and '.join(names)}."] if names else []


def _number(x: float) -> str:
    return f"{float(x):g}"


def _paragraphs(text: str) -> str:
    return "<br>".join(html.escape(line) for line in text.splitlines())
