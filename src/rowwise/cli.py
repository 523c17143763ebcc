"""The command `rowwise`, for those who write chapters and grade classes. Students need none of it."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

# What the extra `teach` brings; a missing one is a sentence, any other missing module a bug.
TEACH = ("jupytext", "nbgrader", "nbformat", "nbconvert", "traitlets", "tqdm", "pyseccomp", "yaml")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; 0 where all is well, 1 where something is to be mended (2: called wrongly)."""
    # jsonschema's optional check of addresses, which no notebook needs: loading its grammar takes a second.
    sys.modules.setdefault("rfc3987_syntax", None)
    try:
        arguments = parser().parse_args(argv)
        return arguments.run(arguments) or 0
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in TEACH:
            raise
        return _fail(f"This needs {error.name}, which is not here. What teachers use: pip install 'rowwise[teach]'")
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return _fail("Stopped.")
    except OSError as error:
        if not error.filename:
            raise
        return _fail(f"{error.filename}: {error.strerror}.")


def parser() -> argparse.ArgumentParser:
    """The command line, with the grading commands where the grading package is there."""
    top = argparse.ArgumentParser(prog="rowwise", description="Builds the chapters of Rowwise and grades a class.")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    make = commands.add_parser(
        "build",
        help="make the notebooks from the chapters' texts",
        description="Makes solutions/**.ipynb from the texts beside them and notebooks/** from those.",
    )
    make.add_argument(
        "names", nargs="*", metavar="NAME", help="chapters, as 01-dot-product or 01; all where none is named"
    )
    how = make.add_mutually_exclusive_group()
    how.add_argument(
        "--check",
        action="store_true",
        help="change nothing, name each stale file, exit with 1 if there is one",
    )
    how.add_argument(
        "--adopt", action="store_true", help="take edits of solution notebooks back into their texts first"
    )
    make.set_defaults(run=_build)

    bundle = commands.add_parser(
        "bundle",
        help="gather what a class is handed: no solutions, no keys",
        description="Gathers all that a student needs into a new folder, or a zip where OUT ends in .zip.",
    )
    bundle.add_argument("out", metavar="OUT", help="a folder that is not there yet, or a file ending in .zip")
    bundle.set_defaults(run=_bundle)

    assess = commands.add_parser(
        "assess",
        help="make a fresh assessment from a seed, with its key",
        description="Gives the assessment new numbers, builds it, and prints papers with keys where --print says.",
    )
    assess.add_argument("seed", metavar="SEED", help="a word for a class or a term, as autumn-2026")
    assess.add_argument("--each-student", action="store_true", help="numbers of its own for each student's id")
    assess.add_argument("--print", metavar="FOLDER", dest="folder", help="write papers and keys as pages to print")
    assess.add_argument("--students", metavar="FILE", help="with --each-student: ids to print for, one a line")
    assess.set_defaults(run=_assess)

    try:
        grading = importlib.import_module("rowwise.grading.cli")
    except ModuleNotFoundError as error:  # what a class is handed has no grading in it
        if error.name not in ("rowwise.grading", "rowwise.grading.cli"):
            raise
    else:
        grading.add_parsers(commands)
    return top


def _build(arguments) -> int:
    from rowwise import build, exercises

    try:
        root = build.find_root(Path.cwd())
        names = build.chapter_names(root, arguments.names)
        if arguments.check:
            lines = build.stale(root, names, exercises.ALL)
            remedy = f"Run rowwise build {' '.join(arguments.names)}".rstrip() + "."
            return _fail("\n".join([*lines, remedy])) if lines else _say("Every notebook is what its text makes.")
        if arguments.adopt:
            adopted = build.adopt(root, names, exercises.ALL)
            for path in adopted:
                _say(f"{path.relative_to(root).as_posix()} has the edits of its notebook.")
        lines = build.build(root, names, exercises.ALL)
    except build.BuildError as error:
        return _fail(str(error))
    return _say("\n".join(lines) or "Every notebook is what its text makes.")


def _bundle(arguments) -> int:
    from rowwise import build, exercises
    from rowwise.build.bundle import bundle

    try:
        root = build.find_root(Path.cwd())
        files = bundle(root, Path(arguments.out), exercises.ALL)
    except build.BuildError as error:
        return _fail(str(error))
    return _say(f"{arguments.out} holds {files} files: the notebooks and what runs them, no solutions.")


def _assess(arguments) -> int:
    from rowwise import build, exercises
    from rowwise.build import papers

    try:
        root = build.find_root(Path.cwd())
        if not arguments.seed.strip():
            return _fail("The seed is empty. Give a word, for example autumn-2026.")
        if bool(arguments.students) != (arguments.each_student and bool(arguments.folder)):
            return _fail("--students goes with --each-student and --print: it lists whose papers are printed.")
        ids = papers.students(Path(arguments.students)) if arguments.students else []
        written = papers.write_pages(Path(arguments.folder), arguments.seed, ids) if arguments.folder else []
        papers.choose(root, arguments.seed, arguments.each_student)
        build.build(root, [papers.CHAPTER], exercises.ALL)
    except build.BuildError as error:
        return _fail(str(error))
    pages = f" {len(written)} pages are in {arguments.folder}." if written else ""
    return _say(f"{papers.CHAPTER} has the numbers of “{arguments.seed}”. Release it now.{pages}")


def _say(text: str) -> int:
    print(text)
    return 0


def _fail(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
