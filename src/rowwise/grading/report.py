"""The report of a class: pages to read, a page to show the class, and CSV files for other programs."""

import csv
from pathlib import Path

from rowwise.grading import pages, results, run, settings
from rowwise.grading.classdata import Chapter, chapter


def write_reports(name: str | None, out: Path | None) -> int:
    """Write the report of one chapter, or of every chapter and the course, and say where it is."""
    course = settings.course()
    names = [run.chosen(course, name)] if name else _graded(course)
    if not names or not (course.results / names[0]).is_dir():
        raise run.Refused(f"Nothing has been graded yet{f' in {names[0]}' if names else ''}: rowwise grade NAME.")
    top = out or course.results.parent / "reports"
    chapters = []
    for assignment in names:
        found = chapter(course, assignment)
        _write(top / assignment, found)
        chapters.append(found)
        print(top / assignment / "report.html")
    if not name:
        results.write(top / "course.html", pages.course_page(chapters).encode())
        _table(top / "course.csv", *_course_rows(chapters))
        print(top / "course.html")
    return 0


def write_report(course: settings.Course, assignment: str, folder: Path) -> Path:
    """The report of one chapter in ``folder``; gives the page to open."""
    _write(folder, chapter(course, assignment))
    return folder / "report.html"


def _graded(course) -> list[str]:
    top = course.results
    return sorted(path.name for path in top.iterdir() if path.is_dir()) if top.is_dir() else []


def _write(folder: Path, found: Chapter) -> None:
    """Everything about one chapter into its folder."""
    results.write(folder / "report.html", pages.chapter_page(found, names=True).encode())
    results.write(folder / "projector.html", pages.chapter_page(found, names=False).encode())
    cells = list(found.exercises.values())
    head = ["exercise", "points", "students", "mean share", "all points", "waiting for a person", "judged"]
    _table(folder / "exercises.csv", head, [
        [e.name, e.points, len(e.shares), round(e.mean, 4), e.right, len(e.waiting), e.judge] for e in cells
    ])  # fmt: skip
    rows = [[e.name, slug, len(who)] for e in cells for slug, who in e.mistakes.items()]
    _table(folder / "mistakes.csv", ["exercise", "mistake", "students"], sorted(rows, key=lambda row: -row[2]))
    steps = [[e.name, step, len(lost), round(sum(lost) / len(lost), 4)] for e in cells for step, lost in e.lost.items()]
    _table(folder / "steps.csv", ["exercise", "step", "students", "share of its points lost"], steps)
    problems = [[who, "no mark", why] for who, why in sorted(found.unreadable.items())]
    _table(
        folder / "problems.csv", ["student", "kind", "text"], problems + [list(note) for note in sorted(found.notes)]
    )
    _canvas(folder / "canvas.csv", found)
    _moodle(folder / "moodle.csv", found)


def _canvas(path: Path, found: Chapter) -> None:
    """Canvas's grade import: its own five columns, the chapter's, and the row of possible points."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", found.name]
    rows = [["    Points Possible", "", "", "", "", f"{found.points:g}"]]
    for student, total in sorted(found.totals.items()):
        first, last, _, number = found.names[student]
        name = ", ".join(part for part in (last, first) if part) or student
        rows.append([name, number, "", student, "", _points(total)])
    _table(path, head, rows)


def _moodle(path: Path, found: Chapter) -> None:
    """Moodle's grade import: map Username (or e-mail) and the chapter's column."""
    rows = [[student, *found.names[student][:3], _points(total)] for student, total in sorted(found.totals.items())]
    _table(path, ["Username", "First name", "Last name", "Email address", found.name], rows)


def _points(total: float | None) -> str:
    """A mark for another program; empty while a person must still mark, so that nothing half done is imported."""
    return "" if total is None else f"{total:g}"


def _course_rows(chapters: list[Chapter]) -> tuple[list[str], list[list]]:
    students = sorted({student for found in chapters for student in found.totals})
    rows = [[student, *(_points(found.totals.get(student)) for found in chapters)] for student in students]
    return ["student", *(found.name for found in chapters)], rows


def _table(path: Path, head: list[str], rows: list[list]) -> None:
    """A CSV file. Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows([[_tame(value) for value in row] for row in rows])


def _tame(value):
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value[:1] else value
