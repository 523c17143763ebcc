"""What an instructor hands to a class: everything a student needs, no solutions, no keys."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from rowwise.build.course import chapter_names, stale
from rowwise.build.problems import BuildError, Problem
from rowwise.build.release import put, take

# Tests are not handed out: they hold a right answer and every mistake of each exercise.
FOLDERS = ("notebooks", "assets", "src/rowwise")
FILES = (
    "start.py",
    "pyproject.toml",
    "requirements.lock",
    "requirements.txt",
    "environment.yml",
    "README.md",
    "LICENSE",
    "LICENSE-text",
)
INSTRUCTORS_ONLY = ("src/rowwise/grading/", "src/rowwise/study/solutions/")


def bundle(root: Path, out: Path, registry: Mapping) -> int:
    """Gathers the bundle at ``out``, a new folder or a file ending in .zip; returns the number of files.

    Raises BuildError where ``out`` is taken, a notebook is stale, or a file that students need is missing.
    """
    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise BuildError([Problem(str(out), "", "it is there already.", "Name another place, or delete it.")])
    old = stale(root, chapter_names(root), registry)
    if old:
        raise BuildError([Problem("the bundle", "", line, "Run rowwise build.") for line in old])
    files = gather(root)
    missing = [name for name in FILES if name not in files]
    if missing:
        remedy = "Students need it: bring it back, from git for example."
        raise BuildError([Problem(name, "", "it is not there.", remedy) for name in missing])
    if out.suffix == ".zip":
        _zip(out, files)
    else:
        put(out, files)
    return len(files)


def gather(root: Path) -> dict[str, bytes]:
    """The files of the bundle by relative path."""
    files = {name: (root / name).read_bytes() for name in FILES if (root / name).is_file()}
    for folder in FOLDERS:
        files |= {f"{folder}/{file}": data for file, data in take(root / folder).items()}
    return {name: data for name, data in sorted(files.items()) if not name.startswith(INSTRUCTORS_ONLY)}


def _zip(out: Path, files: dict[str, bytes]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            # One date for all, so that the same files give the same zip.
            entry = zipfile.ZipInfo(f"{out.stem}/{name}", date_time=(2020, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
