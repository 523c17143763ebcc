"""Pages to print: rows with blanks, and on pages of their own the answers, step by step."""

import html
from pathlib import Path

from rowwise.paper.explain import Explanation
from rowwise.paper.page import framed, question, style
from rowwise.rows import Task
from rowwise.rows.draw import draw

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body class="rowwise-row rowwise-sheet">
<main>
{body}
</main>
</body>
</html>
"""


class Worksheet:
    """A page of rows. ``save("rows.html")`` writes it, to be opened and printed; in a notebook it shows itself."""

    def __init__(self, tasks: dict[str, Task], title: str):
        self.tasks, self.title = tasks, title

    def save(self, path) -> Path:
        """Write the page, answers included, to ``path``; returns where it went."""
        path = Path(path)
        path.write_text(self.html(), encoding="utf-8")
        return path

    def html(self) -> str:
        """The whole page: the questions, then the answers from a new page on."""
        body = f"<h1>{html.escape(self.title)}</h1>{self._blanks()}{self._answers()}"
        return PAGE.format(title=html.escape(self.title), style=style("sheets.css"), body=body)

    def __repr__(self) -> str:
        """Its title, and how to print it."""
        return f'{self.title}: .save("worksheet.html") writes a page to print'

    def _repr_html_(self) -> str:
        answers = f"<details><summary>Answers</summary>{self._answers()}</details>"
        return framed(f"<p><strong>{html.escape(self.title)}</strong></p>{self._blanks()}{answers}")

    def _blanks(self) -> str:
        rows = "".join(
            f"<section><h2>{html.escape(name)}</h2>{question(task)}</section>" for name, task in self.tasks.items()
        )
        return f"<div class='rowwise-questions'>{rows}</div>"

    def _answers(self) -> str:
        rows = ""
        for name, task in self.tasks.items():
            worked = question(task, blanks=False) + Explanation(task).html()
            rows += f"<section><h2>{html.escape(name)}, worked through</h2>{worked}</section>"
        return f"<div class='rowwise-answers'>{rows}</div>"


def worksheet(seed: int = 1, rows=4, asks=("scores", "scaled", "weights", "output"), **sizes) -> Worksheet:
    """``rows`` rows to print, with blanks and answers; row n is the one that ``practice(n)`` shows for these steps.

    ``rows`` may also be a list of `Row` to put on the page as they are. ``asks`` and ``sizes`` are those of `practice`.
    """
    if not isinstance(rows, int):
        return Worksheet({f"Row {i + 1}": row.task for i, row in enumerate(rows)}, "Rows to work by hand")
    tasks = {f"Row {n}": draw(n, asks, **sizes) for n in range(seed, seed + rows)}
    return Worksheet(tasks, f"Rows {seed} to {seed + rows - 1}, to work by hand")
