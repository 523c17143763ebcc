"""The unit of work: one submission's files and the release go in, a result goes out. It knows nothing of a run.

``python -m rowwise.grading.unit SUBMISSION-FOLDER RELEASE.json RESULT.json`` does one by itself.
"""

import base64
import functools
import hashlib
import json
import os
import sys
import time
from pathlib import Path

from rowwise import exercises
from rowwise.exercises.seeded import PAPER, sitting
from rowwise.grading import carried, key, notebook, outputs
from rowwise.grading.execution import Execution
from rowwise.grading.judging import error, judged
from rowwise.grading.notebook import Note, Unreadable
from rowwise.grading.sandbox import Sandbox

FORMAT = 1
BESIDE = 8_000_000  # bytes of files that go into the sandbox with a notebook
OURS = ("unit", "execution", "judging", "notebook", "outputs", "key", "carried")


def grade(
    files: dict[str, bytes], release: bytes, sandbox: Sandbox, trace: list | None = None, student: str = ""
) -> bytes:
    """The result of one submission, as two lines of JSON: what it earned and why; then its notebooks as graded.

    ``files`` are the submission's, by name; ``release`` as `key.release` gives it. Whatever the submission is, there is a
    result: without marks and with a reason where it cannot be read. ``trace`` collects what was asked and came.
    ``student`` is whose submission it is, for a paper with numbers of its own for each student.
    Raises sandbox.Lost only when the sandbox itself ends.
    """
    began = time.monotonic()
    plan = _plan(release)
    given, heavy = _beside({name: body for name, body in files.items() if not name.endswith(".ipynb")})
    given |= plan["files"]
    summary = {
        "format": FORMAT, "assignment": plan["assignment"], "key": digest(files, release), "level": sandbox.level,
        "memory_by": sandbox.memory_by, "limits": sandbox.limits.as_dict(), "notebooks": {}, "notes": [], "usage": [],
    }  # fmt: skip
    notebooks = {}
    matched, notes = match(files, plan["notebooks"])
    notes += heavy
    summary["notes"] = [note.as_dict() for note in notes]
    for name, entry in plan["notebooks"].items():
        found, source = matched.get(name), None
        run = Execution(sandbox, given, plan["inputs"], trace)
        try:
            if found is not None:
                source = notebook.read(files[found])
        except Unreadable as problem:
            notebooks[name], summary["notebooks"][name] = _without(entry, str(problem), unreadable=True)
            continue
        if source is None:
            notebooks[name], summary["notebooks"][name] = _without(entry, "it was not handed in", unreadable=False)
            continue
        cells, repairs = notebook.repaired(source, entry["cells"])
        marks = judged(cells, entry, run, sitting(plan["files"].get(PAPER, b""), student))
        notebooks[name] = _whole(cells, entry, [*notes, *repairs, *run.notes], sandbox.level)
        summary["notebooks"][name] = {
            "file": found, "state": "graded", "cells": marks, "untouched": _untouched(cells, entry),
            "notes": [note.as_dict() for note in [*repairs, *run.notes]],
        }  # fmt: skip
        summary["usage"] += run.usage
    summary["seconds"] = round(time.monotonic() - began, 3)
    lines = json.dumps(summary, sort_keys=True), json.dumps(notebooks, sort_keys=True)
    return "\n".join(lines).encode("utf-8", "replace") + b"\n"


def _beside(files: dict[str, bytes]) -> tuple[dict[str, bytes], list[Note]]:
    """The files that lie beside the notebook when it runs: as many as fit, the small ones first."""
    fitting, total, notes = {}, 0, []
    for name in sorted(files, key=lambda name: len(files[name])):
        total += len(files[name])
        if total <= BESIDE:
            fitting[name] = files[name]
        else:
            notes.append(Note("large file", f"{name} ({len(files[name]) / 1e6:.0f} MB) was too large to run with."))
    return fitting, notes


def digest(files: dict[str, bytes], release: bytes) -> dict:
    """What a result depends on. While it stays the same there is nothing to grade again."""
    hashed = hashlib.sha256()
    for name in sorted(files):
        if name != "timestamp.txt":  # when it came says nothing about what it is
            hashed.update(f"{len(name)} {name} {len(files[name])} ".encode("utf-8", "replace") + files[name])
    plan = _plan(release)
    return {
        "submission": hashed.hexdigest()[:32],
        "release": hashlib.sha256(release).hexdigest()[:32],
        "judge": {name: _version(name) for name in plan["exercises"]},
        "grader": _own_version(),
    }


_version = functools.cache(exercises.version)


