"""Marks for the graded cells of one notebook: questions go into the sandbox, answers are judged here, outside."""

import functools

from rowwise import exercises
from rowwise.exercises.seeded import Sitting
from rowwise.grading import key, notebook, outputs
from rowwise.grading.execution import Execution
from rowwise.grading.inside import codec
from rowwise.grading.key import fingerprint
from rowwise.grading.notebook import Note
from rowwise.mark import Mark
from rowwise.probe import Answer

OUTSIDE = "outside the student's process"
WITHIN = "in the student's process"


@functools.cache
def coded_cases(name: str) -> list[dict]:
    """The cases of an exercise as they go over the wire."""
    return [
        {"name": case.name, "args": codec.encode(tuple(case.args)), "kwargs": codec.encode(dict(case.kwargs))}
        for case in exercises.ALL[name].cases()
    ]


def judged(cells: list[dict], release: dict, run: Execution, sitting: Sitting | None = None) -> dict[str, dict]:
    """Run the notebook, write outputs into ``cells`` and give the mark of every graded cell by its id.

    ``release`` is the notebook's part of it; ``sitting`` says whose numbers an exercise with a seed is judged by.
    """
    known = {cell["id"]: cell for cell in release["cells"]}
    ours = set(release.get("plain", ()))
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    checks = [_check(cell) for cell in code]
    steps = [_step(cell, check, number) for number, (cell, check) in enumerate(zip(code, checks, strict=True), 1)]
    replies = run.run(steps)
    marks = {}
    for number, (cell, check, reply) in enumerate(zip(code, checks, replies, strict=True), 1):
        cell["execution_count"] = number
        cell["outputs"] = outputs.cleaned(reply.get("outputs"))
        if not _id(cell) and fingerprint(cell["source"]) in ours and any(map(_is_error, cell["outputs"])):
            # The course's own cell needs what the library's stand-in lacks: nothing that a student could mend.
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "Not shown in a graded run.\n"}]
        if "lost" in reply:
            cell["outputs"].append(error("NotRun", reply["lost"]))
        entry = known.get(_id(cell))
        if entry and entry["grade"] and not entry["solution"]:
            marks[entry["id"]] = _checked(cell, entry, check, reply, run, sitting) if check else _tested(cell, entry)
        for shown in cell["outputs"]:
            if shown["output_type"] == "execute_result":
                shown["execution_count"] = number
    for cell in cells:
        entry = known.get(_id(cell))
        if entry and ((entry["grade"] and entry["solution"]) or entry["task"]):
            marks[entry["id"]] = _written(cell, entry)
    return marks


def _id(cell: dict) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def _check(cell: dict) -> tuple[str, str, str] | None:
    about = cell["metadata"].get("nbgrader", {})
    if not about.get("grade") or about.get("solution"):
        return None
    found = key.check_in(cell["source"])
    return found if found and found[1] in exercises.ALL else None


def _step(cell: dict, check, number: int) -> dict:
    name = f"Cell {_id(cell)}" if _id(cell) else f"Code cell {number}"
    if check:
        before, exercise, subject = check
        return {"name": name, "before": before, "subject": subject, "cases": coded_cases(exercise)}
    return {"name": name, "source": cell["source"]}


def error(name: str, text: str) -> dict:
    """An error as a cell's output, without a traceback to read."""
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}


def _is_error(shown: dict) -> bool:
    return shown["output_type"] == "error"


