"""nbgrader's gradebook: opened with its troubles in words, and copied before a run."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rowwise.grading.settings import Course

PATIENCE = 120.0  # seconds that a locked gradebook is waited for


class GradebookTrouble(Exception):
    """The gradebook cannot be read or written; the text says why and what to do. Results are kept all the same."""


@contextmanager
def opened(course: Course) -> Iterator:
    """nbgrader's Gradebook, with its troubles in words."""
    from sqlalchemy import exc

    try:
        with course.gradebook() as book:
            yield book
    except exc.DatabaseError as problem:
        if "locked" in str(problem):
            raise GradebookTrouble(
                "The gradebook is in use by another program and stayed so. The results are kept; when it is free, the same "
                "command writes them in without grading anything again."
            ) from None
        raise GradebookTrouble(
            f"The gradebook {course.directory.db_url} cannot be used ({str(problem.__cause__ or problem)[:200]}). Move it "
            f"aside and put back a copy, such as {backup_path(course)}; the results are kept, and the same command "
            "writes them in without grading anything again. Marks given by hand since that copy are only in the old file."
        ) from None


def backup_path(course: Course) -> Path:
    """Where a copy of the gradebook as it was before the last run lies."""
    return course.results / "gradebook-before-last-run.db"


def back_up(course: Course) -> None:
    """Copy an SQLite gradebook beside the results; other databases have backups of their own."""
    url = course.directory.db_url
    path = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:///") or not path.is_file():
        return
    course.results.mkdir(parents=True, exist_ok=True)
    draft = backup_path(course).with_suffix(".draft")
    source, target = sqlite3.connect(path, timeout=PATIENCE), sqlite3.connect(draft)
    try:
        source.backup(target)
        target.close()
        draft.replace(backup_path(course))
    except sqlite3.Error as problem:
        draft.unlink(missing_ok=True)
        if "full" in str(problem):
            raise GradebookTrouble(f"No space left on the disk of {course.results}. Nothing was graded.") from None
        raise GradebookTrouble(
            f"The gradebook {path} cannot be read ({problem}). Move it aside and put back a copy"
            + (f", such as {backup_path(course)}" if backup_path(course).exists() else "")
            + ". The results are kept; the same command then writes them in without grading anything again."
        ) from None
    finally:
        source.close()
        target.close()
