"""Working versions of earlier chapters' functions, for a chapter that builds on them (``study.carry``).

In a graded run nothing of the mathematics is there but what this gives: the functions that the release carries by
name, without those that it asks for.
"""

import re

from rowwise import reference
from rowwise.study.carry import pieces_of

FILE = ".rowwise-working.py"  # in the notebook's folder; the stand-in's rowwise.reference reads it
CALL = re.compile(r"study\.carry\(([^)]*)\)")


def names_in(source: str) -> list[str]:
    """The functions that a cell carries: ``study.carry("scores", "softmax_rows")``."""
    return [name for call in CALL.findall(source) for name in re.findall(r"[\"'](\w+)[\"']", call)]


def working(carried: list[str], asked: list[str]) -> bytes:
    """A module with the carried functions, as far as the reference has them and this chapter does not ask for them."""
    pieces: dict[str, str] = {}
    for name in carried:
        if name not in asked and hasattr(reference, name):
            pieces |= pieces_of(getattr(reference, name))
    return "\n\n\n".join(sorted(pieces.values(), key=lambda text: not text.startswith(("import ", "from ")))).encode()
