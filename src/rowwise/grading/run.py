"""Grading a class: what has to be graded, the workers that do it, the writer behind them, and what came of it."""

import contextlib
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rowwise.grading import gradebook, results, unit
from rowwise.grading.book import opened
from rowwise.grading.release import read_release
from rowwise.grading.settings import Course
from rowwise.grading.workers import Job, Pool


class Refused(Exception):
    """Nothing was graded; the text says why."""


@dataclass
class Outcome:
    """What a run came to. ``problems`` are submissions without a result, as (student, why)."""

    graded: int = 0
    unchanged: int = 0
    person: int = 0
    reasons: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    changes: list[tuple[str, str, object, object]] = field(default_factory=list)
    notes: Counter = field(default_factory=Counter)

    @property
    def status(self) -> int:
        """0 when every submission has a mark or a stated reason, else 1."""
        return 1 if self.problems else 0


@dataclass(frozen=True)
class Plan:
    """What there is to do: ``jobs`` with why each is graded, and the students whose result still holds."""

    assignment: str
    jobs: dict[str, tuple[Job, str]]
    unchanged: dict[str, Path]


def chosen(course: Course, name: str) -> str:
    """The assignment that ``name`` means: its name, or the first letters of it (05 for 05-masking). Raises Refused."""
    tops = [course.folder("source", ".", "."), course.folder("release", ".", ".")]
    there = {path.name for top in tops if top.is_dir() for path in top.iterdir() if path.is_dir()}
    there |= set(course.assignments())
    if name in there:
        return name
    near = sorted(found for found in there if found.startswith(f"{name}-"))
    if len(near) == 1:
        return near[0]
    raise Refused(f"There is no chapter {name}. There are: {', '.join(sorted(n for n in there if n[:1].isalnum()))}.")


@contextlib.contextmanager
def alone(course: Course):
    """While this is open no other run grades this course. Raises Refused where one does."""
    import fcntl  # there is none on Windows, where nothing is graded

    course.results.mkdir(parents=True, exist_ok=True)
    with open(course.results / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused("Another `rowwise grade` is at work in this course. Wait for it, or stop it.") from None
        yield


def plan(course: Course, assignment: str, students: list[str] | None = None, force: bool = False) -> Plan:
    """Which submissions must be graded, and why. Raises Refused where there is none, GradebookTrouble."""
    handed_in = course.submissions(assignment)
    if missing := sorted(set(students or ()) - set(handed_in)):
        raise Refused(f"Nothing was handed in for {assignment} by {', '.join(missing)}.")
    if not handed_in:
        raise Refused(f"Nothing was handed in for {assignment}: {course.folder('submitted', '<student>', assignment)}.")
    body = read_release(course, assignment)
    folder = course.results / assignment
    release = folder / "release.json"
    results.write(release, body)
    jobs, unchanged = {}, {}
    for student in sorted(students or handed_in):
        result = folder / f"{student}.json"
        why = _why(results.summary(result), unit.digest(unit.files_in(handed_in[student]), body), force)
        if why:
            jobs[student] = Job(student, handed_in[student], release, result), why
        else:
            unchanged[student] = result
    return Plan(assignment, jobs, unchanged)


def _why(old: dict | None, key: dict, force: bool) -> str:
    """Why a submission is graded, "" where its result still holds."""
    if force:
        return "asked for"
    if old is None:
        return "new"
    for part, words in (("submission", "handed in again"), ("release", "the chapter changed")):
        if old["key"].get(part) != key[part]:
            return words
    mended = [name for name, version in key["judge"].items() if old["key"]["judge"].get(name) != version]
    if mended:
        return f"the judge of {', '.join(mended)} changed"
    if old["key"].get("grader") != key["grader"]:
        return "the grader changed"
    return "the last try did not succeed" if old.get("reason") else ""


def carry_out(course: Course, todo: Plan, workers: int, level: str, progress) -> Outcome:
    """Grade what is to be graded and write everything into the gradebook. ``progress`` is called with (student, line)."""
    outcome = Outcome(unchanged=len(todo.unchanged))
    writer = gradebook.Writer(course, todo.assignment)
    before = {student: results.summary(job.result) for student, (job, _) in todo.jobs.items() if job.result.exists()}
    before = {student: gradebook.scores(old) for student, old in before.items() if old}
    jobs = [job for job, _ in todo.jobs.values()]
    with Pool(workers, level, course.settings.limits()) as pool:
        for done in pool.run(jobs):
            line = _take(course, todo, done, before.get(done.job.student), outcome, writer, level)
            progress(done.job.student, line)
    writer.flush()
    _catch_up(course, todo, outcome, writer)
    return outcome


def _take(course, todo, done, before, outcome, writer, level) -> str:
    """Count one ended job and hand it to the writer; gives the line to show, "" where there is nothing to say."""
    student = done.job.student
    if done.problem.startswith("machine: "):
        outcome.problems.append((student, done.problem.removeprefix("machine: ")))
        return f"{student}: {outcome.problems[-1][1]}"
    if done.problem:
        body = results.failed(todo.assignment, _key_of(done.job), done.problem, level)
        try:
            results.write(done.job.result, body)
        except OSError as wrong:
            outcome.problems.append((student, f"{done.problem}; {wrong.strerror}"))
            return f"{student}: {done.problem}"
    summary = results.summary(done.job.result)
    if summary is None:
        outcome.problems.append((student, "its result could not be read back"))
        return f"{student}: its result could not be read back"
    writer.add(student, done.job.result)
    outcome.graded += 1
    lines = _count(student, summary, outcome)
    if before is not None:
        for cell, score in gradebook.scores(summary).items():
            if before.get(cell) != score:
                outcome.changes.append((student, cell[1], before.get(cell), score))
    return "\n".join(f"{student}: {line}" for line in lines)


def _key_of(job: Job) -> dict:
    with contextlib.suppress(OSError, MemoryError):
        return unit.digest(unit.files_in(job.folder), job.release.read_bytes())
    return {"submission": "", "release": "", "judge": {}, "grader": ""}


def _count(student: str, summary: dict, outcome: Outcome) -> list[str]:
    """Add a result to the outcome's counts; gives what a person should read about it."""
    notes = [*summary["notes"], *(note for part in summary["notebooks"].values() for note in part["notes"])]
    outcome.notes.update(note["kind"] for note in notes)
    reasons = [part["reason"] for part in summary["notebooks"].values() if part["state"] == "unreadable"]
    reasons += [summary["reason"]] if summary.get("reason") else []
    outcome.reasons += [(student, reason) for reason in reasons]
    marks = [mark for part in summary["notebooks"].values() for mark in part["cells"].values()]
    outcome.person += any(mark["score"] is None for mark in marks) or bool(reasons)
    return [note["text"] for note in notes] + ([summary["reason"]] if summary.get("reason") else [])


def _catch_up(course: Course, todo: Plan, outcome: Outcome, writer) -> None:
    """Write results that the gradebook does not hold yet: a run before this one was stopped, or the book is an older one."""
    missing = []
    with opened(course) as book:
        for student, result in todo.unchanged.items():
            summary = results.summary(result)
            if not gradebook.stands(book, course, todo.assignment, student, summary, result):
                missing.append(student)
            _count(student, summary, outcome)
    for student in missing:  # only now that nothing reads: SQLite lets nobody write meanwhile
        writer.add(student, todo.unchanged[student])
    writer.flush()


def workers_for(course: Course, asked: int | None) -> int:
    """How many workers: as asked, as set, or one a core that this process may use."""
    return asked or course.settings.workers or len(os.sched_getaffinity(0))
