"""A row worked through, as a page and as plain text."""

import html

import numpy as np

from rowwise.paper.page import TITLES, framed, title_html
from rowwise.rows import Task
from rowwise.rows.worked import WorkedStep, text, work


class Explanation:
    """What ``row.explain()`` shows: each step with a sentence, its arithmetic, and the line that comes out."""

    def __init__(self, task: Task):
        self.steps, self.decimals = work(task), task.decimals

    def __str__(self) -> str:
        """Plain text, a paragraph a step."""
        lines = []
        for done in self.steps:
            lines += [TITLES[done.step], f"  {done.says}", *(f"    {line}" for line in done.sums)]
            lines += [f"  {done.step}: {written(done, self.decimals)}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(self.html())

    def html(self) -> str:
        """The steps as an ordered list."""
        return f"<ol class='rowwise-worked'>{''.join(map(self._item, self.steps))}</ol>"

    def _item(self, done: WorkedStep) -> str:
        sums = "".join(f"<li>{html.escape(line)}</li>" for line in done.sums)
        return (
            f"<li><strong>{title_html(done.step)}</strong><p>{html.escape(done.says)}</p>"
            + (f"<ul>{sums}</ul>" if sums else "")
            + f"<p>{done.step}: <strong>{written(done, self.decimals)}</strong></p></li>"
        )


def written(done: WorkedStep, decimals: int) -> str:
    """A line as it is written down: [1, −2]; products of more than one number a key as rows."""
    line = done.line[:, 0] if done.step == "products" and done.line.shape[1] == 1 else done.line
    return _list(line, decimals)


def _list(line: np.ndarray, decimals: int) -> str:
    items = [_list(row, decimals) if np.ndim(row) else text(row, decimals) for row in line]
    return f"[{', '.join(items)}]"
