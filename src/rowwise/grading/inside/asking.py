"""The probe's side of the wire: calls the student's function on the cases that came in, sends back what it gave."""

import base64
import contextlib
import os

import shell
from codec import Unreadable, decode, encode

import rowwise.check
from rowwise.probe import Case, probe


def write_files(files: dict[str, str], inputs: dict) -> dict:
    """Write what came with the notebook into the working folder; names cannot lead out of it.

    ``inputs`` are the cases of the chapter's exercises, for ``check.inputs``; they hold no answers.
    """
    rowwise.check.inputs = lambda name, case="": _inputs(inputs, name, case)
    for name, body in files.items():
        path = os.path.normpath(name)
        if os.path.isabs(path) or path.startswith(".."):
            continue
        with contextlib.suppress(OSError):  # a name or a size that does not fit here; the notebook runs without it
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "wb") as file:
                file.write(base64.b64decode(body))
    return {}


def _inputs(known: dict, name: str, wanted: str) -> tuple:
    for case in known[name]:
        if not wanted or case["name"] == wanted:
            return tuple(decode(case["args"]))
    raise KeyError(f"{name} has the cases {', '.join(repr(case['name']) for case in known[name])}")


def ask(run, capture, message: dict) -> dict:
    """Put the cases to the subject of that name; a call that does not finish ends the asking."""
    name = message["subject"]
    if name not in run.user_ns:
        return {"missing": True, "answers": [], "outputs": []}
    cases = [Case(case["name"], tuple(decode(case["args"])), decode(case["kwargs"])) for case in message["cases"]]
    answers: list = []
    shown = shell.watched(
        message["seconds"], capture, lambda: answers.extend(probe(cases, run.user_ns[name], message["seconds"] - 2))
    )
    if len(answers) != len(cases):  # something that the probe could not stop
        return {"answers": [{"problem": "timeout"}] * len(cases), "outputs": []}
    streams = [item for item in shown if item["output_type"] == "stream"]
    return {"answers": [encoded(answer) for answer in answers], "outputs": streams}


def encoded(answer) -> dict:
    """An Answer as JSON; a value of a kind that may not cross becomes the problem "unreadable"."""
    text = {"problem": answer.problem, "error": str(answer.error)[:2000], "line": str(answer.line)[:500]}
    try:
        return text | {"value": encode(answer.value), "after": encode(tuple(answer.after))}
    except Unreadable as kind:
        return text | {"problem": "unreadable", "error": str(kind)}
