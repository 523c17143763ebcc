"""The release of a chapter: entered into the gradebook where it is new, and read from there for the grader."""

import base64
import hashlib
import io
import json
import tempfile
from pathlib import Path

from rowwise.grading import key, results
from rowwise.grading.book import GradebookTrouble, opened
from rowwise.grading.settings import Course


def read_release(course: Course, assignment: str) -> bytes:
    """The release of an assignment from the gradebook, entered first where the source is new or has changed."""
    source = course.folder("source", ".", assignment)
    shown = course.folder("release", ".", assignment)
    books = sorted(source.glob("*.ipynb")) if source.is_dir() else []
    digest = hashlib.sha256(b"".join(book.read_bytes() for book in books)).hexdigest()
    record = course.results / assignment / "source.json"
    known = json.loads(record.read_text())["sha256"] if record.is_file() else ""
    with opened(course) as book:
        there = assignment in [found.name for found in book.assignments] and book.find_assignment(assignment).notebooks
    if books and (not there or known != digest):
        _enter(course, assignment, bool(there))
        results.write(record, json.dumps({"sha256": digest}).encode())
    elif not there:
        raise GradebookTrouble(
            f"The gradebook does not know {assignment}, and {source} has no notebook to learn it from. Make the solution "
            "notebooks first: rowwise build."
        )
    files = _files(source, course.directory.ignore) if source.is_dir() else {}
    with opened(course) as book:
        return key.release(assignment, book, [shown, source], files)


def _files(folder: Path, ignored: list[str]) -> dict[str, str]:
    """The instructor's own files of a chapter, as base64: they lie beside the notebook when it runs."""
    from nbgrader.utils import find_all_files

    paths = [Path(path) for path in find_all_files(str(folder), [*ignored, "*.ipynb"])]
    return {p.relative_to(folder).as_posix(): base64.b64encode(p.read_bytes()).decode() for p in sorted(paths)}


def _enter(course: Course, assignment: str, known: bool) -> None:
    """Enter an assignment into the gradebook as `nbgrader generate_assignment` does, leaving the release folder alone."""
    import logging

    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    config = course.config.copy()
    with tempfile.TemporaryDirectory() as folder:
        config.CourseDirectory.release_directory = folder
        config.CourseDirectory.assignment_id = assignment
        log = logging.getLogger("rowwise.grading.generate")
        said = io.StringIO()  # nbgrader gives its reasons to the log alone
        log.handlers = [logging.StreamHandler(said)]
        log.propagate = False
        directory = CourseDirectory(config=config)
        try:
            GenerateAssignment(coursedir=directory, config=config, log=log, force=True).start()
        except (Exception, SystemExit) as problem:
            why = str(problem)
            if known and "Cannot add or remove cells" in said.getvalue():
                why = "graded cells were added or removed since the first submissions were graded"
            raise GradebookTrouble(
                f"{assignment} as it is in {course.folder('source', '.', assignment)} cannot be entered into the gradebook: "
                f"{why}. nbgrader keeps the cells of a chapter once it has marks: restore them, or remove the chapter "
                f"with its marks (nbgrader db assignment remove {assignment})."
            ) from None
