"""The students' notebooks, made by nbgrader itself with the settings that instructors use."""

import logging
import tempfile
from pathlib import Path

from traitlets.config.loader import PyFileConfigLoader

from rowwise.build.problems import BuildError, Problem

CONFIG = Path("autograder", "nbgrader_config.py")


def release(root: Path, sources: dict[str, dict[str, bytes]]) -> dict[str, dict[str, bytes]]:
    """What nbgrader's generate_assignment hands to students for these chapters.

    ``sources`` maps a chapter's name to the files of its folder, by relative path; so does the result.
    nbgrader runs in a temporary course without a gradebook, in this process: its command alone takes seconds.
    """
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory

    config = PyFileConfigLoader(CONFIG.name, path=str(root / CONFIG.parent)).load_config()
    config.SaveCells.enabled = False
    log, said = _collector()
    released = {}
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder).resolve()
        config.CourseDirectory.root = str(course)
        config.CourseDirectory.db_url = "sqlite://"
        for name, files in sources.items():
            put(course / config.CourseDirectory.source_directory / name, files)
            coursedir = CourseDirectory(config=config, assignment_id=name, log=log)
            converter = GenerateAssignment(coursedir=coursedir, config=config, no_database=True, log=log)
            try:
                converter.start()
            except (NbGraderException, SystemExit):
                why = said[-1] if said else "it does not say why"
                what = f"nbgrader cannot make the students' notebook from it ({why})."
                file = f"solutions/{name}/{name}.md"
                raise BuildError(
                    [Problem(file, "", what, "Look for a cell that differs from those of other chapters.")]
                ) from None
            released[name] = take(course / config.CourseDirectory.release_directory / name)
    return released


def put(folder: Path, files: dict[str, bytes]) -> None:
    """Writes these files below ``folder``."""
    for relative, data in files.items():
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def take(folder: Path) -> dict[str, bytes]:
    """The files below ``folder`` by relative path, without what editors and Python leave behind."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts)
    }


def _collector() -> tuple[logging.Logger, list[str]]:
    """A logger that is silent, and the first lines of the errors that it was given."""
    said: list[str] = []
    log = logging.getLogger("rowwise.build.nbgrader")
    log.handlers.clear()
    log.propagate = False
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: said.append(record.getMessage().strip().splitlines()[-1])
    log.addHandler(handler)
    return log, said
