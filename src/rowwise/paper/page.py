"""A row as HTML: what is given, and a blank for every number asked for. Steps run down, keys across."""

import html
from pathlib import Path

import numpy as np

from rowwise.rows import Task
from rowwise.rows.worked import text

CSS = Path(__file__).with_name("row.css")
TITLES = {
    "scores": "scores, q·k",
    "scaled": "scaled scores, q·k / √d_k",
    "masked": "masked scores",
    "exponentials": "exponentials",
    "weights": "weights",
    "products": "products, weight · value",
    "output": "output",
}


def question(task: Task, filled: dict | None = None) -> str:
    """The question as a table, with blanks; ``filled`` maps steps to lines of text that take their place."""
    keys = range(task.n_k)
    head = "".join(f"<th scope='col'>key {i + 1}</th>" for i in keys)
    body = [_given(name, cells) for name, cells in _givens(task)]
    body += [_asked(task, step, (filled or {}).get(step)) for step in task.asks]
    caption = f"<caption>{_caption(task)}</caption>"
    return f"<table>{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def framed(content: str) -> str:
    """The content with the style of rows, to be shown in a notebook."""
    return f"<div class='rowwise-row'><style>{CSS.read_text(encoding='utf-8')}</style>{content}</div>"


def _caption(task: Task) -> str:
    said = []
    if task.q is not None:
        said.append(f"<span class='rowwise-query'>q = {vector(task.q)}</span>")
    if set(task.asks) - {"scores"}:
        if "scaled" in task.chain:
            said.append(f"d<sub>k</sub> = {task.width}")
        said.append(f"to {task.decimals} decimals")
    return ", ".join(said)


def _givens(task: Task):
    if task.K is not None:
        yield ("k", "key"), [vector(row) for row in task.K]
    elif task.start != "question":
        yield (TITLES[task.start], "given"), [text(x) for x in task.given[0]]
    if task.V is not None:
        yield ("v", "value"), [vector(row) if len(row) > 1 else text(row[0]) for row in task.V]
    if task.mask is not None:
        yield ("may attend", "mask"), ["yes" if open_ else "no" for open_ in task.mask]


def _given(name, cells) -> str:
    title, kind = name
    inside = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr class='rowwise-{kind}'><th scope='row'>{title}</th>{inside}</tr>"


def _asked(task: Task, step: str, filled) -> str:
    shape, head = task.shape(step), f"<th scope='row'>{TITLES[step]}</th>"
    cells = np.full(shape, None) if filled is None else np.asarray(filled, dtype=object).reshape(shape)
    blank = "<span class='rowwise-blank' role='img' aria-label='blank'></span>"
    shown = [
        [blank if cell is None else html.escape(str(cell)) for cell in np.atleast_1d(row)] for row in cells
    ]
    if step == "output":
        inside = ", ".join(cell[0] for cell in shown)
        return f"<tr class='rowwise-output'>{head}<td colspan='{task.n_k}'>{inside}</td></tr>"
    inside = "".join(f"<td>{', '.join(cell)}</td>" for cell in shown)
    return f"<tr class='rowwise-asked'>{head}{inside}</tr>"


def vector(numbers) -> str:
    """[1, −2, 0.5]."""
    return f"[{', '.join(map(text, numbers))}]"
