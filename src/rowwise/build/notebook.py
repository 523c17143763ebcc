"""A chapter's cells as a notebook file: the same bytes every time, and a sign that somebody edited it."""

import hashlib
import json
import re

import nbformat

KERNEL = {
    # No version of anything: the file must not depend on the machine that made it.
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def to_bytes(cells) -> bytes:
    """The notebook file of these cells: ids from names and contents, no outputs, and what it was made of."""
    cells = normal(cells)
    notebook = nbformat.v4.new_notebook(metadata={**KERNEL, "rowwise": {"made": fingerprint(cells)}})
    taken: set[str] = set()
    for cell in cells:
        copy = nbformat.from_dict(cell)
        if copy.cell_type == "code":
            copy.update(outputs=[], execution_count=None)
        copy["id"] = _cell_id(cell, taken)
        notebook.cells.append(copy)
    notebook.nbformat_minor = 5
    return (nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n").encode()


def fingerprint(cells) -> str:
    """A hash of what a person may edit: kinds, sources and options of the cells; neither outputs nor ids."""
    essence = [[cell.cell_type, cell.source, cell.metadata, *cell.get("attachments", {})] for cell in normal(cells)]
    text = json.dumps(essence, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def from_bytes(data: bytes) -> tuple[list, str]:
    """The cells of a notebook file, and the fingerprint of the cells it was made of ("" if it says none).

    Raises ValueError where the file is no notebook.
    """
    try:
        notebook = nbformat.reads(data.decode("utf-8"), as_version=4)
    except Exception as error:  # nbformat raises a dozen kinds, KeyError and AttributeError among them
        raise ValueError(str(error)) from None
    return normal(notebook.cells), notebook.metadata.get("rowwise", {}).get("made", "")


def normal(cells) -> list:
    """The cells without what JupyterLab and nbgrader add by themselves.

    That is outputs, scrolling, checksums, blank lines at either end, and empty cells.
    """
    result = []
    for cell in cells:
        source = re.sub(r"\A(?:[ \t]*\n)+", "", cell.source.rstrip())
        copy = nbformat.from_dict(
            {"cell_type": cell.cell_type, "metadata": _essential(cell.metadata), "source": source}
        )
        if cell.get("attachments"):
            copy["attachments"] = cell.attachments
        if source or "nbgrader" in copy.metadata:
            result.append(copy)
    return result


def _essential(metadata):
    kept = {}
    if metadata.get("tags"):
        kept["tags"] = list(metadata["tags"])
    if metadata.get("jupyter", {}).get("source_hidden"):
        kept["jupyter"] = {"source_hidden": True}
    grading = {
        key: value for key, value in metadata.get("nbgrader", {}).items() if key not in ("checksum", "cell_type")
    }
    if any(grading.get(key) for key in ("grade", "solution", "locked", "task")):
        points = grading.get("points")
        if isinstance(points, float) and points.is_integer():
            grading["points"] = int(points)
        if not grading.get("grade") and not grading.get("task"):
            grading.pop("points", None)
        kept["nbgrader"] = {"task": False, **grading}
    return nbformat.from_dict(kept)


def _cell_id(cell, taken: set[str]) -> str:
    """nbgrader's name for the cell where it has one, else a hash of its contents; unique within the notebook.

    Contents rather than position: a cell put in front leaves the ids of the others, and a diff stays small.
    """
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    base = name or hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
    base = re.sub(r"[^A-Za-z0-9_-]", "-", base)[:56]
    unique, count = base, 1
    while unique in taken:
        count += 1
        unique = f"{base}-{count}"
    taken.add(unique)
    return unique
