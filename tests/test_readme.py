"""The front page and its neighbours promise nothing that is not there."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from rowwise import cli

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "docs/teaching.md"]


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_of_the_course(page):
    links = re.findall(r"\]\(([^)#]+)", text(page))
    for link in links:
        if "://" not in link:
            assert (ROOT / page).parent.joinpath(link).exists(), link


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_rowwise_that_is_named_exists(page):
    known = set(re.findall(r"^    (\w+) ", cli.parser().format_help(), flags=re.MULTILINE))
    named = set(re.findall(r"^rowwise (\w+)|`rowwise (\w+)", text(page), flags=re.MULTILINE))
    assert {name for pair in named for name in pair if name} <= known


def test_every_option_of_start_py_is_on_the_front_page():
    help_text = subprocess.run(
        [sys.executable, ROOT / "start.py", "--help"], capture_output=True, text=True, check=True
    ).stdout
    options = set(re.findall(r"--[a-z-]+", help_text)) - {"--help"}
    assert options == {option for option in re.findall(r"--[a-z-]+", text("README.md")) if option in options}
    assert "python start.py test" in help_text and "python start.py test" in text("README.md")


def test_the_picture_on_the_front_page_is_a_picture():
    (picture,) = re.findall(r"!\[[^\]]{40,}\]\((assets/[^)]+)\)", text("README.md"))
    data = (ROOT / picture).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">I", data[16:20])[0] >= 1000, "wide enough to be read"
    assert len(data) < 500_000


def test_the_licences_of_code_and_text_are_both_said_and_both_there():
    assert "BSD 3-Clause License" in text("README.md") and "CC BY 4.0" in text("README.md")
    assert text("LICENSE").startswith("BSD 3-Clause License")
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in text("LICENSE-text")
