"""A wrong program, shown by what went in and what came out."""

from rowwise import exercises
from rowwise.show import show
from rowwise.study.shown import Shown, escape, table, together


def broken(name: str) -> Shown:
    """The inputs and the output of the wrong program of exercise ``name``, and the mistakes on offer."""
    spot = exercises.ALL[name]
    if not hasattr(spot, "inputs"):
        raise ValueError(f"{name} shows no wrong program; it is an exercise of the kind {spot.kind}")
    outputs = {"": spot.output} if hasattr(spot, "output") else spot.outputs
    grids = [_named(label, array) for label, array in spot.inputs.items()]
    grids += [_named(f"what {label or 'the program'} returned", output) for label, output in outputs.items()]
    side_by_side = Shown(
        "<div style='display:flex;flex-wrap:wrap;gap:8px 40px;align-items:flex-start'>"
        + "".join(grid.html for grid in grids)
        + "</div>",
        "\n\n".join(grid.text for grid in grids) + "\n",
    )
    choices = table("What was done?", ("name", "what it means"), list(spot.options.items()))
    return together(side_by_side, choices)


def _named(name: str, array) -> Shown:
    """A matrix below its name."""
    matrix = show(array)
    heading = f"<p style='margin:4px 0;font-weight:600'>{escape(name)}</p>"
    return Shown(f"<div>{heading}{matrix.html}</div>", f"{name}\n{matrix.text}")
