"""What a chapter must keep so that nbgrader and our checks can mark it, looked at before anything is written.

nbgrader would notice some of this months later, in the middle of a class's grading, and some never.
"""

import ast
import re

from rowwise.build.problems import Problem
from rowwise.build.text import Chapter, describe

STUB = "# YOUR CODE HERE\n..."
BEGIN, END = "BEGIN SOLUTION", "END SOLUTION"
NAME = re.compile(r"[A-Za-z0-9_-]+")


def problems(chapter: Chapter, registry) -> list[Problem]:
    """Everything that keeps this chapter from being built, in the order of its cells."""
    found, ids, subjects, checked = [], {}, set(), set()
    for number, cell in enumerate(chapter.cells, 1):
        where = describe(number, cell)

        def add(what, remedy, where=where):
            found.append(Problem(chapter.file, where, what, remedy))

        for what, remedy in _markers(cell):
            add(what, remedy)
        grading = cell.metadata.get("nbgrader")
        if grading is None:
            continue
        if not isinstance(grading, dict) or not NAME.fullmatch(str(grading.get("grade_id", ""))):
            add(
                "its nbgrader metadata has no usable grade_id.",
                "Use letters, digits, hyphens and underscores.",
            )
            continue
        grade_id = grading["grade_id"]
        if grade_id in ids:
            add(
                f"the name `{grade_id}` is taken by {ids[grade_id]}.",
                "Give one of them another name: nbgrader keeps marks by it.",
            )
        ids.setdefault(grade_id, where)
        for what, remedy in _metadata(cell, grading):
            add(what, remedy)
        if cell.cell_type != "code":
            continue
        if grading.get("grade"):
            for what, remedy in _check(cell, grading, subjects, registry):
                add(what, remedy)
            checked.add(grade_id.removeprefix("check-"))
        elif grading.get("solution"):
            for what, remedy in _exercise(cell, grade_id, chapter.name, registry):
                add(what, remedy)
            subjects.add(grade_id)
    for name, exercise in registry.items():
        if exercise.chapter == chapter.name and name not in checked:
            what = f"no cell checks `{name}`, which the registry counts among this chapter's exercises."
            found.append(
                Problem(
                    chapter.file,
                    "",
                    what,
                    f"Add a cell with `:check: {name}`, or take the exercise out of rowwise.exercises.",
                )
            )
    return found


def _markers(cell):
    """BEGIN and END SOLUTION in pairs, and only where nbgrader takes them out."""
    opened, pairs = False, 0
    for line in cell.source.splitlines():
        if BEGIN in line:
            if opened:
                yield (
                    "a second BEGIN SOLUTION comes before the first has ended.",
                    "Add the `### END SOLUTION` between them.",
                )
                return
            opened, pairs = True, pairs + 1
        elif END in line:
            if not opened:
                yield (
                    "an END SOLUTION has no BEGIN SOLUTION above it.",
                    "Add the `### BEGIN SOLUTION`, or take this line out.",
                )
                return
            opened = False
    if opened:
        yield (
            "a BEGIN SOLUTION is never ended.",
            "Add `### END SOLUTION` after the last line that students must not see.",
        )
    grading = cell.metadata.get("nbgrader")
    is_solution = isinstance(grading, dict) and grading.get("solution")
    if pairs and not is_solution:
        yield (
            "it holds a solution that students would be handed.",
            "Make it an `exercise` or a `written` cell, or take the markers out.",
        )
    if is_solution and not pairs:
        yield (
            "nothing in it is marked as the solution.",
            "Put `### BEGIN SOLUTION` and `### END SOLUTION` around what students must not see.",
        )


def _metadata(cell, grading):
    """What nbgrader itself asks of its metadata."""
    grade, solution, task = (bool(grading.get(key)) for key in ("grade", "solution", "task"))
    points = grading.get("points")
    if (grade or task) and (isinstance(points, bool) or not isinstance(points, int | float) or points < 0):
        yield "its points are missing.", "Say how many points it is worth, for example `points: 2`."
    if task and not grading.get("locked"):
        yield "a task cell must be locked.", "Add `locked: true` to its nbgrader metadata."
    if task and cell.cell_type != "markdown":
        yield "a task is a markdown cell.", "Move the text of the task into a markdown cell."
    if cell.cell_type == "markdown" and not task and grade != solution:
        yield (
            "a markdown cell that is graded must be both grade and solution.",
            "Use the short form `written`.",
        )


def _check(cell, grading, subjects, registry):
    """A graded code cell ends in `check.<name>(<name>)`, below the exercise of that name."""
    name = str(grading["grade_id"]).removeprefix("check-")
    want = f"check.{name}({name})"
    if grading["grade_id"] != f"check-{name}":
        yield (
            "a graded code cell that is not a check gets full marks for any output.",
            "Use the short form `check`.",
        )
    elif name not in registry:
        yield f"no exercise is called `{name}`.", "Add it to rowwise.exercises, or correct the name."
    elif not cell.source.rstrip().endswith(f"\n{want}") and cell.source.strip() != want:
        yield (
            "it does not end in its mark, so nbgrader would take something else for it.",
            f"Let `{want}` be its last line, with nothing after it.",
        )
    elif _parse(cell.source) is None:
        yield "it is not Python that runs.", "Look for a bracket or a quote that is never closed."
    elif grading.get("points") != registry[name].points:
        remedy = "Points are written in rowwise.exercises only: change them there, or use the short form `check`."
        yield (
            f"it is worth {grading.get('points')} points here and {registry[name].points:g} in the registry.",
            remedy,
        )
    elif not grading.get("locked"):
        yield "students could change it.", "Use the short form `check`, which locks it."
    elif name not in subjects:
        yield (
            f"`{name}` is checked before a cell asks for it.",
            f"Put the cell with `:exercise: {name}` above it.",
        )


def _exercise(cell, name, chapter, registry):
    """What students receive still defines the name, so that an untouched notebook runs without an error."""
    if name not in registry:
        yield f"no exercise is called `{name}`.", "Add it to rowwise.exercises, or correct the name."
        return
    if registry[name].chapter != chapter:
        yield (
            f"`{name}` belongs to chapter {registry[name].chapter}.",
            "Move the cell there, or correct the registry.",
        )
    if _parse(cell.source) is None:
        yield "it is not Python that runs.", "Look for a bracket or a quote that is never closed."
    elif name not in _names(_parse(cell.source)):
        yield f"it does not define `{name}`.", f"The check looks at a function or a variable called `{name}`."
    elif _parse(released(cell.source)) is None or name not in _names(_parse(released(cell.source))):
        keep = f"`def {name}(…):`" if registry[name].kind == "function" else f"the empty form `{name} = …`"
        yield (
            f"without its solution it no longer defines `{name}`.",
            f"Leave {keep} above `### BEGIN SOLUTION`.",
        )


def released(source: str) -> str:
    """The cell as students receive it, as our ClearSolutions (``forms``) makes it: at the margin nothing is left."""
    lines, inside = [], False
    for line in source.splitlines():
        if BEGIN in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + stub for stub in STUB.splitlines()] if indent else []
        elif END in line:
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def _parse(source: str):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def _names(tree) -> set[str]:
    """The names that the top level of this code binds."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
