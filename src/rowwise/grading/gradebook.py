"""Marks into nbgrader's gradebook: one writer, many submissions a transaction, the same rows that nbgrader writes."""

import json
import time
from pathlib import Path

from rowwise.grading import results
from rowwise.grading.book import PATIENCE, GradebookTrouble, opened
from rowwise.grading.settings import Course
from rowwise.grading.unit import files_in


class Writer:
    """Writes results of one assignment. ``add`` collects, ``flush`` writes what was collected in one transaction."""

    def __init__(self, course: Course, assignment: str, batch: int = 25):
        """``batch`` submissions go into one transaction."""
        self.course, self.assignment, self.batch = course, assignment, batch
        self._waiting: dict[str, Path] = {}
        self._penalty = None

    def add(self, student: str, result: Path) -> None:
        """Take one result; written with the next flush."""
        self._waiting[student] = result
        if len(self._waiting) >= self.batch:
            self.flush()

    def flush(self) -> None:
        """Write what was collected: notebooks first, then all rows at once. Raises GradebookTrouble or OSError."""
        if not self._waiting:
            return
        found = {student: results.summary(path) for student, path in self._waiting.items()}
        for student, path in self._waiting.items():
            write_autograded(self.course, self.assignment, student, path)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with opened(self.course) as book:
                    self._rows(book, {s: summary for s, summary in found.items() if summary})
                break
            except GradebookTrouble as problem:
                if "in use" not in str(problem) or time.monotonic() > until:
                    raise
                time.sleep(0.5)
        self._waiting = {}

    def _rows(self, book, found: dict[str, dict]) -> None:
        from nbgrader import api

        session = book.db
        assignment = book.find_assignment(self.assignment)
        cells = {
            part.name: {
                "id": part.id,
                "graded": {cell.name: cell.id for cell in [*part.grade_cells, *part.task_cells]},
                "told": {cell.name: cell.id for cell in [*part.solution_cells, *part.task_cells]},
            }
            for part in assignment.notebooks
        }
        have = {row.student_id: row for row in session.query(api.SubmittedAssignment).filter(
            api.SubmittedAssignment.assignment_id == assignment.id, api.SubmittedAssignment.student_id.in_(found))}  # fmt: skip
        known = {name for (name,) in session.query(api.Student.id).filter(api.Student.id.in_(found))}
        new: dict = {table: [] for table in (api.Student, api.SubmittedAssignment, api.SubmittedNotebook, api.Grade,
                                             api.Comment)}  # fmt: skip
        updates: dict = {api.SubmittedAssignment: [], api.Grade: [], api.Comment: []}
        old = _existing(session, api, [row.id for row in have.values()])
        for student, summary in found.items():
            if student not in known:
                new[api.Student].append({"id": student})
            self._submission(student, summary, have.get(student), assignment.id, cells, old, new, updates, api)
        for table, rows in new.items():
            if rows:
                session.execute(table.__table__.insert(), rows)
        for table, rows in updates.items():
            if rows:
                session.bulk_update_mappings(table, rows)
        if assignment.duedate is not None:
            session.flush()
            session.expire_all()
            self._late(session, api, assignment.id, list(found))
        session.commit()

    def _submission(self, student, summary, row, assignment, cells, old, new, updates, api):
        """Collect the rows of one submission: new ones, or what changes in those that are there."""
        when = timestamp(self.course.folder("submitted", student, self.assignment))
        if row is None:
            own = api.new_uuid()
            new[api.SubmittedAssignment].append(
                {"id": own, "assignment_id": assignment, "student_id": student, "timestamp": when}
            )
        else:
            own = row.id
            if when is not None and when != row.timestamp:
                updates[api.SubmittedAssignment].append({"id": own, "timestamp": when})
        for name, known in cells.items():
            book = old["notebooks"].get((own, known["id"]))
            if book is None:
                book = api.new_uuid()
                new[api.SubmittedNotebook].append(
                    {"id": book, "assignment_id": own, "notebook_id": known["id"], "flagged": False}
                )
            part = summary["notebooks"].get(name, {})
            for cell, number in known["graded"].items():
                score = part.get("cells", {}).get(cell, {}).get("score")
                there = old["grades"].get((book, number))
                values = {"auto_score": score, "needs_manual_grade": score is None}
                if there is None:
                    new[api.Grade].append({"id": api.new_uuid(), "notebook_id": book, "cell_id": number, **values})
                else:
                    values["needs_manual_grade"] = score is None or there[1] is not None  # as nbgrader: look again
                    updates[api.Grade].append({"id": there[0], **values})
            for cell, number in known["told"].items():
                text = comment(part, cell)
                there = old["comments"].get((book, number))
                if there is None:
                    row_ = {"id": api.new_uuid(), "notebook_id": book, "cell_id": number, "auto_comment": text}
                    new[api.Comment].append(row_)
                else:
                    updates[api.Comment].append({"id": there, "auto_comment": text})

    def _late(self, session, api, assignment: str, students: list[str]) -> None:
        """Late penalties, by the plugin that nbgrader's configuration names."""
        if self._penalty is None:
            from nbgrader.preprocessors import AssignLatePenalties

            self._penalty = AssignLatePenalties(config=self.course.config)
            self._penalty.init_plugin()
        for row in session.query(api.SubmittedAssignment).filter(
            api.SubmittedAssignment.assignment_id == assignment, api.SubmittedAssignment.student_id.in_(students)
        ):
            for part in row.notebooks:
                part.late_submission_penalty = None
                if row.total_seconds_late > 0:
                    asked = self._penalty.plugin_inst.late_submission_penalty(
                        row.student_id, part.score, row.total_seconds_late
                    )
                    if asked is not None:
                        part.late_submission_penalty = self._penalty._check_late_penalty(part, asked)


