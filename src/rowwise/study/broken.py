"""A wrong program, shown by what went in and what came out."""

import numpy as np

from rowwise import exercises
from rowwise.study.shown import Shown, escape, table, together


def broken(name: str) -> Shown:
    """The inputs and the output of the wrong program of exercise ``name``, and the mistakes on offer."""
    spot = exercises.ALL[name]
    if not hasattr(spot, "inputs"):
        raise ValueError(f"{name} shows no wrong program; it is an exercise of the kind {spot.kind}")
    grids = [_grid(f"{label} {array.shape}", array) for label, array in spot.inputs.items()]
    if hasattr(spot, "output"):
        grids.append(_grid(f"what the program returned {spot.output.shape}", spot.output, numbered=True))
    else:
        grids += [_grid(f"what {label} returned", output) for label, output in spot.outputs.items()]
    side_by_side = Shown(
        "<div style='display:flex;flex-wrap:wrap;gap:8px 40px;align-items:flex-start'>"
        + "".join(grid.html for grid in grids)
        + "</div>",
        "\n\n".join(grid.text for grid in grids) + "\n",
    )
    choices = table("What was done?", ("name", "what it means"), list(spot.options.items()))
    return together(side_by_side, choices)


def _grid(caption: str, array: np.ndarray, numbered: bool = False) -> Shown:
    """A matrix as a table with its name and shape; ``numbered`` names the rows."""
    rows = [[_number(cell) for cell in row] for row in np.atleast_2d(array)]
    width = max(len(cell) for row in rows for cell in row)
    body = "".join(
        "<tr>"
        + (f"<th scope='row' style='text-align:left'>row {i}</th>" if numbered else "")
        + "".join(
            f"<td style='text-align:right;font-variant-numeric:tabular-nums'>{cell}</td>" for cell in row
        )
        + "</tr>"
        for i, row in enumerate(rows, 1)
    )
    lines = [
        (f"row {i}  " if numbered else "") + "  ".join(cell.rjust(width) for cell in row)
        for i, row in enumerate(rows, 1)
    ]
    return Shown(
        "<table style='margin:0'>"
        f"<caption style='text-align:left;white-space:nowrap'>{escape(caption)}</caption>"
        f"<tbody>{body}</tbody></table>",
        "\n".join([caption, *lines]),
    )


def _number(x) -> str:
    """A cell: whole numbers and truth values as they are, others to four decimals, a true minus sign."""
    if isinstance(x, np.bool_ | bool):
        return "True" if x else "False"
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = (
        f"{x:.0f}" if float(x).is_integer() and abs(x) < 1e6 else f"{x:.4f}" if abs(x) < 1e6 else f"{x:.3g}"
    )
    return text.replace("-", "−")
