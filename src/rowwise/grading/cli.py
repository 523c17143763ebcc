"""The commands of grading: grade, report, doctor, rehearse."""

import argparse
import sys
from pathlib import Path


def add_parsers(commands) -> None:
    """Add grading's commands to the command `rowwise`; each sets ``run``, which gives the exit status."""
    grade = commands.add_parser(
        "grade", help="grade what a class handed in", description="Grades the submissions of a chapter in a sandbox."
    )
    grade.add_argument("name", metavar="NAME", help="the chapter, as 05-masking or 05")
    grade.add_argument("--student", action="append", metavar="ID", help="only this student; may be given again")
    grade.add_argument(
        "--workers", type=_count, metavar="N", help="submissions graded at a time; one a core by default"
    )
    grade.add_argument("--force", action="store_true", help="grade again what has not changed, too")
    grade.add_argument("--dry-run", action="store_true", help="say what would be graded and why, and grade nothing")
    grade.add_argument(
        "--explain", action="store_true", help="with --student: show case by case what came and its mark"
    )
    grade.set_defaults(run=_grade)

    report = commands.add_parser(
        "report", help="what a class got right and where it slipped",
        description="Writes HTML pages and CSV files about a chapter, or about the whole course where none is named.",
    )  # fmt: skip
    report.add_argument("name", nargs="?", metavar="NAME", help="the chapter; the course where none is named")
    report.add_argument("--out", type=Path, metavar="FOLDER", help="where to write; autograder/reports by default")
    report.set_defaults(run=_report)

    doctor = commands.add_parser("doctor", help="which isolation this machine gives, and what is missing")
    doctor.set_defaults(run=_doctor)

    rehearse = commands.add_parser(
        "rehearse", help="grade a made-up class before a real one",
        description="Makes up a class (right, untouched, each known mistake, each kind of broken file) and grades it.",
    )  # fmt: skip
    rehearse.add_argument("name", metavar="NAME", help="the chapter, as 05-masking or 05")
    rehearse.add_argument(
        "--students", type=_count, default=1, metavar="N", help="fill the class up with honest work to this many"
    )
    rehearse.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the made-up course in this new folder")
    rehearse.set_defaults(run=_rehearse)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _in_words(work) -> int:
    """Call ``work``; the troubles that have words of their own are printed, and the status is 1."""
    from rowwise.grading.book import GradebookTrouble
    from rowwise.grading.isolation import NoIsolation
    from rowwise.grading.run import Refused
    from rowwise.grading.settings import NoCourse

    try:
        return work() or 0
    except (GradebookTrouble, NoIsolation, NoCourse, Refused, RuntimeError) as trouble:
        print(trouble, file=sys.stderr)
        return 1


def _grade(arguments) -> int:
    if sys.platform == "win32":
        from rowwise.grading.isolation import ELSEWHERE

        print(ELSEWHERE, file=sys.stderr)
        return 1
    return _in_words(lambda: _grade_class(arguments))


def _grade_class(arguments) -> int:
    from rowwise.grading import run, settings
    from rowwise.grading.book import back_up

    course = settings.course()
    level = course.settings.level()
    assignment = run.chosen(course, arguments.name)
    if arguments.explain:
        if not arguments.student:
            raise run.Refused("--explain goes with --student: it shows one submission at a time.")
        from rowwise.grading.explain import explain

        return explain(course, assignment, arguments.student, level)
    with run.alone(course):
        back_up(course)
        todo = run.plan(course, assignment, arguments.student, arguments.force)
        if arguments.dry_run:
            return _say_plan(todo)
        outcome = _with_bar(course, todo, run.workers_for(course, arguments.workers), level)
    _say_outcome(assignment, outcome, level)
    return outcome.status


def _say_plan(todo) -> int:
    for student, (_, why) in todo.jobs.items():
        print(f"{student}: {why}")
    print(f"{len(todo.jobs)} to grade, {len(todo.unchanged)} unchanged. Nothing was graded.")
    return 0


def _with_bar(course, todo, workers: int, level: str):
    from tqdm import tqdm

    from rowwise.grading import run

    with tqdm(total=len(todo.jobs), unit="submission", disable=None if todo.jobs else True) as bar:

        def progress(student: str, line: str) -> None:
            if line:
                tqdm.write(line)
            bar.update()

        return run.carry_out(course, todo, workers, level, progress)


def _say_outcome(assignment: str, outcome, level: str) -> None:
    from rowwise.grading.isolation import NAMES

    for student, cell, old, new in outcome.changes:
        print(f"{student}: {cell} {_points(old)} → {_points(new)}")
    print(
        f"{assignment}: {outcome.graded} graded, {outcome.unchanged} unchanged and skipped, {outcome.person} with something "
        f"for a person to mark, {len(outcome.reasons)} not readable, {len(outcome.problems)} without a result."
    )
    for student, why in outcome.problems:
        print(f"  no result for {student}: {why}")
    if outcome.graded:
        print(f"Isolation: {NAMES[level]}.")


def _points(score) -> str:
    return "no mark" if score is None else f"{score:g}"


def _report(arguments) -> int:
    from rowwise.grading.report import write_reports

    return _in_words(lambda: write_reports(arguments.name, arguments.out))


def _doctor(arguments) -> int:
    from rowwise.grading.doctor import examine

    return _in_words(examine)


def _rehearse(arguments) -> int:
    from rowwise.grading.rehearse import rehearse

    return _in_words(lambda: rehearse(arguments.name, arguments.keep, arguments.students))
