"""nbgrader's own autograde, and formgrader's button, through the same sandbox and judge.

nbgrader_config.py names them, by settings that nbgrader has for this: ``ready`` is its hook before each submission,
``Prepare`` its only sanitizing step, ``Execute`` stands in the place of its own.
"""

import atexit
import os
import re
from pathlib import Path

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from rowwise.grading import gradebook, results, run, settings, workers
from rowwise.grading.inside.wire import Lost

_here: dict = {}  # this process's sandbox, and the result of the submission that nbgrader is at


class NotGraded(Exception):
    """This submission has no notebook with marks; the text says why."""


def ready(assignment: str, student: str, notebooks: list[str]) -> None:
    """Before nbgrader converts a submission: grade it and write its marks, as `rowwise grade` does.

    So a notebook that nbgrader cannot convert (not readable, another name) has its mark, or none with a reason, instead of
    keeping an older one. nbgrader reports it as failed and goes on. Its hook gets globs; the files' folder says more.
    """
    course = settings.course(Path(os.getcwd()))  # nbgrader works in the course's root
    directory = course.directory
    submitted = directory.format_path(
        directory.submitted_directory, "(?P<student>.*)", "(?P<assignment>.*)", escape=True
    )
    found = re.fullmatch(submitted, str(Path(notebooks[0]).parent))
    if found:
        _grade(course, found["student"], found["assignment"])


def _grade(course: settings.Course, student: str, assignment: str) -> Path:
    """The result of one submission, made now unless the one that is there holds still; its marks are written."""
    todo = run.plan(course, assignment, [student])
    result = todo.unchanged.get(student)
    for job, _ in todo.jobs.values():
        result = job.result
        try:
            problem = workers._grade(job, _sandbox(course))
        except Lost as lost:
            _close()
            problem = f"it ended the sandbox ({lost})"
        if problem.startswith("machine: "):
            raise NotGraded(problem.removeprefix("machine: "))
        if problem:
            body = results.failed(assignment, run._key_of(job), problem, course.settings.level())
            results.write(result, body)
    writer = gradebook.Writer(course, assignment)
    writer.add(student, result)
    writer.flush()
    _here["result"] = (student, assignment), result
    return result


def _sandbox(course: settings.Course):
    from rowwise.grading.proof import proven

    wanted = course.settings.limits(), course.settings.level()
    if _here.get("wanted") != wanted:
        _close()
    if "sandbox" not in _here:
        _here["wanted"], _here["sandbox"] = wanted, proven(*wanted)
        atexit.register(_close)
    return _here["sandbox"]


def _close() -> None:
    sandbox = _here.pop("sandbox", None)
    if sandbox:
        sandbox.close()


class Prepare(NbGraderPreprocessor):
    """In the place of nbgrader's sanitizing and execution: the notebook as the sandbox and the judge left it."""

    def preprocess(self, nb, resources):
        """The graded notebook. Raises NotGraded, or what says that there is no sandbox."""
        about = resources["nbgrader"]
        converter = self.parent.parent
        whose = about["student"], about["assignment"]
        known, result = _here.get("result", (None, None))
        if known != whose:
            result = _grade(settings.of(converter.config, converter.coursedir), *whose)
        summary = results.summary(result) or {}
        part = summary.get("notebooks", {}).get(about["notebook"])
        if part is None or part["state"] == "unreadable":
            raise NotGraded((part or summary).get("reason") or "there is no result")
        return nbformat.from_dict(results.notebooks(result)[about["notebook"]]), resources


class Execute(Prepare):
    """The second step, after the first has written the notebook and nbgrader has read it again: the same notebook."""
