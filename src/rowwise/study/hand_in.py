"""The last cell of a chapter: is the file on disk what was worked on, and what would it earn?"""

import ast
import json
import os
import sys
import time
from pathlib import Path

from rowwise import exercises
from rowwise.probe import probe
from rowwise.study.help import opened
from rowwise.study.shown import Shown, paragraphs, table, together


def hand_in(chapter: str) -> Shown:
    """What handing in ``chapter`` now would bring: the file, the answers missing, the marks to expect."""
    if os.environ.get("NBGRADER_EXECUTION"):
        return paragraphs(["While nbgrader runs this notebook, this cell does nothing."])
    path = notebook_path(chapter)
    cells = saved_cells(path)
    rows, expected, of = [], 0.0, 0.0
    for exercise in exercises.of_chapter(chapter):
        state, mark = _state(exercise)
        expected, of = expected + float(mark or 0), of + exercise.points
        if opened(exercise.name):
            state += " (solution opened)"
        rows.append((exercise.name, state, f"{float(mark or 0):g} of {exercise.points:g}", _saved(exercise, cells)))
    shown = table("What you would hand in now", ("exercise", "your answer", "mark to expect", "on disk"), rows)
    advice = _SAVE if any(row[-1] == _DIFFERS for row in rows) else _TRIES
    total = f"Marks to expect from the checks: {expected:g} of {of:g}. {_written(chapter, cells)}"
    return together(
        paragraphs(_about_file(path, chapter)), shown, paragraphs([total, *_damage(chapter, cells), advice])
    )


_DIFFERS = "differs from what you ran last"
_SAVE = "Some of what you ran is not in the file: save with Ctrl+S (Cmd+S on a Mac), then run this cell again."
_TRIES = "Tries are not counted against you."


def notebook_path(chapter: str) -> Path | None:
    """The notebook that this kernel runs, if the front end says; else the chapter's file in this folder."""
    told = (os.environ.get("JPY_SESSION_NAME"), _namespace().get("__vsc_ipynb_file__"), f"{chapter}.ipynb")
    for name in told:
        if name and str(name).endswith(".ipynb") and Path(name).is_file():
            return Path(name)
    return None


def saved_cells(path: Path | None) -> dict[str, list[str]]:
    """The sources on disk by grade_id (a list, for a cell may have been copied); {} without a file."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8")) if path else {}
        cells: dict[str, list[str]] = {}
        for cell in notebook.get("cells", []):
            if grade_id := cell["metadata"].get("nbgrader", {}).get("grade_id"):
                cells.setdefault(grade_id, []).append("".join(cell["source"]).strip())
        return cells
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return {}


def _namespace() -> dict:
    return vars(sys.modules["__main__"])


def _state(exercise):
    """What the student's answer looks like now, and the mark that it would get."""
    if exercise.name not in _namespace():
        return "its cell has not been run", None
    subject = _namespace()[exercise.name]
    if _blank(subject):
        return "not filled in", None
    mark = exercise.judge(probe(exercise.cases(), subject))
    if not mark:
        return "earns nothing yet: see its check", mark
    return ("complete" if float(mark) == mark.points else "right in part: see its check"), mark


def _blank(subject) -> bool:
    if isinstance(subject, dict):
        return all(_blank(value) for value in subject.values())
    if isinstance(subject, list | tuple):
        return all(_blank(value) for value in subject)
    return subject is None or subject == "" if not hasattr(subject, "shape") else False


def _saved(exercise, cells: dict) -> str:
    """Whether what was run last stands in the file."""
    if exercise.name not in cells:
        return "not found in the file" if cells else "unknown"
    ran = _last_run(exercise.name)
    if ran is None or ran in cells[exercise.name]:
        return "saved"
    return _DIFFERS


def _last_run(name: str) -> str | None:
    """The source of the last cell that defined ``name`` in this session."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    history = getattr(getattr(shell, "history_manager", None), "input_hist_raw", [])
    for source in reversed(list(history)):
        if name in source and name in _defined(source):
            return source.strip()
    return None


def _defined(source: str) -> set[str]:
    """The names that a cell defines at its top level."""
    names = set()
    try:
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    except (SyntaxError, ValueError):  # a magic, or something that never ran
        pass
    return names


def _about_file(path: Path | None, chapter: str) -> list[str]:
    if path is None:
        return [f"The file {chapter}.ipynb was not found from here, so nothing can be said about what is saved."]
    saved = path.stat().st_mtime
    minutes = max(0, round((time.time() - saved) / 60))
    ago = "less than a minute ago" if minutes == 0 else f"{minutes} minute{'s' * (minutes != 1)} ago"
    if minutes > 120:
        ago = time.strftime("on %d %B", time.localtime(saved))
    lines = [f"{path.name} was saved at {time.strftime('%H:%M', time.localtime(saved))}, {ago}."]
    if path.name != f"{chapter}.ipynb":
        lines.append(f"It is collected only under the name {chapter}.ipynb: rename it before you hand in.")
    return lines


def _written(chapter: str, cells: dict) -> str:
    """A sentence about the answers that a person marks; '' where there are none."""
    checked = {name for exercise in exercises.of_chapter(chapter) for name in (exercise.name, f"check-{exercise.name}")}
    if not cells.keys() - checked:
        return ""
    open_ones = [name for name, sources in cells.items() if any("YOUR ANSWER HERE" in source for source in sources)]
    if open_ones:
        return f"Written answers still to do, as saved: {', '.join(open_ones)}."
    return "Written answers are marked by a person."


def _damage(chapter: str, cells: dict) -> list[str]:
    """What would stop the grading: marked cells that were copied, and those that are gone."""
    names = [exercise.name for exercise in exercises.of_chapter(chapter)] if cells else []
    counts = {grade_id: len(cells.get(grade_id, ())) for name in names for grade_id in (name, f"check-{name}")}
    copied = [grade_id for grade_id, count in counts.items() if count > 1]
    gone = [grade_id for grade_id, count in counts.items() if count == 0]
    lines = []
    if copied:
        lines.append(f"More than once in the file: {', '.join(copied)}. Delete the copies.")
    if gone:
        lines.append(f"Gone from the file: {', '.join(gone)}. Take these cells back from a fresh copy of the chapter.")
    return lines
