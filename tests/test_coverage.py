"""docs/coverage.md: every claim of the course is said where the table says, and something there bears it out."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "coverage.md"
# How many claims each chapter makes. A chapter that loses one has to say so here.
CLAIMS = {
    "00": 5,
    "01": 8,
    "02": 9,
    "03": 7,
    "04": 8,
    "05": 11,
    "06": 11,
    "07": 4,
    "08": 5,
    "09": 3,
    "10": 10,
}


def rows() -> list[tuple[str, str, str, str]]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [
        tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines if re.match(r"\| \d\d ", line)
    ]


def text(chapter: str) -> str:
    """The chapter's text, with every run of spaces and line ends as one space."""
    (path,) = (ROOT / "solutions").glob(f"{chapter}-*/{chapter}-*.md")
    return re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[0]} {row[1]}")
def test_the_claim_is_said_in_its_chapter_and_borne_out_there(row):
    chapter, _, said, borne_out = row
    assert said in text(chapter)
    for code in re.findall(r"`([^`]+)`", borne_out):
        assert code in text(chapter), code
    assert "`" in borne_out


def test_no_claim_has_left_the_table():
    counted = {chapter: sum(row[0] == chapter for row in rows()) for chapter in CLAIMS}
    assert counted == CLAIMS


def test_every_chapter_makes_a_claim():
    chapters = {p.stem[:2] for p in (ROOT / "solutions").glob("[0-9][0-9]-*/*.md")}
    assert chapters == set(CLAIMS)
