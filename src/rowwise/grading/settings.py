"""Where a course keeps its things and how its classes are graded: nbgrader_config.py, read as nbgrader reads it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from traitlets import Bool, Enum, Float, Integer
from traitlets.config import Config, LoggingConfigurable, PyFileConfigLoader

from rowwise.grading.limits import Limits

# Building its grammar of web addresses is most of what importing nbgrader takes. jsonschema does without it where it is
# missing; no format of notebooks asks for one.
sys.modules.setdefault("rfc3987_syntax", None)


class NoCourse(Exception):
    """There is no nbgrader_config.py to be found; the text says where it was looked for."""


class Grading(LoggingConfigurable):
    """Settings of the sandbox: `c.Grading.… = …` in nbgrader_config.py."""

    allow_without_sandbox = Bool(False, help="Run students' code unprotected where no sandbox can be had.").tag(
        config=True
    )
    isolation = Enum(
        ["", "namespaces", "landlock", "none"], "", help="Use this level of isolation; empty for the best there is."
    ).tag(config=True)
    workers = Integer(0, help="Submissions graded at a time; 0 for one a processor core.").tag(config=True)
    cell_seconds = Float(Limits.cell_seconds, help="Time for one cell.").tag(config=True)
    total_seconds = Float(Limits.total_seconds, help="Time for one notebook.").tag(config=True)
    cpu_seconds = Integer(Limits.cpu_seconds, help="Computing time of one process.").tag(config=True)
    memory_mb = Integer(Limits.memory_mb, help="Memory of a submission's processes together.").tag(config=True)
    processes = Integer(Limits.processes, help="Processes and threads of a submission.").tag(config=True)
    file_mb = Integer(Limits.file_mb, help="Size of one file that a submission writes.").tag(config=True)
    disk_mb = Integer(Limits.disk_mb, help="Size of all files that a submission writes.").tag(config=True)

    def limits(self) -> Limits:
        """The limits as the sandbox takes them."""
        return Limits(**{name: getattr(self, name) for name in Limits.__dataclass_fields__})

    def level(self) -> str:
        """The level of isolation to use. Raises NoIsolation."""
        from rowwise.grading import isolation

        if self.isolation == "none" and not self.allow_without_sandbox:
            raise isolation.NoIsolation(
                "Isolation is set to none, and c.Grading.allow_without_sandbox is not set: nothing is graded."
            )
        return self.isolation or isolation.best(self.allow_without_sandbox)


@dataclass(frozen=True)
class Course:
    """A course on this machine. ``directory`` is nbgrader's CourseDirectory."""

    config: Config
    settings: Grading
    directory: object

    @property
    def results(self) -> Path:
        """Where results are kept: beside the gradebook's other folders."""
        return Path(self.directory.format_path(self.directory.autograded_directory, ".", ".")).parent / "results"

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """One of nbgrader's folders: ``step`` is "source", "release", "submitted", "autograded" or "feedback"."""
        return Path(os.path.normpath(
            self.directory.format_path(getattr(self.directory, f"{step}_directory"), student, assignment)
        ))  # fmt: skip

    def gradebook(self):
        """The open gradebook, nbgrader's own object; a context manager."""
        from nbgrader.api import Gradebook

        return Gradebook(self.directory.db_url, self.directory.course_id)

    def submissions(self, assignment: str) -> dict[str, Path]:
        """The folders handed in for an assignment, by student."""
        marker = "\0student\0"
        before, after = str(self.folder("submitted", marker, assignment)).split(marker)
        top = Path(before)
        names = sorted(os.listdir(top)) if top.is_dir() else []
        return {name: Path(before + name + after) for name in names if Path(before + name + after).is_dir()}

    def assignments(self) -> list[str]:
        """Every assignment that anybody handed in or that was graded, by name."""
        found = set()
        for step in ("submitted", "autograded"):
            top = self.folder(step, ".", ".")
            found |= {path.name for path in top.glob("*/*") if path.is_dir() and not path.name.startswith(".")}
        return sorted(found)


def course(start: Path | None = None) -> Course:
    """The course that ``start`` (the working folder) lies in. Raises NoCourse."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        for path in (folder / "nbgrader_config.py", folder / "autograder" / "nbgrader_config.py"):
            if path.is_file():
                return load(path)
    raise NoCourse(f"There is no autograder/nbgrader_config.py in {start} or above it. Run this inside the course.")


def load(path: Path) -> Course:
    """The course whose nbgrader_config.py this is."""
    config = PyFileConfigLoader(path.name, str(path.parent)).load_config()
    if "root" not in config.CourseDirectory:
        config.CourseDirectory.root = str(path.parent)
    return of(config)


def of(config: Config, directory=None) -> Course:
    """The course with this configuration, as nbgrader's own programs have already loaded it."""
    if directory is None:
        from nbgrader.coursedir import CourseDirectory

        directory = CourseDirectory(config=config)
    return Course(config, Grading(config=config), directory)
