"""A row as HTML: what is given, and a blank for every number asked for. Steps run down, keys across."""

import html
from pathlib import Path

from rowwise.rows import Task
from rowwise.rows.worked import text

_HERE = Path(__file__).parent
TITLES = {
    "scores": "scores, q·k",
    "scaled": "scaled scores, q·k / √d_k",
    "masked": "masked scores",
    "exponentials": "exponentials",
    "weights": "weights",
    "products": "products, weight · value",
    "output": "output",
}


def title_html(step: str) -> str:
    """The step's title, with d_k as it is printed."""
    return TITLES[step].replace("d_k", "d<sub>k</sub>")


def question(task: Task, blanks: bool = True) -> str:
    """The question as a table, with a blank for every number asked for."""
    keys = range(task.n_k)
    head = "".join(f"<th scope='col'>key {i + 1}</th>" for i in keys)
    body = [_given(name, cells) for name, cells in givens(task)]
    body += [_asked(task, step) for step in task.asks if blanks]
    caption = f"<caption>{_caption(task)}</caption>"
    return f"<table>{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def style(*more: str) -> str:
    """The style sheet of rows: the colours that the live figures have, the row's own, and more by file name."""
    files = [_HERE.parent / "live" / "look.css", _HERE / "row.css", *(_HERE / name for name in more)]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def framed(content: str) -> str:
    """The content with the style of rows, to be shown in a notebook."""
    return f"<div class='rowwise-row'><style>{style()}</style>{content}</div>"


def _caption(task: Task) -> str:
    said = []
    if task.q is not None:
        said.append(f"<span class='rowwise-query'>q = {vector(task.q)}</span>")
    if set(task.asks) - {"scores"}:
        if "scaled" in task.chain:
            said.append(f"d<sub>k</sub> = {task.width}")
        said.append(f"to {task.decimals} decimals")
    return ", ".join(said)


def givens(task: Task):
    """((title, kind), cells) of each line of the question, a cell a key."""
    if task.K is not None:
        yield ("k", "key"), [vector(row) for row in task.K]
    elif task.start != "question":
        yield (title_html(task.start), "given"), [text(x) for x in task.given[0]]
    if task.V is not None:
        yield ("v", "value"), [vector(row) if len(row) > 1 else text(row[0]) for row in task.V]
    if task.mask is not None:
        yield ("may attend", "mask"), ["yes" if open_ else "no" for open_ in task.mask]


def _given(name, cells) -> str:
    title, kind = name
    inside = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr class='rowwise-{kind}'><th scope='row'>{title}</th>{inside}</tr>"


def _asked(task: Task, step: str) -> str:
    shape, head = task.shape(step), f"<th scope='row'>{title_html(step)}</th>"
    blank = "<span class='rowwise-blank' role='img' aria-label='blank'></span>"
    if step == "output":
        inside = ", ".join([blank] * shape[0])
        return f"<tr class='rowwise-output'>{head}<td colspan='{task.n_k}'>{inside}</td></tr>"
    cell = f"<td>{', '.join([blank] * (shape[1] if len(shape) > 1 else 1))}</td>"
    return f"<tr class='rowwise-asked'>{head}{cell * task.n_k}</tr>"


def vector(numbers) -> str:
    """[1, −2, 0.5]."""
    return f"[{', '.join(map(text, numbers))}]"
