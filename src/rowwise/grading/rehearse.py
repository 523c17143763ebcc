"""A rehearsal: a made-up class is graded like a real one, in a folder of its own, and every mark is compared."""

import shutil
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path

from rowwise.grading import gradebook, madeup, results, run, settings
from rowwise.grading.book import opened
from rowwise.grading.isolation import NAMES


def rehearse(name: str, keep: Path | None, students: int = 1) -> int:
    """Make up a class for one chapter, grade it, and say where a mark is not the one deserved; 0 where all are.

    The class has at least ``students``: honest work is handed in again under more names.
    """
    real = settings.course()
    level = real.settings.level()
    assignment = run.chosen(real, name)
    if keep is not None and keep.exists():
        raise run.Refused(f"{keep} is there already; --keep takes the name of a new folder.")
    with tempfile.TemporaryDirectory(prefix="rowwise-rehearsal-") as folder:
        top = keep or Path(folder)
        course = copied(real, assignment, top)
        class_ = hand_in(course, assignment, filled(made_up(course, assignment), students))
        outcome = grade(course, assignment, level)
        wrong = compared(course, assignment, class_)
        named = _named(course, assignment, class_)
        from rowwise.grading.report import write_report

        page = write_report(course, assignment, top / "report")
        if keep:
            print(f"The report: {page}")
    _say(assignment, class_, outcome, wrong, named, level)
    return 1 if wrong or outcome.problems else 0


def copied(real: settings.Course, assignment: str, top: Path) -> settings.Course:
    """A course in ``top`` with this one chapter, the real course's settings, and a gradebook of its own."""
    config = real.config.copy()
    config.CourseDirectory.root = str(top)
    (top / "autograder").mkdir(parents=True, exist_ok=True)
    config.CourseDirectory.db_url = f"sqlite:///{top / 'autograder' / 'gradebook.db'}"
    course = settings.of(config)
    for step in ("source", "release"):
        folder = real.folder(step, ".", assignment)
        if not folder.is_dir():
            raise run.Refused(f"{folder} is not there. Make the notebooks first: rowwise build.")
        shutil.copytree(
            folder, course.folder(step, ".", assignment), ignore=shutil.ignore_patterns(".ipynb_checkpoints")
        )
    return course


def made_up(course: settings.Course, assignment: str) -> list[madeup.Made]:
    """The class of a chapter that has one notebook."""
    source = sorted(course.folder("source", ".", assignment).glob("*.ipynb"))
    if len(source) != 1:
        raise run.Refused(f"A rehearsal takes a chapter with one notebook; {assignment} has {len(source)}.")
    release = course.folder("release", ".", assignment) / source[0].name
    return list(madeup.made_up(source[0].stem, source[0].read_bytes(), release.read_bytes()))


def filled(class_: list[madeup.Made], students: int) -> list[madeup.Made]:
    """The class with its honest members handed in again until it has so many."""
    honest = [made for made in class_ if made.student.startswith(("right", "untouched", "mistake-"))]
    more = (replace(honest[n % len(honest)], student=f"{honest[n % len(honest)].student}-again-{n}") for n in count())
    return class_ + [next(more) for _ in range(max(0, students - len(class_)))]


def hand_in(course: settings.Course, assignment: str, class_: list[madeup.Made]) -> list[madeup.Made]:
    """Write a class into the submitted folder."""
    for made in class_:
        for name, body in made.files.items():
            results.write(course.folder("submitted", made.student, assignment) / name, body)
    return class_


def grade(course: settings.Course, assignment: str, level: str) -> run.Outcome:
    """Grade everything that was handed in, with a bar."""
    from tqdm import tqdm

    todo = run.plan(course, assignment)
    with tqdm(total=len(todo.jobs), unit="submission") as bar:
        return run.carry_out(course, todo, run.workers_for(course, None), level, lambda student, line: bar.update())


def compared(course: settings.Course, assignment: str, class_: list[madeup.Made]) -> list[str]:
    """Where a made-up submission did not get what it deserves, in words."""
    wrong = []
    with opened(course) as book:
        everything = _marks(book, assignment, "right")
        best = {cell: points for (_, cell), points in everything.items()}
        short = [cell for cell, (score, most) in best.items() if score is not None and score != most]
        wrong += [f"right: {cell} has not all its points" for cell in short]
        for made in class_:
            marks = {cell: score for (_, cell), (score, _) in _marks(book, assignment, made.student).items()}
            full = {cell: score for cell, (score, _) in best.items()}
            if not marks:
                wrong.append(f"{made.student}: not in the gradebook")
            elif made.mark == "full" and marks != full:
                wrong.append(f"{made.student}: {_difference(marks, full)}")
            elif made.mark == "none" and any(marks.values()):
                wrong.append(f"{made.student}: has points for nothing")
            elif made.mark == "no mark" and any(score is not None for score in marks.values()):
                wrong.append(f"{made.student}: has a mark though it cannot be read")
            elif made.mark == "less" and {**marks, made.cell: 0} != {**full, made.cell: 0}:
                wrong.append(f"{made.student}: {_difference({**marks, made.cell: 0}, {**full, made.cell: 0})}")
            elif made.mark == "less" and marks[made.cell] == full[made.cell]:
                wrong.append(f"{made.student}: {made.cell} has all its points")
    return wrong


def _marks(book, assignment: str, student: str) -> dict[tuple[str, str], tuple[float | None, float]]:
    """(mark, points) of every graded cell of a student."""
    known = {cell.name: cell.max_score for part in book.find_assignment(assignment).notebooks
             for cell in [*part.grade_cells, *part.task_cells]}  # fmt: skip
    return {key: (score, known[key[1]]) for key, score in gradebook.recorded(book, assignment, student).items()}


def _difference(marks: dict, full: dict) -> str:
    return ", ".join(
        f"{cell} has {marks[cell]} and deserves {full[cell]}" for cell in full if marks.get(cell) != full[cell]
    )


def _named(course, assignment: str, class_: list[madeup.Made]) -> list[tuple[str, str, str]]:
    """Of each made mistake: (student, what it is, what the judge called it)."""
    found = []
    for made in class_:
        if made.slug:
            summary = results.summary(course.results / assignment / f"{made.student}.json") or {"notebooks": {}}
            marks = {cell: mark for part in summary["notebooks"].values() for cell, mark in part["cells"].items()}
            found.append((made.student, made.slug, ", ".join(marks.get(made.cell, {}).get("mistakes", ()))))
    return found


def _say(assignment: str, class_, outcome, wrong: list[str], named, level: str) -> None:
    for line in wrong:
        print(line)
    others = [(student, slug, said) for student, slug, said in named if slug not in said.split(", ")]
    for student, slug, said in others:
        print(f"{student}: a mistake of the kind {slug} was called {said or 'nothing'}")
    print(
        f"{assignment}: {len(class_)} made-up submissions, {len(class_) - len(wrong)} with the marks that they deserve; "
        f"{len(named) - len(others)} of {len(named)} mistakes under the name they were made for. {NAMES[level].capitalize()}."
    )
