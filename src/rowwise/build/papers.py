"""A fresh assessment: the seed beside the chapter, and papers with their keys to print."""

import csv
import json
import re
from pathlib import Path

from rowwise import assessment
from rowwise.build.problems import BuildError, Problem
from rowwise.exercises.assessment import CHAPTER, EXERCISES, lines
from rowwise.exercises.seeded import PAPER, Seeded, Sitting


def choose(root: Path, seed: str, each_student: bool) -> None:
    """Write the seed beside the chapter's text, and its answers into the solutions; the next build carries them on.

    BuildError where its paper shares a numeric line, to two decimals, with one that this course has used.
    """
    folder = root / "solutions" / CHAPTER
    if not folder.is_dir():
        what = f"there is no chapter {CHAPTER} here."
        raise BuildError([Problem("solutions", "", what, "Run this inside your clone of Rowwise.")])
    before = _earlier(folder / PAPER)
    for old in before:
        if common := sorted(lines(Sitting(seed)) & lines(Sitting(old)) if old != seed else ()):
            name, step, *numbers = common[0]
            what = f"the seeds “{seed}” and “{old}” share a line: {name} {step}, {', '.join(map(str, numbers))}."
            raise BuildError([Problem("assess", "", what, f"Take another seed, for example {seed}-b.")])
    used = list(dict.fromkeys([*before, seed]))
    text = json.dumps({"seed": seed, "each_student": each_student, "used": used}, ensure_ascii=False)
    (folder / PAPER).write_text(text + "\n", encoding="utf-8")
    chapter = folder / f"{CHAPTER}.md"
    chapter.write_text(_answered(chapter.read_text(encoding="utf-8"), Sitting(seed)), encoding="utf-8", newline="\n")


def _answered(text: str, sitting: Sitting) -> str:
    """The chapter's text with the solutions of one sitting: the class's, where each student has numbers of their own."""
    for exercise in EXERCISES:
        if not isinstance(exercise, Seeded):
            continue
        answer = _literal(exercise.bind(sitting).solution())
        region = rf"(:exercise: {exercise.name}\n.*?### BEGIN SOLUTION\n).*?(### END SOLUTION)"
        new = rf"\g<1>{exercise.name} = {answer}\n\g<2>"
        text, count = re.subn(region, new, text, count=1, flags=re.DOTALL)
        if not count:
            what = f"the text has no solution region for {exercise.name}."
            raise BuildError([Problem(f"solutions/{CHAPTER}/{CHAPTER}.md", "", what, "Put the cell back.")])
    return text


def _literal(answer) -> str:
    """A list on one line; a row with a line for each step."""
    if isinstance(answer, dict):
        return "{\n" + "".join(f'    "{step}": {json.dumps(line)},\n' for step, line in answer.items()) + "}"
    return json.dumps(answer)


def _earlier(path: Path) -> list[str]:
    """The seeds that this course has used, the present one last."""
    try:
        paper = json.loads(path.read_text(encoding="utf-8"))
        return [str(seed) for seed in [*paper.get("used", []), paper["seed"]]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def students(path: Path) -> list[str]:
    """The ids in a file: one a line, or the column `id` of a CSV such as nbgrader's or a gradebook's export."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise BuildError(
            [Problem(str(path), "", "it cannot be read.", "Give a text file with one id a line.")]
        ) from None
    rows = list(csv.reader(line for line in lines if line.strip()))
    column = rows[0].index("id") if rows and "id" in rows[0] else None
    ids = [row[column or 0].strip() for row in rows[0 if column is None else 1 :] if len(row) > (column or 0)]
    if not [one for one in ids if one]:
        raise BuildError([Problem(str(path), "", "no student is in it.", "Give a text file with one id a line.")])
    return list(dict.fromkeys(one for one in ids if one))


def write_pages(folder: Path, seed: str, ids: list[str]) -> list[Path]:
    """paper.html and key.html for the class, or a pair for each student; gives what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for student in ids or [""]:
        tail = f"-{re.sub(r'[^A-Za-z0-9._-]', '_', student)}" if student else ""
        for kind, page in zip(("paper", "key"), assessment.pages(Sitting(seed, student)), strict=True):
            written.append(folder / f"{kind}{tail}.html")
            written[-1].write_text(page, encoding="utf-8")
    if len(set(written)) < len(written):
        what = "two ids differ only in signs that a file name cannot hold."
        raise BuildError([Problem(str(folder), "", what, "Rename one of them in the list, and run this again.")])
    return written