def _existing(session, api, submissions: list[str]) -> dict:
    """Rows that are there already for these submissions, by what they belong to."""
    found: dict = {"notebooks": {}, "grades": {}, "comments": {}}
    if not submissions:
        return found
    part = api.SubmittedNotebook
    for number, own, book in session.query(part.id, part.assignment_id, part.notebook_id).filter(
        part.assignment_id.in_(submissions)
    ):
        found["notebooks"][own, book] = number
    books = list(found["notebooks"].values())
    grade, told = api.Grade, api.Comment
    for number, book, cell, manual in session.query(
        grade.id, grade.notebook_id, grade.cell_id, grade.manual_score
    ).filter(grade.notebook_id.in_(books)):
        found["grades"][book, cell] = number, manual
    for number, book, cell in session.query(told.id, told.notebook_id, told.cell_id).filter(
        told.notebook_id.in_(books)
    ):
        found["comments"][book, cell] = number
    return found


def comment(part: dict, cell: str) -> str | None:
    """The automatic comment at an answer cell: nbgrader's own for an untouched one, or why there is no mark."""
    if part.get("state") == "graded":
        return "No response." if cell in part.get("untouched", ()) else None
    reason = part.get("reason") or "it could not be graded"
    return f"No mark: {reason}."


def timestamp(folder: Path):
    """When a submission came, from its timestamp.txt; None where that is missing or cannot be read."""
    from nbgrader.utils import parse_utc

    try:
        text = (folder / "timestamp.txt").read_text().strip()
        return parse_utc(text) if text else None
    except (OSError, ValueError, OverflowError):
        return None


def write_autograded(course: Course, assignment: str, student: str, result: Path) -> None:
    """Lay out autograded/<student>/<assignment> as nbgrader does, from a result and the submission's other files."""
    folder = course.folder("autograded", student, assignment)
    submitted = course.folder("submitted", student, assignment)
    wanted = {}
    for name, book in results.notebooks(result).items():
        text = json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        wanted[f"{name}.ipynb"] = text.encode("utf-8", "replace")
    if submitted.is_dir():
        wanted = {name: body for name, body in files_in(submitted).items() if not name.endswith(".ipynb")} | wanted
    if folder.is_dir():
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
                path.unlink()
    for name, body in wanted.items():
        results.write(folder / name, body)
        (folder / name).chmod(0o444)  # as nbgrader leaves them


def stands(book, course: Course, assignment: str, student: str, summary: dict, result: Path) -> bool:
    """Whether the gradebook and the autograded folder already hold this result."""
    folder = course.folder("autograded", student, assignment)
    for name in summary["notebooks"]:
        path = folder / f"{name}.ipynb"
        if not path.is_file() or path.stat().st_mtime_ns < result.stat().st_mtime_ns:
            return False
    wanted, there = scores(summary), recorded(book, assignment, student)
    return bool(there) and all(score == wanted.get(cell) for cell, score in there.items())


def scores(summary: dict) -> dict[tuple[str, str], float | None]:
    """The automatic marks of a result: (notebook, cell) -> mark."""
    return {
        (name, cell): mark["score"]
        for name, part in summary["notebooks"].items()
        for cell, mark in part["cells"].items()
    }


def recorded(book, assignment: str, student: str) -> dict[tuple[str, str], float | None]:
    """The automatic marks of a submission in the gradebook, by (notebook, cell)."""
    from nbgrader import api

    rows = (
        book.db.query(api.Notebook.name, api.BaseCell.name, api.Grade.auto_score)
        .select_from(api.Grade)
        .join(api.SubmittedNotebook, api.SubmittedNotebook.id == api.Grade.notebook_id)
        .join(api.SubmittedAssignment, api.SubmittedAssignment.id == api.SubmittedNotebook.assignment_id)
        .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
        .join(api.BaseCell, api.BaseCell.id == api.Grade.cell_id)
        .join(api.Notebook, api.Notebook.id == api.SubmittedNotebook.notebook_id)
        .filter(api.Assignment.name == assignment, api.SubmittedAssignment.student_id == student)
    )
    return {(name, cell): score for name, cell, score in rows}
