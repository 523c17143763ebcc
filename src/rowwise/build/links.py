"""Links between chapters and pages: to the text in a text, to the notebook in a notebook."""

import posixpath
import re
from pathlib import Path

from rowwise.build.problems import Problem
from rowwise.build.text import Chapter, describe

LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s#]+)([^)\n]*)\)")
CHAPTER = re.compile(r"\.\./((\d\d)-[a-z0-9-]+)/\1\.md")
PAGES = "pages"  # beside the chapters: a glossary, answers, a guide. Nothing in them is marked.


def texts(root: Path) -> set[str]:
    """Every text of the course, its path below `solutions` without the ending: `01-x/01-x`, `pages/faq`."""
    solutions, found = root / "solutions", set()
    for folder in solutions.iterdir():
        if any((folder / f"{folder.name}{ending}").is_file() for ending in (".md", ".ipynb")):
            found.add(f"{folder.name}/{folder.name}")
    return found | {f"{PAGES}/{page.stem}" for page in (solutions / PAGES).glob("*.md")}


def to_notebooks(cells, folder: str, known: set[str]) -> None:
    """Turns links to ``known`` texts into links to their notebooks, in place; the cells lie in ``folder``.

    Of a link to a chapter that is still to be written the words remain.
    """

    def turn(match):
        _, words, target, rest = match.groups()
        if _is_known(target, ".md", folder, known):
            return f"[{words}]({target.removesuffix('.md')}.ipynb{rest})"
        return words if _is_to_come(target, known) else match[0]

    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(turn, cell.source)


def to_texts(source: str, folder: str, known: set[str]) -> str:
    """The inverse, for the text of a cell that is taken back from a notebook."""

    def turn(match):
        _, words, target, rest = match.groups()
        is_known = _is_known(target, ".ipynb", folder, known)
        return f"[{words}]({target.removesuffix('.ipynb')}.md{rest})" if is_known else match[0]

    return LINK.sub(turn, source)


def _is_known(target: str, ending: str, folder: str, known: set[str]) -> bool:
    path = posixpath.normpath(f"{folder}/{target.removesuffix(ending)}")
    return target.endswith(ending) and path in known


def _is_to_come(target: str, known: set[str]) -> bool:
    """A chapter whose number no chapter has yet; with a number that is taken it is a slip of the pen."""
    match = CHAPTER.fullmatch(target)
    return bool(match) and match[2] not in {path.split("-")[0] for path in known}


def problems(chapter: Chapter, folder: Path, known: set[str]) -> list[Problem]:
    """Pictures and links that a student who was handed the chapter's folder alone would not have."""
    found = []
    for number, cell in enumerate(chapter.cells, 1):
        if cell.cell_type != "markdown":
            continue
        for picture, _, target, _ in LINK.findall(cell.source):
            if re.match(r"[a-z]+:|/", target) or _is_to_come(target, known):
                continue
            if not (folder / target).exists():
                what, remedy = (
                    f"`{target}` is not there.",
                    "Correct the path: it is relative to the chapter's folder.",
                )
            elif picture and ".." in target.split("/"):
                what = f"`{target}` lies outside the chapter's folder, which is all that students receive."
                remedy = "Put it into the chapter's folder."
            elif target.endswith(".md") and not _is_known(target, ".md", folder.name, known):
                what = f"`{target}` is a text that students do not receive."
                remedy = "Link to a chapter or a page, or leave the link out."
            else:
                continue
            found.append(Problem(chapter.file, describe(number, cell), what, remedy))
    return found
