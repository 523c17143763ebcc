"""What students receive in the place of a solution, where nbgrader's own way would mislead them."""

from nbgrader import preprocessors


class ClearSolutions(preprocessors.ClearSolutions):
    """nbgrader's own, except below a form to fill in.

    A row, a shape or a choice stands above the solution as a form full of ``None``. "YOUR CODE HERE" below it
    would send students to the wrong line, and the ``...`` would show as "Ellipsis". So at the left margin the
    solution leaves nothing behind; inside a function it leaves nbgrader's stub.
    """

    def _replace_solution_region(self, cell, language: str) -> bool:
        before = cell.source
        if cell.cell_type == "code":
            cell.source = _without_regions_at_the_margin(
                before, self.begin_solution_delimeter, self.end_solution_delimeter
            )
        return super()._replace_solution_region(cell, language) or cell.source != before


def _without_regions_at_the_margin(source: str, begin: str, end: str) -> str:
    kept, inside = [], False
    for line in source.split("\n"):
        if begin in line and not line[:1].isspace():
            inside = True
        elif inside and end in line:
            inside = False
        elif not inside:
            kept.append(line)
    return source if inside else "\n".join(kept).strip("\n")
