"""A line as a student typed it: one box or a list, flat or in rows, read as one interval a number."""

import math
import re
from dataclasses import dataclass

import numpy as np

from rowwise.rows.typed import Number, Unreadable, read

MOST = 4000  # numbers and characters that a line is looked through for


@dataclass(frozen=True)
class Line:
    """A typed line. ``box`` is (low, high) in the step's shape, or None where it could not be read.

    ``middle`` holds the numbers as typed, ``shown`` what was understood, ``problem`` why not ("" when it was),
    ``slug`` the catalogue's name for that, ``numbers`` those of a line of another length, flat.
    """

    box: tuple | None = None
    middle: np.ndarray | None = None
    shown: str = ""
    problem: str = ""
    slug: str = ""
    numbers: tuple = ()
    partial: tuple | None = None  # the box of a line with places still empty; these are NaN

    @property
    def blank(self) -> bool:
        """Whether nothing was typed."""
        return self.box is None and not self.problem


def read_line(value, shape: tuple[int, ...], decimals: int = 4) -> Line:
    """The line that ``value`` stands for: text, a number, a list of either, or rows of them; never raises."""
    count = int(np.prod(shape))
    try:
        items = _items(value, count)
        read_items = [read(item, decimals) for item in items]
    except Unreadable as problem:
        return Line(problem=f"This line can't be read: {problem}.", slug="wrong-type")
    numbers = [number for number in read_items if number is not None]
    if not numbers:
        return Line()
    shown = ", ".join(number.shown for number in numbers)
    flat = tuple(number.value for number in numbers)
    if len(items) == count:
        empty = Number(math.nan, math.nan, math.nan, "empty")
        low, high, middle = (
            np.array([getattr(number or empty, edge) for number in read_items]).reshape(shape)
            for edge in ("low", "high", "value")
        )
        if len(numbers) < count:
            shown = ", ".join((number or empty).shown for number in read_items)
            return Line(problem="Not all places are filled in.", shown=shown, partial=(low, high), middle=middle)
        return Line((low, high), middle, shown)
    wanted = f"{count} number{'s' if count > 1 else ''}"
    problem = f"This line holds {len(numbers)} number{'s' if len(numbers) > 1 else ''}; it takes {wanted}."
    return Line(problem=problem, shown=shown, slug="wrong-shape", numbers=flat)


def _items(value, count: int) -> list:
    """The single numbers in what was typed; a text box may hold several."""
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.size <= MOST else None
        if value is None:
            raise Unreadable("it is far too long")
    if isinstance(value, str):
        return _split(value, count)
    if not isinstance(value, list | tuple):
        return [value]
    flat = []
    for item in value:
        if isinstance(item, np.ndarray) and item.size <= MOST:
            item = item.tolist()
        flat += list(item) if isinstance(item, list | tuple) else [item]
        if len(flat) > MOST:
            raise Unreadable("it is far too long")
    if 0 < len(flat) < count and count % len(flat) == 0 and all(isinstance(item, str) for item in flat):
        return [part for item in flat for part in _split(item, count // len(flat))]  # one box a row
    return flat


def _split(text: str, count: int) -> list:
    """Several numbers in one box: after semicolons, new lines, comma and space, spaces, or bare commas.

    A comma may be a decimal point or stand between two numbers; the reading that gives ``count`` numbers counts.
    """
    if len(text) > MOST:
        raise Unreadable("it is far too long")
    text = text.strip().strip("[]{}").replace("], [", "; ").replace("][", "; ").replace("],[", "; ")
    if text.startswith("(") and text.endswith(")") and re.search(r"[,;\s]", text) and _encloses(text):
        text = text[1:-1]
    ways = [[text]] if count == 1 else []
    ways += [re.split(pattern, text) for pattern in (r"\s*[;\n]\s*", r",\s+", r"\s+", r"\s*,\s*", r"[;,]?\s+|;|,")]
    fitting = [way for way in ways if len(way) == count and _readable(way)]
    if fitting:
        return fitting[0]
    several = [way for way in ways if len(way) > 1 and _readable(way)]
    return several[0] if several else next((way for way in ways if len(way) == count), [text])


def _encloses(text: str) -> bool:
    """Whether the first bracket is closed by the last one."""
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def _readable(items: list) -> bool:
    try:
        return all(read(item) is not None for item in items)
    except Unreadable:
        return False
