"""Links between chapters: to the text in the text, to the notebook in the notebook."""

import re
from pathlib import Path

from rowwise.build.problems import Problem
from rowwise.build.text import Chapter, describe

PAGES = "pages"  # the glossary and its like, beside the chapters
LINK = re.compile(r"(!?)(\[[^\]\n]*\]\()([^)\s#]+)")


def to_notebooks(chapter: Chapter, chapters) -> None:
    """Turns links to other chapters' texts into links to their notebooks, in place."""
    _replace(chapter.cells, ".md", ".ipynb", chapters)


def to_texts(cells, chapters) -> None:
    """The inverse, for a notebook that is taken back into its text."""
    _replace(cells, ".ipynb", ".md", chapters)


def _replace(cells, old: str, new: str, chapters) -> None:
    def turn(match):
        path = match[3]
        stem = path.rsplit("/", 1)[-1].removesuffix(old)
        is_chapter = stem in chapters and path in (f"{stem}{old}", f"../{stem}/{stem}{old}")
        is_page = path == f"../{PAGES}/{stem}{old}"
        return f"{match[1]}{match[2]}{path.removesuffix(old)}{new}" if is_chapter or is_page else match[0]

    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(turn, cell.source)


def problems(chapter: Chapter, folder: Path) -> list[Problem]:
    """Pictures and links that a student who was handed the chapter's folder alone would not have."""
    found = []
    for number, cell in enumerate(chapter.cells, 1):
        if cell.cell_type != "markdown":
            continue
        for picture, _, target in LINK.findall(cell.source):
            if re.match(r"[a-z]+:|/", target):
                continue
            where = describe(number, cell)
            if not (folder / target).exists():
                what, remedy = (
                    f"`{target}` is not there.",
                    "Correct the path: it is relative to the chapter's folder.",
                )
            elif picture and ".." in target.split("/"):
                what = f"`{target}` lies outside the chapter's folder, which is all that students receive."
                remedy = "Put it into the chapter's folder."
            elif target.endswith(".md") and (folder / target).resolve().parent.name not in (
                Path(target).stem,
                PAGES,
            ):
                what, remedy = (
                    f"`{target}` is a text that students do not receive.",
                    "Link to a chapter, or leave the link out.",
                )
            else:
                continue
            found.append(Problem(chapter.file, where, what, remedy))
    return found
