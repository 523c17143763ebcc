"""From the texts of a course to its notebooks: what is there, what should be, and the way between the two."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rowwise.build import links, notebook, rules, text
from rowwise.build.problems import BuildError, Problem
from rowwise.build.release import CONFIG, put, release, take


@dataclass
class Plan:
    """What a build would change: ``write`` maps paths to contents, ``extra`` are files that nothing makes."""

    write: dict[Path, bytes] = field(default_factory=dict)
    extra: list[Path] = field(default_factory=list)
    edited: list[Problem] = field(default_factory=list)


def find_root(start: Path) -> Path:
    """The nearest folder above ``start`` that has `solutions` and `autograder/nbgrader_config.py`."""
    for folder in [start.resolve(), *start.resolve().parents]:
        if (folder / "solutions").is_dir() and (folder / CONFIG).is_file():
            return folder
    what = "there is no course here (a folder with `solutions` and `autograder/nbgrader_config.py`)."
    raise BuildError([Problem(str(start), "", what, "Run this inside your clone of Rowwise.")])


def chapter_names(root: Path, wanted: Iterable[str] = ()) -> list[str]:
    """The chapters of the course in order, or those ``wanted``: `01-dot-product`, or `01` for short."""
    names = sorted({file.split("/")[0] for file in links.texts(root)} - {links.PAGES})
    if not names:
        raise BuildError(
            [Problem("solutions", "", "no chapter is there.", "A chapter is solutions/NN-name/NN-name.md.")]
        )
    chosen = []
    for name in wanted:
        short = Path(name).name.removesuffix(".md").removesuffix(".ipynb")
        found = [each for each in names if short in (each, each.split("-")[0])]
        if not found:
            raise BuildError(
                [Problem("solutions", "", f"no chapter is called `{name}`.", f"There are {', '.join(names)}.")]
            )
        chosen += found
    return sorted(set(chosen)) or names


def make(root: Path, name: str, registry: Mapping) -> tuple[text.Chapter, bytes]:
    """The chapter ``name`` from its text, and its solution notebook. BuildError has every problem found."""
    folder, file = root / "solutions" / name, f"solutions/{name}/{name}.md"
    if not (folder / f"{name}.md").is_file():
        what = "it is not there, though the notebook beside it is."
        raise BuildError([Problem(file, "", what, f"Make the text from the notebook: rowwise build --adopt {name}")])
    chapter = text.read(folder / f"{name}.md", file, registry)
    known = links.texts(root)
    found = rules.problems(chapter, registry) + links.problems(chapter, folder, known)
    if found:
        raise BuildError(found)
    links.to_notebooks(chapter.cells, name, known)
    return chapter, notebook.to_bytes(chapter.cells)


def make_page(root: Path, path: Path) -> bytes:
    """The notebook of a page, which has nothing to mark and so goes to students as it is."""
    file, known = path.relative_to(root).as_posix(), links.texts(root)
    page = text.read(path, file, {})
    found = links.problems(page, path.parent, known)
    for number, cell in enumerate(page.cells, 1):
        if "nbgrader" in cell.metadata or rules.BEGIN in cell.source:
            what = "a page is handed out as it is, and nothing in it is marked."
            found.append(Problem(file, text.describe(number, cell), what, "Move the cell into a chapter."))
    if found:
        raise BuildError(found)
    links.to_notebooks(page.cells, links.PAGES, known)
    return notebook.to_bytes(page.cells)


def plan(root: Path, names: list[str], registry: Mapping) -> Plan:
    """What separates the files of these chapters from what their texts make. Changes nothing."""
    result, sources, found = Plan(), {}, []
    for name in names:
        try:
            _, made = make(root, name, registry)
        except BuildError as error:
            found += error.problems
            continue
        path = root / "solutions" / name / f"{name}.ipynb"
        is_edited = edited(path, made)
        if is_edited:
            result.edited.append(is_edited)
        if not path.is_file() or path.read_bytes() != made:
            result.write[path] = made
        carried = take(path.parent)
        strays = [file for file in carried if file.endswith(".ipynb") and file != path.name]
        result.extra += [path.parent / file for file in strays]  # nbgrader would hand these out as well
        sources[name] = {file: data for file, data in carried.items() if file not in strays} | {path.name: made}
    pages = {}
    for path in sorted((root / "solutions" / links.PAGES).glob("*.md")):
        try:
            pages[f"{path.stem}.ipynb"] = make_page(root, path)
        except BuildError as error:
            found += error.problems
    if found:
        raise BuildError(found)
    for name, files in {**release(root, sources), links.PAGES: pages}.items():
        folder = root / "notebooks" / name
        there = take(folder)
        result.write |= {folder / file: data for file, data in files.items() if there.get(file) != data}
        result.extra += [folder / file for file in there if file not in files]
    made_from = {*chapter_names(root), links.PAGES}
    others = [file for file in take(root / "notebooks") if file.split("/")[0] not in made_from]
    result.extra += [root / "notebooks" / file for file in others]
    return result


def edited(path: Path, made: bytes) -> Problem | None:
    """The problem with overwriting the solution notebook at ``path`` by ``made``, if there is one.

    A notebook holds the fingerprint of the cells it was made of; it is edited where they no longer have it.
    Dates and history play no part, so that a clone, a checkout or a merge is never taken for an edit.
    """
    if not path.is_file():
        return None
    file, name = f"solutions/{path.stem}/{path.name}", path.stem
    try:
        cells, stamp = notebook.from_bytes(path.read_bytes())
    except ValueError:
        what = "it cannot be read as a notebook (perhaps a merge left its marks in it)."
        return Problem(file, "", what, f"The text is what counts: delete the notebook, then run rowwise build {name}")
    if notebook.fingerprint(cells) in (stamp, notebook.fingerprint(notebook.from_bytes(made)[0])):
        return None
    what = "it was edited since it was made from its text."
    return Problem(
        file,
        "",
        what,
        f"Take the edit into the text with rowwise build --adopt {name}, or delete the notebook.",
    )


def stale(root: Path, names: list[str], registry: Mapping) -> list[str]:
    """One line for each file that is not what its text makes; empty where all is well. Changes nothing."""
    result = plan(root, names, registry)
    lines = [str(problem) for problem in result.edited]
    said = {problem.file for problem in result.edited}
    for path in sorted(result.write):
        file = path.relative_to(root).as_posix()
        if file not in said:
            lines.append(f"{file} is {'not what its text makes' if path.exists() else 'not there'}.")
    return lines + [_made_from_nothing(path, root) for path in result.extra]


def build(root: Path, names: list[str], registry: Mapping) -> list[str]:
    """Makes what is stale; a line for each file. BuildError, before any is written, where it must not."""
    result = plan(root, names, registry)
    if result.edited:
        raise BuildError(result.edited)
    for path, data in result.write.items():
        _replace(path, data)
    lines = [f"{path.relative_to(root).as_posix()} is made." for path in sorted(result.write)]
    return lines + [_made_from_nothing(path, root) for path in result.extra]


def _made_from_nothing(path: Path, root: Path) -> str:
    # It may be somebody's work, so it is named and left alone.
    return f"{path.relative_to(root).as_posix()} is made from no text: move it elsewhere, or delete it."


def adopt(root: Path, names: list[str], registry: Mapping) -> list[Path]:
    """Takes edits of solution notebooks back into their texts and builds; returns the texts that changed."""
    found, texts = [], {}
    for name in names:
        try:
            new = adopted_text(root, name, registry)
        except BuildError as error:
            found += error.problems
        else:
            if new is not None:
                texts[root / "solutions" / name / f"{name}.md"] = new
    if found:
        raise BuildError(found)
    with tempfile.TemporaryDirectory() as folder:  # the new texts must pass before the old ones go
        trial = Path(folder)
        put(trial / "solutions", take(root / "solutions"))
        for path, new in texts.items():
            (trial / path.relative_to(root)).write_text(new, encoding="utf-8", newline="\n")
        for path in texts:
            _, made = make(trial, path.stem, registry)
            cells, _ = notebook.from_bytes(path.with_suffix(".ipynb").read_bytes())
            if notebook.fingerprint(cells) != notebook.fingerprint(notebook.from_bytes(made)[0]):
                what = "its cells do not survive the way into a text and back."
                remedy = "Look for a line `+++`, or for ``` at the start of a line, in a markdown cell."
                raise BuildError([Problem(f"solutions/{path.stem}/{path.stem}.ipynb", "", what, remedy)])
    for path, new in texts.items():
        _replace(path, new.encode())
        path.with_suffix(".ipynb").unlink()  # its edits are in the text now
    build(root, names, registry)
    return list(texts)


def adopted_text(root: Path, name: str, registry: Mapping) -> str | None:
    """The text that makes the edited solution notebook of this chapter; None where it was not edited."""
    path = root / "solutions" / name / f"{name}.ipynb"
    file = f"solutions/{name}/{name}.ipynb"
    source = path.with_suffix(".md")
    chapter = text.read(source, f"solutions/{name}/{name}.md", registry) if source.is_file() else None
    if not path.is_file():
        return None
    try:
        cells, stamp = notebook.from_bytes(path.read_bytes())
    except ValueError:
        raise BuildError([edited(path, b"")]) from None
    known, header = {}, text.HEADER
    if chapter:
        links.to_notebooks(chapter.cells, name, links.texts(root))
        known, header = text.known_segments(chapter, registry), chapter.header
        of_text = notebook.fingerprint(chapter.cells)
        if notebook.fingerprint(cells) in (stamp, of_text):
            return None
        if stamp and stamp != of_text:
            what = "both it and its text were changed since it was made; adopting would lose the text's changes."
            remedy = "Keep a copy of the text, bring back the one before with git, adopt, and merge the two."
            raise BuildError([Problem(file, "", what, remedy)])
    found = [
        Problem(
            file,
            text.describe(number, cell),
            "a picture is pasted into it.",
            "Save the picture as a file in the chapter's folder and link to it.",
        )
        for number, cell in enumerate(cells, 1)
        if cell.get("attachments")
    ]
    if found:
        raise BuildError(found)

    def lines_of(part: str) -> str:
        return known[part] if part in known else links.to_texts(part, name, links.texts(root))

    return text.write(cells, registry, header, lines_of)


def _replace(path: Path, data: bytes) -> None:
    """Writes through a file beside it, so that an interrupted build leaves the old one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(data)
    os.replace(beside, path)
