"""What a class did, read from the results and the gradebook: the numbers that the report shows."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from rowwise.grading import results
from rowwise.grading.book import opened
from rowwise.grading.settings import Course


@dataclass
class Exercise:
    """One graded cell of a chapter and how the class did on it. ``shares`` are marks as parts of 1, one a student."""

    cell: str
    name: str
    points: float
    kind: str
    judge: str
    shares: list[float] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    mistakes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    told: dict[str, str] = field(default_factory=dict)
    lost: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    missing: Counter = field(default_factory=Counter)

    @property
    def mean(self) -> float:
        """The mean share of the points."""
        return sum(self.shares) / len(self.shares) if self.shares else 0.0

    @property
    def right(self) -> int:
        """How many have all points."""
        return sum(share >= 1 for share in self.shares)

    @property
    def remark(self) -> str:
        """What to notice at once: that nobody or everybody got it right."""
        if len(self.shares) < 2 or self.waiting:
            return ""
        return {0: "nobody has all points", len(self.shares): "everybody has all points"}.get(self.right, "")


@dataclass
class Chapter:
    """One chapter's class. ``totals`` is the mark of each student as a number, None while a person must still mark."""

    name: str
    points: float = 0.0
    exercises: dict[str, Exercise] = field(default_factory=dict)
    totals: dict[str, float | None] = field(default_factory=dict)
    so_far: dict[str, float] = field(default_factory=dict)
    names: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    levels: Counter = field(default_factory=Counter)

    @property
    def students(self) -> int:
        """How many handed in."""
        return sum(self.levels.values())


def chapter(course: Course, assignment: str) -> Chapter:
    """The class of one chapter, from its results and the gradebook as it is now."""
    found = Chapter(assignment)
    for path in sorted((course.results / assignment).glob("*.json")):
        summary = results.summary(path)
        if summary is not None:
            _add(found, path.stem, summary)
    with opened(course) as book:
        _marks(found, course, book)
    order = _order(course.results / assignment / "release.json")
    found.exercises = dict(sorted(found.exercises.items(), key=lambda item: order.get(item[0], len(order))))
    return found


def _order(release: Path) -> dict[str, int]:
    """The cells' places in the chapter."""
    books = json.loads(release.read_bytes())["notebooks"].values() if release.is_file() else ()
    names = [cell["id"] for book in books for cell in book["cells"]]
    return {name: place for place, name in enumerate(names)}


def _add(found: Chapter, student: str, summary: dict) -> None:
    found.levels[summary["level"]] += 1
    found.notes += [(student, note["kind"], note["text"]) for note in summary["notes"]]
    if summary.get("reason"):
        found.unreadable[student] = summary["reason"]
    for part in summary["notebooks"].values():
        if part["state"] == "unreadable":
            found.unreadable[student] = part["reason"]
        else:
            found.notes += [(student, note["kind"], note["text"]) for note in part["notes"]]
        for cell, mark in part["cells"].items():
            if part["state"] != "unreadable":
                _mark(found, student, cell, mark)


def _mark(found: Chapter, student: str, cell: str, mark: dict) -> None:
    name = mark.get("exercise") or cell
    entry = found.exercises.setdefault(cell, Exercise(cell, name, mark["max"], mark["kind"], mark.get("judge", "")))
    if mark["kind"] != "none":
        entry.kind, entry.judge, entry.name = mark["kind"], mark["judge"], name
    if mark["score"] is None:
        return
    if mark["kind"] not in ("written", "task"):
        entry.shares.append(mark["score"] / mark["max"] if mark["max"] else 1.0)
    for slug in mark.get("mistakes", ()):
        entry.mistakes[slug].add(student)
        entry.told.setdefault(slug, _told(mark, slug))
    for step in mark.get("steps", ()):
        entry.lost[step["name"]].append(1 - step["points"] / step["of"] if step["of"] else 0.0)
    if mark.get("reason"):
        entry.missing[mark["reason"]] += 1


def _told(mark: dict, slug: str) -> str:
    """What the students who made this mistake read."""
    found = [step["message"] for step in mark.get("steps", ()) if step["mistake"] == slug and step["message"]]
    return (found or [mark.get("message", "")])[0]


def _marks(found: Chapter, course: Course, book) -> None:
    """Totals with manual marks in them, written answers that wait, and what the gradebook knows of the students."""
    names = [assignment.name for assignment in book.assignments]
    if found.name not in names:
        return
    from nbgrader import api

    found.points = float(book.find_assignment(found.name).max_score)
    manual = {cell: [] for cell, entry in found.exercises.items() if entry.kind in ("written", "task")}
    for row in book.assignment_submissions(found.name):
        student = row.student
        found.names[student.id] = tuple(
            value or "" for value in (student.first_name, student.last_name, student.email, student.lms_user_id)
        )
        total = float(row.score) - float(row.late_submission_penalty or 0)
        found.so_far[student.id] = total
        found.totals[student.id] = None if row.needs_manual_grade else total
    rows = (
        book.db.query(
            api.BaseCell.name, api.SubmittedAssignment.student_id, api.Grade.score, api.Grade.needs_manual_grade
        )
        .select_from(api.Grade)
        .join(api.BaseCell, api.BaseCell.id == api.Grade.cell_id)
        .join(api.SubmittedNotebook, api.SubmittedNotebook.id == api.Grade.notebook_id)
        .join(api.SubmittedAssignment, api.SubmittedAssignment.id == api.SubmittedNotebook.assignment_id)
        .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
        .filter(api.Assignment.name == found.name)
    )
    for cell, student, score, waits in rows:
        if cell in manual and student not in found.unreadable:
            entry = found.exercises[cell]
            if waits:
                entry.waiting.append(student)
            elif entry.points:
                entry.shares.append(float(score) / entry.points)
