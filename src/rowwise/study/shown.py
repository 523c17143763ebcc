"""Something to show: HTML in a notebook, the same as plain text everywhere else."""

import html
from collections.abc import Iterable, Sequence

from rowwise.show import Shown

QUIET = "color:var(--jp-ui-font-color2,#5b6470)"
_CELL = "text-align:left;vertical-align:top;padding:4px 16px 4px 0"


def escape(text) -> str:
    """Text for HTML, with `code` between backticks shown as code."""
    parts = html.escape(str(text)).split("`")
    if len(parts) % 2 == 0:  # an unpaired backtick stays as it is
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def paragraphs(lines: Iterable[str]) -> Shown:
    """One paragraph a line."""
    lines = [line for line in lines if line]
    return Shown("".join(f"<p style='margin:4px 0'>{escape(line)}</p>" for line in lines), "\n".join(lines))


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Shown:
    """A table whose first column names the row, as a screen reader reads it and as text."""
    heads = "".join(f"<th scope='col' style='{_CELL}'>{escape(h)}</th>" for h in head)
    body = "".join(
        f"<tr><th scope='row' style='{_CELL};font-weight:600'>{escape(first)}</th>"
        + "".join(f"<td style='{_CELL}'>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    shown = (
        f"<table style='margin:0'><caption style='text-align:left;{QUIET}'>{escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    lines = ["  ".join(str(c).ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in [head, *rows]]
    return Shown(shown, "\n".join([caption, *lines]))


def together(*parts: Shown) -> Shown:
    """Several things one below the other."""
    return Shown("".join(part.html for part in parts), "\n".join(part.text for part in parts))
