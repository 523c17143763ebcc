"""The release as the grader needs it: every cell of the instructor's, from nbgrader's gradebook, in reading order."""

import ast
import hashlib
import json
import re
from pathlib import Path

from rowwise.grading import carried, notebook


def release(assignment: str, gradebook, folders: list[Path], files: dict[str, str] | None = None) -> bytes:
    """What `unit.grade` must know of ``assignment``, as canonical JSON.

    ``gradebook`` is an open nbgrader Gradebook that has the assignment; ``folders`` hold its notebooks (release, source)
    and give the order of the cells; ``files`` are the instructor's own files as base64.
    """
    notebooks = {}
    for book in gradebook.find_assignment(assignment).notebooks:
        rows = {cell.name: cell for cell in book.source_cells}
        points = {cell.name: float(cell.max_score) for cell in [*book.grade_cells, *book.task_cells]}
        graded, tasks = {c.name for c in book.grade_cells}, {c.name for c in book.task_cells}
        answers = {c.name for c in book.solution_cells}
        shown = _shown(book.name, folders)
        order = {name: place for place, name in enumerate(shown)}
        cells = [
            {
                "id": row.name, "cell_type": row.cell_type, "source": row.source or "", "checksum": row.checksum,
                "locked": bool(row.locked), "grade": row.name in graded, "solution": row.name in answers,
                "task": row.name in tasks, "points": points.get(row.name),
                "shown": shown.get(row.name, row.source or ""),
            }
            for row in sorted(rows.values(), key=lambda row: (order.get(row.name, len(order)), row.name))
        ]  # fmt: skip
        plain = _plain(book.name, folders)
        notebooks[book.name] = {
            "kernelspec": json.loads(book.kernelspec or "{}"), "cells": cells,
            "plain": sorted(map(fingerprint, plain)),
            "carried": sorted({name for source in plain for name in carried.names_in(source)}),
        }  # fmt: skip
    found = {"assignment": assignment, "notebooks": notebooks, "files": files or {}}
    return json.dumps(found, sort_keys=True).encode()


def _shown(name: str, folders: list[Path]) -> dict[str, str]:
    """The cells' text as students got it, by id, in order: hidden tests are not in it."""
    for folder in folders:
        path = folder / f"{name}.ipynb"
        if path.is_file():
            nb = notebook.read(path.read_bytes())
            return {
                found: "".join(cell["source"])
                for cell in nb["cells"]
                if (found := cell.get("metadata", {}).get("nbgrader", {}).get("grade_id"))
            }
    return {}


def _plain(name: str, folders: list[Path]) -> list[str]:
    """The code cells that are nobody's answer and carry no marks, as students got them."""
    for folder in folders:
        path = folder / f"{name}.ipynb"
        if path.is_file():
            cells = notebook.read(path.read_bytes())["cells"]
            return ["".join(c["source"]) for c in cells if c["cell_type"] == "code" and "nbgrader" not in c["metadata"]]
    return []


def fingerprint(source: str) -> str:
    """Names a cell's text, whatever white space stands at its end."""
    return hashlib.sha256(source.rstrip().encode("utf-8", "replace")).hexdigest()[:16]


def check_in(source: str) -> tuple[str, str, str] | None:
    """(what runs before, exercise, subject) where a cell ends in ``check.<exercise>(<subject>)``, else None."""
    if "check." not in source:
        return None
    try:
        tree = ast.parse(re.sub(r"^[%!].*$", "pass", source, flags=re.M))
    except SyntaxError:
        return None
    last = tree.body[-1] if tree.body else None
    match last:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("check"), name), [ast.Name(subject)], [])):
            before = "\n".join(source.splitlines()[: last.lineno - 1])
            return (before if len(tree.body) > 1 else ""), name, subject
    return None
