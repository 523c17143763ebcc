"""Reading a handed-in notebook, whatever state it is in, and putting the instructor's cells back into it."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass

LARGEST = 200_000_000  # bytes of one notebook file
SCHEMA = 3  # of nbgrader's metadata


class Unreadable(ValueError):
    """The file is no notebook that can be read; the text says what it is."""


@dataclass(frozen=True)
class Note:
    """Something about a submission that a person should know: a ``kind`` to count by, and words."""

    kind: str
    text: str
    cell: str = ""

    def as_dict(self) -> dict:
        """The same for a result file."""
        return asdict(self)


def read(data: bytes) -> dict:
    """The notebook in ``data``, in format 4 with plain string sources. Raises Unreadable."""
    if len(data) > LARGEST:
        raise Unreadable(f"the file has {len(data) / 1e6:.0f} MB")
    if not data.strip():
        raise Unreadable("the file is empty")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("the file is not text, so not a notebook") from None
    try:
        nb = json.loads(text)
    except json.JSONDecodeError as problem:
        raise Unreadable(_broken(text, problem)) from None
    except RecursionError:
        raise Unreadable("the file is nested too deeply to be a notebook") from None
    if not isinstance(nb, dict) or not isinstance(nb.get("nbformat"), int):
        raise Unreadable("the file is JSON but not a notebook")
    if nb["nbformat"] != 4:
        nb = _upgraded(nb)
    if not isinstance(nb.get("cells"), list):
        raise Unreadable("the notebook has no list of cells")
    return nb


def _broken(text: str, problem: json.JSONDecodeError) -> str:
    if text.lstrip()[:1] == "<":
        return "the file is a web page, not a notebook: perhaps a download that needed a login"
    if re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.M):
        return "the file holds the marks of an unfinished git merge (<<<<<<<)"
    if problem.pos >= len(text.rstrip()) or problem.msg.startswith("Unterminated string"):
        return f"the file breaks off in line {problem.lineno}, as after an upload that stopped"
    return f"the file is not valid JSON from line {problem.lineno}, column {problem.colno} on ({problem.msg})"


def _upgraded(nb: dict) -> dict:
    import nbformat

    try:
        return json.loads(nbformat.writes(nbformat.convert(nbformat.from_dict(nb), 4)))
    except Exception as problem:
        raise Unreadable(f"the notebook is in format {nb['nbformat']}, which cannot be read: {problem}") from None


def grade_ids(nb: dict) -> list[str]:
    """The nbgrader ids in a notebook, in order, copies included."""
    return [name for cell in nb["cells"] if (name := _grade_id(cell))]


def _grade_id(cell) -> str:
    metadata = cell.get("metadata") if isinstance(cell, dict) else None
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return name if isinstance(name, str) else ""


def repaired(nb: dict, key: list[dict]) -> tuple[list[dict], list[Note]]:
    """The notebook's cells with the instructor's own put back as ``key`` (the release's cells, in order) has them.

    A cell that occurs twice counts once, the first time; a graded cell that is missing is put back; a locked cell that was
    changed gets the instructor's text again. Every such repair is a Note. Nothing that the student wrote is lost.
    """
    known = {cell["id"]: cell for cell in key}
    by_source = {cell["shown"].strip(): cell["id"] for cell in key if cell["locked"]}
    present = set(grade_ids(nb))
    cells, notes, seen = [], [], set()
    for number, raw in enumerate(nb["cells"], 1):
        cell = _clean(raw)
        if cell is None:
            notes.append(Note("odd cell", f"Cell {number} of the file is no cell and was left out."))
            continue
        name = _grade_id(raw)
        if not name and by_source.get(cell["source"].strip(), "") not in present:
            name = by_source.get(cell["source"].strip(), "")  # its metadata was lost on the way
        if name in seen:
            notes.append(Note("copied cell", f"Cell {name} is there more than once; the first counts.", name))
        elif name in known:
            seen.add(name)
            notes += _restore(cell, known[name])
        elif name:
            notes.append(Note("unknown cell", f"Cell {name} is no cell of this chapter; it earns nothing.", name))
        cells.append(cell)
    notes += _put_back(cells, key, seen)
    _give_ids(cells)
    return cells, notes


def _clean(raw) -> dict | None:
    """A cell with nothing in it but what counts, or None for what is no cell."""
    if not isinstance(raw, dict) or raw.get("cell_type") not in ("code", "markdown", "raw"):
        return None
    source = raw.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    cell = {"cell_type": raw["cell_type"], "id": raw.get("id"), "metadata": {}, "source": source}
    if cell["cell_type"] == "code":
        cell |= {"execution_count": None, "outputs": []}
    elif isinstance(raw.get("attachments"), dict):
        cell["attachments"] = _attachments(raw["attachments"])
    return cell


def _attachments(given: dict) -> dict:
    return {
        str(name): {
            kind: data for kind, data in parts.items() if kind in ("image/png", "image/jpeg") and type(data) is str
        }
        for name, parts in given.items()
        if isinstance(parts, dict)
    }


def _restore(cell: dict, key: dict) -> list[Note]:
    """Make ``cell`` what the release says it is; the student's own text stays where the cell is theirs."""
    notes = []
    if cell["cell_type"] != key["cell_type"]:
        notes.append(Note("changed cell", f"Cell {key['id']} had become a {cell['cell_type']} cell.", key["id"]))
        for name in ("outputs", "execution_count", "attachments"):
            cell.pop(name, None)
        cell["cell_type"] = key["cell_type"]
        if key["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    if key["locked"] and cell["source"] != key["source"]:
        if cell["source"].strip() != key["shown"].strip():
            notes.append(Note("changed cell", f"Cell {key['id']} was changed; the original was put back.", key["id"]))
        cell["source"] = key["source"]
    cell["metadata"] = {"nbgrader": metadata(key)}
    if key["locked"]:
        cell["metadata"] |= {"deletable": False, "editable": False}
    return notes


def metadata(key: dict) -> dict:
    """nbgrader's metadata of one cell of the release."""
    found = {
        "grade": key["grade"], "grade_id": key["id"], "locked": key["locked"], "schema_version": SCHEMA,
        "solution": key["solution"], "task": key["task"], "cell_type": key["cell_type"], "checksum": key["checksum"],
    }  # fmt: skip
    return found | ({"points": key["points"]} if key["grade"] or key["task"] else {})


def _put_back(cells: list[dict], key: list[dict], seen: set[str]) -> list[Note]:
    """Insert the graded cells that are missing, each after the cell that comes before it in the release."""
    notes, before = [], ""
    for entry in key:
        name = entry["id"]
        if name not in seen:
            what = "graded" if entry["grade"] or entry["task"] else "answer" if entry["solution"] else "given"
            notes.append(Note("deleted cell", f"The {what} cell {name} was missing.", name))
            if what == "graded":
                cell = _clean({"cell_type": entry["cell_type"], "source": entry["source"]})
                _restore(cell, entry)
                places = [i for i, other in enumerate(cells) if _grade_id(other) == before]
                cells.insert(places[0] + 1 if places else len(cells), cell)
                before = name
        else:
            before = name
    return notes


def _give_ids(cells: list[dict]) -> None:
    """Every cell gets an id of its own; those that are missing, odd or double are made from the cell's place."""
    used = set()
    for number, cell in enumerate(cells):
        name = cell["id"]
        if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)) or name in used:
            name = hashlib.sha256(f"{number} {cell['source']}".encode("utf-8", "replace")).hexdigest()[:12]
        cell["id"] = name
        used.add(name)


def untouched(cell: dict, key: dict) -> bool:
    """Whether an answer cell still holds what was handed out."""
    return checksum(cell["source"], key) == key["checksum"]


def checksum(source: str, key: dict) -> str:
    """nbgrader's checksum of a cell of the release, were its text ``source``."""
    parts = [source, key["cell_type"], str(key["grade"]), str(key["solution"]), str(key["locked"]), key["id"]]
    if key["grade"]:
        parts.append(str(float(key["points"])))
    return hashlib.md5("".join(parts).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
