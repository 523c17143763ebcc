"""Hints that open one at a time, and the solution of an exercise for somebody who is stuck alone.

The texts are data: ``hints/NN-name.toml`` and ``solutions/NN-name.toml``, one table an exercise. A class that
should not have the solutions leaves the folder ``solutions`` out; nothing else changes.
"""

import time
import tomllib
from functools import cache
from pathlib import Path

from rowwise import progress
from rowwise.study.shown import Shown, escape, paragraphs

_HERE = Path(__file__).parent


def hints(name: str) -> Shown:
    """The hints of the exercise ``name``: opening one shows the next, and at last the way to the solution."""
    texts = _texts("hints").get(name, {}).get("hints", [])
    if not texts:
        return paragraphs([f"There are no hints for {name!r}."])
    inner = f"<p style='margin:4px 0'>{escape(_way_out(name))}</p>"
    for i, text in reversed(list(enumerate(texts, 1))):
        inner = (
            f"<details style='margin:4px 0'><summary>Hint {i} of {len(texts)}</summary>"
            f"<div style='padding-left:18px'><p style='margin:4px 0'>{escape(text)}</p>"
            f"{inner}</div></details>"
        )
    numbered = [f"Hint {i}: {text}" for i, text in enumerate(texts, 1)]
    return Shown(inner, "\n".join([*numbered, _way_out(name)]))


def solution(name: str) -> Shown:
    """The solution of the exercise ``name``, and a note in the progress that it has been opened."""
    text = _texts("solutions").get(name, {}).get("solution")
    if text is None:
        return paragraphs(
            [f"This copy of the course holds no solution for {name!r}. Ask the person who teaches the class."]
        )
    if not opened(name):
        progress.keep(f"opened:{name}", time.strftime("%Y-%m-%d"))
    note = f"You have opened the solution of {name}; your progress says so. Close it and write your own."
    return Shown(f"<pre>{escape_code(text)}</pre><p>{escape(note)}</p>", f"{text}\n{note}")


def opened(name: str) -> str:
    """The day on which the solution of ``name`` was opened first, or ''."""
    return progress.recall(f"opened:{name}", "")


def escape_code(text: str) -> str:
    """Code for HTML, backticks and all."""
    return text.strip("\n").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _way_out(name: str) -> str:
    return f'Still stuck? Run `study.solution("{name}")` in a new cell. Your progress keeps that it was opened.'


@cache
def _texts(folder: str) -> dict:
    """Every exercise's table in the folder's files."""
    found = {}
    for path in sorted((_HERE / folder).glob("*.toml")):
        found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found