@functools.cache
def _own_version() -> str:
    here = Path(__file__).parent
    files = [here / f"{name}.py" for name in OURS] + sorted((here / "inside").rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


@functools.lru_cache(maxsize=8)
def _plan(release: bytes) -> dict:
    """The release, with what is the same for each of its submissions worked out once."""
    from rowwise.grading.judging import coded_cases

    plan = json.loads(release)
    found = [
        check[1]
        for entry in plan["notebooks"].values()
        for cell in entry["cells"]
        if cell["grade"] and not cell["solution"] and (check := key.check_in(cell["source"]))
    ]
    plan["exercises"] = sorted(set(found) & set(exercises.ALL))
    plan["inputs"] = {name: coded_cases(name) for name in plan["exercises"]}
    plan["files"] = {name: base64.b64decode(body) for name, body in plan["files"].items()}
    names = sorted({name for entry in plan["notebooks"].values() for name in entry.get("carried", [])})
    if names:
        plan["files"][carried.FILE] = carried.working(names, plan["exercises"])
    return plan


def match(files: dict[str, bytes], notebooks: dict) -> tuple[dict[str, str], list[Note]]:
    """Which file is which notebook of the release: by its name, else by its cells. Other notebooks are Notes."""
    books = {name: body for name, body in files.items() if name.endswith(".ipynb") and "/." not in f"/{name}"}
    wanted = {name: {cell["id"] for cell in entry["cells"]} for name, entry in notebooks.items()}
    matched = {name: f"{name}.ipynb" for name in notebooks if f"{name}.ipynb" in books}
    notes = []
    left = sorted(set(books) - set(matched.values()))
    for name in notebooks:
        likeness = {file: _likeness(books[file], wanted[name]) for file in left}
        if name in matched and (not left or _likeness(books[matched[name]], wanted[name]) != 0):
            continue  # it has the right name, and at least one of the right cells or no readable cell at all
        near = [file for file in left if likeness[file] >= 0.5]
        if near:
            best = max(near, key=lambda file: (likeness[file], -len(file), file))
            matched[name] = best
            left.remove(best)
            notes.append(Note("renamed", f"The notebook came as {best}; its cells say that it is {name}."))
        elif len(notebooks) == 1 and len(left) == 1 and likeness[left[0]] < 0:
            matched[name] = left.pop()  # the only file there is, and it cannot be read: that is the reason to give
    notes += [Note("other file", f"{file} is no notebook of this chapter and was not looked at.") for file in left]
    return matched, notes


def _likeness(body: bytes, wanted: set[str]) -> float:
    """The share of the wanted cells that a file has, or -1 where it cannot be read."""
    try:
        return len(wanted & set(notebook.grade_ids(notebook.read(body)))) / max(len(wanted), 1)
    except Unreadable:
        return -1.0


def _without(entry: dict, why: str, unreadable: bool) -> tuple[dict, dict]:
    """The graded notebook and the marks where there is nothing to grade: none if unreadable, 0 if not handed in."""
    marks = {
        cell["id"]: {"kind": "none", "score": None if unreadable else 0.0, "max": cell["points"], "reason": why}
        for cell in entry["cells"]
        if cell["grade"] or cell["task"]
    }
    note = Note("unreadable" if unreadable else "missing", f"This notebook has no marks: {why}.")
    cells, _ = notebook.repaired({"cells": []}, entry["cells"])
    for cell in cells:
        if cell["cell_type"] == "code":  # nbgrader takes a cell that shows nothing for a passed test
            cell["outputs"] = [error("NotRun", why)]
    state = "unreadable" if unreadable else "missing"
    return _whole(cells, entry, [note], ""), {
        "file": None, "state": state, "reason": why, "cells": marks, "notes": [note.as_dict()],
    }  # fmt: skip


def _untouched(cells: list[dict], entry: dict) -> list[str]:
    """The answer cells that still hold what was handed out, or are gone."""
    written = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in cells}
    answers = [key for key in entry["cells"] if key["solution"] and not key["task"]]
    return [k["id"] for k in answers if k["id"] not in written or notebook.untouched(written[k["id"]], k)]


def _whole(cells: list[dict], entry: dict, notes: list[Note], level: str) -> dict:
    """A notebook of these cells; what the grader has to say about it stands first."""
    if notes:
        text = "\n".join(["**From the grader**", "", *(f"- {outputs.harmless(note.text)}" for note in notes)])
        cells = [{"cell_type": "markdown", "id": "from-the-grader", "metadata": {}, "source": text}, *cells]
    known = {cell["id"]: cell for cell in entry["cells"]}
    for cell in cells:
        about = cell["metadata"].get("nbgrader")
        theirs = not about or (about["solution"] and not notebook.untouched(cell, known[about["grade_id"]]))
        if theirs and cell["cell_type"] != "code" and cell["id"] != "from-the-grader":
            cell["source"] = outputs.harmless(cell["source"])
    about = {"kernelspec": entry["kernelspec"], "language_info": {"name": "python"}, "rowwise": {"level": level}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def files_in(folder: Path, most: int = 300_000_000) -> dict[str, bytes]:
    """A submission's files by name. Links are not followed, and what is hidden or past ``most`` bytes is left out."""
    found, total = {}, 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(here) / name for name in sorted(names) if not name.startswith(".")):
            if path.is_symlink() or not path.is_file():
                continue
            total += path.stat().st_size
            if total > most:
                return found
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


if __name__ == "__main__":
    with Sandbox() as box:
        Path(sys.argv[3]).write_bytes(grade(files_in(Path(sys.argv[1])), Path(sys.argv[2]).read_bytes(), box))
