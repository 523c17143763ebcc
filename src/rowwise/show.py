"""show: a labelled matrix in the notebook, a student's own result or any other.

``show(scores, Q, K)`` calls the function and shows what it returned. Where there is nothing to show yet it says
so in a sentence, and Run All goes on.
"""

import html
import re
from dataclasses import dataclass

import numpy as np

from rowwise.probe import Case, probe

MOST = 12  # rows and columns that are shown; a wider matrix is a picture's job


@dataclass(frozen=True)
class Shown:
    """``html`` for a notebook, ``text`` everywhere else."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        """The plain text, which is what a terminal prints."""
        return self.text


def show(subject, *arrays, rows="row", columns="column") -> Shown:
    """A matrix as a table, or what the function ``subject`` returns for copies of ``arrays``.

    ``rows`` and ``columns`` say what a row and a column is ("query" gives query 1, query 2, …), or list names.
    A vector is shown as one row; further axes in front give a table each. Never raises for what a function
    does: an unwritten one, one that raises, and one that returns no numbers each get a sentence.
    """
    value, name = subject, ""
    if callable(subject):
        name = getattr(subject, "__name__", "the function")
        if not arrays:
            return _sentence(f"Say what {name} is called with as well: show({name}, …).")
        (answer,) = probe([Case("shown", arrays)], subject)
        if answer.problem:
            return _sentence(_what_happened(name, answer))
        value = answer.value
    if value is None:
        what = f"{name} returned None" if name else "There is nothing here yet (None)"
        return _sentence(f"{what}: either it is not written yet, or its last line lacks `return`.")
    if isinstance(value, tuple):
        return _sentence(f"{name or 'This'} is {len(value)} arrays rather than one: {_shapes(value)}.")
    value = np.asarray(value)
    if value.dtype.kind not in "biuf":
        return _sentence(f"{name or 'This'} is no matrix of numbers: its entries are {value.dtype.name}.")
    if value.size == 0:
        return _sentence(f"{name or 'This'} has the shape {value.shape}: there is no number in it.")
    title = f"{name}: shape {value.shape}" if name else f"shape {value.shape}"
    matrix = value.reshape((-1, *np.atleast_2d(value).shape[-2:]))
    leading = list(np.ndindex(value.shape[:-2])) if value.ndim > 2 else [()]
    parts = [
        _table(each, f"{title}, [{', '.join(map(str, at))}]" if at else title, rows, columns)
        for at, each in zip(leading[:MOST], matrix, strict=False)
    ]
    return Shown("".join(part.html for part in parts), "\n\n".join(part.text for part in parts))


def _what_happened(name: str, answer) -> str:
    if answer.problem == "raised":
        where = f" at your {answer.line}" if answer.line else ""
        return f"{name} stopped{where}\nPython says: {answer.error}"
    return {
        "timeout": f"{name} did not come to an end: look at the condition of its loop.",
        "interrupted": f"{name} was interrupted before it came to an end.",
    }.get(answer.problem, f"{name} returned {answer.error}, which is no matrix of numbers.")


def _shapes(arrays) -> str:
    return ", ".join(str(np.shape(array)) for array in arrays)


def _sentence(text: str) -> Shown:
    lines = "<br>".join(re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line)) for line in text.splitlines())
    return Shown(f"<p role='status' style='margin:4px 0'>{lines}</p>", text)


def _table(matrix: np.ndarray, title: str, rows, columns) -> Shown:
    shown = matrix[:MOST, :MOST]
    if shown.shape != matrix.shape:
        title += f" (the first {shown.shape[0]} rows and {shown.shape[1]} columns)"
    cells = _numbers(shown)
    row_names, column_names = _names(rows, len(shown)), _names(columns, shown.shape[1])
    heads = "".join(f"<th scope='col'>{html.escape(each)}</th>" for each in column_names)
    body = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th>"
        + "".join(f"<td style='font-variant-numeric:tabular-nums'>{cell}</td>" for cell in line)
        + "</tr>"
        for name, line in zip(row_names, cells, strict=True)
    )
    caption = f"<caption style='text-align:left;white-space:nowrap'>{html.escape(title)}</caption>"
    head = f"<thead><tr><td></td>{heads}</tr></thead>"
    table = f"<table style='margin:4px 0'>{caption}{head}<tbody>{body}</tbody></table>"
    lines = [["", *column_names], *([name, *line] for name, line in zip(row_names, cells, strict=True))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return Shown(table, "\n".join([title, *text]))


def _numbers(matrix: np.ndarray) -> list[list[str]]:
    """Four decimals, which is what rows worked on paper have; none where all are whole."""
    if matrix.dtype.kind == "b":
        return [[str(bool(x)) for x in row] for row in matrix]
    finite = matrix[np.isfinite(matrix)]
    whole = bool(np.all(finite == np.round(finite))) and (finite.size == 0 or np.abs(finite).max() < 1e6)
    return [[_number(float(x), 0 if whole else 4) for x in row] for row in matrix]


def _number(x: float, decimals: int) -> str:
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:.{decimals}f}" if abs(x) < 1e6 else f"{x:.4g}"
    return text.replace("-", "−")


def _names(given, count: int) -> list[str]:
    if isinstance(given, str):
        return [f"{given} {i}" for i in range(1, count + 1)]
    names = [str(each) for each in given][:count]
    return names + [str(i) for i in range(len(names) + 1, count + 1)]
