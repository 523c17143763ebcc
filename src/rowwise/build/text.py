"""A chapter's text, as its cells and back.

The text is a MyST notebook. nbgrader's metadata takes seven lines a cell, so a chapter writes a short form::

    ```{code-cell}          ```{code-cell}              +++ {"written": "why-rows, 2 points"}
    :exercise: scores       :check: scores
    def scores(Q, K): ...   check.scores(scores)        ### BEGIN SOLUTION ...
    ```                     ```

``read`` gives the cells with nbgrader's own metadata; ``write`` puts the short forms back.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from jupytext.myst import MystMetadataParsingError, myst_to_notebook

from rowwise.build.problems import BuildError, Problem

HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---
"""

# The short forms, and what a cell may say besides.
SHORT = ("exercise", "check", "written")
KEPT = ("nbgrader", "tags", "jupyter")

WRITTEN = re.compile(r"([A-Za-z0-9_-]+), (\d+(?:\.\d+)?) points?")
FLAGS = {  # grade, solution, locked
    "exercise": (False, True, False),
    "check": (True, False, True),
    "written": (True, True, False),
}


@dataclass
class Chapter:
    """A chapter's text: its cells with nbgrader's metadata, and ``segments``, the lines of each."""

    name: str
    file: str
    header: str
    cells: list
    segments: list[str]


def read(path: Path, file: str, registry) -> Chapter:
    """The chapter at ``path``, which messages call ``file``. BuildError where the text cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
        header = _header(text)
        # The header is the site's and jupytext's; blank lines in its place keep the numbers of the lines.
        notebook = myst_to_notebook("\n" * header.count("\n") + text[len(header) :], add_source_map=True)
    except (MystMetadataParsingError, yaml.YAMLError, ValueError, TypeError) as error:
        what = f"it cannot be read as a MyST notebook ({' '.join(str(error).split())})."
        raise BuildError([Problem(file, "", what, "Look at the options of the cell that is named there.")]) from None
    problems = []
    if text.count('\n+++ {"written"') > sum("written" in cell.metadata for cell in notebook.cells):
        what = 'a `+++ {"written": …}` has no text below it.'
        problems.append(Problem(file, "", what, "Write the answer cell, or take the line out."))
    for number, cell in enumerate(notebook.cells, 1):
        problems += _expand(cell, file, describe(number, cell), registry)
    if problems:
        raise BuildError(problems)
    return Chapter(path.stem, file, header, notebook.cells, _segments(text, notebook))


def describe(number: int, cell) -> str:
    """How a message names a cell: its number, and what it is called or how it begins."""
    metadata = cell.metadata
    name = next((str(metadata[key]) for key in SHORT if key in metadata), None)
    nbgrader = metadata.get("nbgrader")
    name = name or (nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None)
    first = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    return f"cell {number} ({name or first[:40]})"


def nbgrader_metadata(form: str, grade_id: str, points=None) -> dict:
    """nbgrader's metadata for one of the short forms."""
    grade, solution, locked = FLAGS[form]
    metadata = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        metadata["points"] = tidy(points)
    return metadata


def tidy(points):
    """3.0 as 3: JupyterLab writes a whole number of points so."""
    return int(points) if float(points).is_integer() else float(points)


def _expand(cell, file: str, where: str, registry) -> list[Problem]:
    """Puts nbgrader's metadata in the place of a short form; the problems found on the way."""
    metadata, form = cell.metadata, [key for key in SHORT if key in cell.metadata]
    unknown = sorted(set(metadata) - {*SHORT, *KEPT})
    if unknown:
        known = ", ".join([*SHORT, *KEPT])
        return [Problem(file, where, f"`{unknown[0]}` is not an option of a cell.", f"A cell may have {known}.")]
    if len(form) > 1 or (form and "nbgrader" in metadata):
        return [Problem(file, where, "it has more than one of exercise, check, written and nbgrader.", "Keep one.")]
    if not form:
        return []
    (form,) = form
    value = str(metadata.pop(form)).strip()
    if (form == "written") != (cell.cell_type == "markdown"):
        kind = "a markdown cell (after `+++`)" if form == "written" else "a code cell"
        return [Problem(file, where, f"`{form}` is here on the wrong kind of cell.", f"It belongs to {kind}.")]
    if form == "written":
        match = WRITTEN.fullmatch(value)
        if not match:
            remedy = 'Write it as +++ {"written": "why-rows, 2 points"}.'
            return [Problem(file, where, f"`{value}` lacks a name or its points.", remedy)]
        metadata["nbgrader"] = nbgrader_metadata(form, match[1], float(match[2]))
    elif value not in registry:
        remedy = "Add it to rowwise.exercises, or correct the name."
        return [Problem(file, where, f"no exercise is called `{value}`.", remedy)]
    elif form == "check":
        metadata["nbgrader"] = nbgrader_metadata(form, f"check-{value}", registry[value].points)
    else:
        metadata["nbgrader"] = nbgrader_metadata(form, value)
    return []