def _checked(cell: dict, entry: dict, check, reply: dict, run: Execution, sitting: Sitting | None) -> dict:
    """The judge's mark of one check cell, written into the cell as nbgrader reads it."""
    exercise = exercises.ALL[check[1]]
    if sitting is not None and hasattr(exercise, "bind"):
        exercise = exercise.bind(sitting)
    found = {"kind": "check", "judge": OUTSIDE, "exercise": exercise.name, "score": 0.0, "max": entry["points"],
             "mistakes": [], "steps": [], "message": "", "reason": ""}  # fmt: skip
    if "lost" in reply:
        return found | {"reason": reply["lost"]}
    failed = any(map(_is_error, cell["outputs"]))
    if reply.get("missing") or failed:
        text = f"{check[2]} does not exist when this cell runs: its cell was not run, or raised an error."
        cell["outputs"].append(error("NameError", text))
        return found | {"reason": text}
    answers = [answer(item) for item in reply.get("answers") or [] if isinstance(item, dict)]
    try:
        if len(answers) != len(coded_cases(exercise.name)):
            raise ValueError("there is not an answer for every case")
        mark = exercise.judge(answers)
    except Exception as problem:
        text = f"The judge could not decide ({type(problem).__name__}: {str(problem)[:200]}); a person should look."
        cell["outputs"].append(error("NotJudged", text))
        run.notes.append(Note("not judged", f"Cell {entry['id']}: {text}", entry["id"]))
        return found | {"reason": text}
    if run.trace is not None:
        run.trace.append({"exercise": exercise.name, "cell": entry["id"], "answers": answers, "mark": mark})
    score = float(mark) if mark.points == entry["points"] else float(mark) / mark.points * entry["points"]
    cell["outputs"] = [shown for shown in cell["outputs"] if shown.get("name") == "stdout"]
    cell["outputs"].append(result(mark, score))
    steps = [vars(step) for step in mark.steps]
    return found | {"score": score, "mistakes": list(mark.mistakes), "steps": steps, "message": mark.message}


def result(mark: Mark, score: float) -> dict:
    """The cell's last output: the plain number for nbgrader, the table for people."""
    data = {"text/plain": repr(score), "text/html": mark._repr_html_()}
    return {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}


def answer(item: dict) -> Answer:
    """One answer of the probe, decoded; whatever cannot be is an unreadable answer."""
    problem, told, line = (str(item.get(name) or "")[:2000] for name in ("problem", "error", "line"))
    if problem:
        return Answer(problem=problem, error=told, line=line)
    try:
        after = codec.decode(item.get("after"))
        return Answer(codec.decode(item.get("value")), after if isinstance(after, tuple) else ())
    except codec.Unreadable as kind:
        return Answer(problem="unreadable", error=str(kind)[:200])


def _tested(cell: dict, entry: dict) -> dict:
    """The mark of an instructor's own test cell, by nbgrader's rules from what the cell showed."""
    found = {"kind": "test", "judge": WITHIN, "max": entry["points"], "reason": ""}
    score = nbgraders_mark(cell["outputs"], entry["points"])
    if score > entry["points"]:  # nbgrader gives up the whole submission here
        text = f"The cell's last value, {score:g}, is more than its {entry['points']:g} points."
        cell["outputs"] = [error("NoMark", text)]
        return found | {"score": 0.0, "reason": text}
    failed = [shown["evalue"] for shown in cell["outputs"] if _is_error(shown)]
    return found | {"score": score, "reason": failed[0][:300] if failed else ""}


def nbgraders_mark(shown: list[dict], points: float) -> float:
    """What nbgrader.utils.determine_grade gives a test cell with these outputs; importing nbgrader costs seconds."""
    for item in shown:
        if item["output_type"] == "error" or item.get("name") == "stderr":
            return 0.0
        if item["output_type"] == "execute_result":
            try:
                value = float(item["data"].get("text/plain", ""))
            except ValueError:
                return points
            return value if value >= 0 else points
    return points


def _written(cell: dict, entry: dict) -> dict:
    """A cell that a person marks; an untouched answer has 0 already, as nbgrader gives it."""
    if entry["task"]:
        return {"kind": "task", "judge": "a person", "score": None, "max": entry["points"], "answered": True}
    empty = notebook.untouched(cell, entry)
    return {"kind": "written", "judge": "a person", "score": 0.0 if empty else None, "max": entry["points"],
            "answered": not empty}  # fmt: skip
