"""A regrade request: case by case what was asked, what came, and why it got its mark, on the instructor's screen."""

import json

import numpy as np

from rowwise import exercises
from rowwise.grading import run, unit
from rowwise.grading.proof import proven
from rowwise.grading.release import read_release


def explain(course, assignment: str, students: list[str], level: str) -> int:
    """Run these students' submissions once more and print everything; nothing is written anywhere."""
    handed_in = course.submissions(assignment)
    release = read_release(course, assignment)
    with proven(course.settings.limits(), level) as sandbox:
        for student in students:
            if student not in handed_in:
                raise run.Refused(f"Nothing was handed in for {assignment} by {student}.")
            trace: list = []
            result = unit.grade(unit.files_in(handed_in[student]), release, sandbox, trace, student)
            _show(student, json.loads(result.splitlines()[0]), {item["cell"]: item for item in trace})
    return 0


def _show(student: str, summary: dict, trace: dict) -> None:
    print(f"{student}, {summary['assignment']}")
    for note in summary["notes"]:
        print(f"  note: {note['text']}")
    for name, part in summary["notebooks"].items():
        print(f"\n{name}" + (f", from {part['file']}" if part["file"] else f": no marks, {part['reason']}"))
        for note in part["notes"]:
            print(f"  note: {note['text']}")
        for cell, mark in part["cells"].items():
            score = "a person marks it" if mark["score"] is None else f"{mark['score']:g} of {mark['max']:g}"
            print(f"\n  {cell}: {score}" + (f", judged {mark['judge']}" if mark.get("judge") else ""))
            if mark.get("reason"):
                print(f"    {mark['reason']}")
            if cell in trace:
                _cases(trace[cell])


def _cases(item: dict) -> None:
    """Each case with its inputs, what came back, and what the judge made of it all."""
    for case, answer in zip(exercises.ALL[item["exercise"]].cases(), item["answers"], strict=True):
        print(f"    case {case.name!r}")
        for number, value in enumerate([*case.args, *case.kwargs.values()], 1):
            print(f"      asked, argument {number}: {_value(value)}")
        if answer.problem:
            print(f"      came: {answer.problem}. {answer.error} {answer.line}".rstrip())
        else:
            print(f"      came: {_value(answer.value)}")
    for line in str(item["mark"]).splitlines():
        print(f"    {line}")
    for slug in item["mark"].mistakes:
        print(f"    mistake: {slug}")


def _value(value) -> str:
    """A value on as few lines as it takes, arrays with their shape."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, threshold=60, separator=", ", prefix=" " * 14)
        return f"{value.dtype} {value.shape} {text}"
    return repr(value)[:500]