def short_form(cell, registry) -> dict:
    """The options that the text gives this cell, the inverse of what ``read`` does.

    A check worth something else than in the registry keeps nbgrader's metadata, and the rules refuse it.
    """
    options = {key: cell.metadata[key] for key in KEPT if key in cell.metadata}
    nbgrader = dict(options.get("nbgrader", {}))
    grade_id, points = str(nbgrader.get("grade_id", "")), nbgrader.get("points")
    for form in SHORT:
        if nbgrader != nbgrader_metadata(form, grade_id, points) or (form == "written") != (
            cell.cell_type == "markdown"
        ):
            continue
        if form == "exercise" and points is None:
            value = grade_id
        elif form == "check" and _points(registry, grade_id.removeprefix("check-")) == points:
            value = grade_id.removeprefix("check-")
        elif form == "written" and points is not None:
            value = f"{grade_id}, {points} {'point' if points == 1 else 'points'}"
        else:
            continue
        del options["nbgrader"]
        return {form: value, **options}
    return options


def _points(registry, name: str):
    return registry[name].points if name in registry else None


def write(cells, registry, header: str = HEADER, lines_of=str) -> str:
    """The text of these cells. ``lines_of`` may give a cell other lines than those written here."""
    parts, after_markdown = [header.rstrip("\n")] if header else [], False
    for cell in cells:
        is_markdown = cell.cell_type == "markdown"
        part = lines_of(_cell_text(cell, registry)).strip("\n")
        if is_markdown and after_markdown and not part.startswith("+++"):
            part = f"+++\n\n{part}"
        parts.append(part)
        after_markdown = is_markdown
    return "\n\n".join(parts) + "\n"


def known_segments(chapter: Chapter, registry) -> dict[str, str]:
    """Each cell as ``write`` writes it, with the lines that say it in this chapter."""
    return {_cell_text(cell, registry): segment for cell, segment in zip(chapter.cells, chapter.segments, strict=True)}


def _cell_text(cell, registry) -> str:
    options = json.loads(json.dumps(short_form(cell, registry)))
    if cell.cell_type == "markdown":
        return f"+++ {json.dumps(options, ensure_ascii=False)}\n\n{cell.source}" if options else cell.source
    longest = max([2, *(len(ticks) for ticks in re.findall(r"^`{3,}", cell.source, re.MULTILINE))])
    fence = "`" * (longest + 1)
    directive = "{code-cell}" if cell.cell_type == "code" else "{raw-cell}"
    values = ((key, value if isinstance(value, str) else json.dumps(value)) for key, value in options.items())
    block = "".join(f":{key}: {value}\n" for key, value in values)
    gap = "\n" if cell.source.startswith((":", "---", "\n")) else ""
    return f"{fence}{directive}\n{block}{gap}{cell.source}\n{fence}"


def _header(text: str) -> str:
    found = re.match(r"---\n.*?^---\n", text, re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


def _segments(text: str, notebook: nbformat.NotebookNode) -> list[str]:
    """The lines of each cell: from its fence or its `+++` to the next cell's."""
    lines = text.splitlines()
    starts = []
    for cell, line in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        is_first_of_break = cell.cell_type == "markdown" and line > 0 and lines[line - 1].startswith("+++")
        starts.append(line - 1 if cell.cell_type != "markdown" or is_first_of_break else line)
    if starts:  # the first cell begins below the header
        starts[0] = max(starts[0], _header(text).count("\n"))
    return ["\n".join(lines[a:b]) for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
