"""What a student typed, read as intervals. Nothing is ever evaluated as Python.

A typed number stands for every number that rounds to it: half a unit of its last place on either side. With
fewer than three figures it is read as if zeros followed (0.67 is 0.670, 3 is 3.00), unless the row asks for
coarser decimals than that. Whole numbers inside an expression (2/3, e**2) are exact.
"""

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import numpy as np

LONGEST = 120  # characters of one number; keeps the recursion below shallow
MINUS_INFINITY = {"-inf", "-infinity", "-∞", "-np.inf", "-math.inf", "-oo", "masked"}


class Unreadable(ValueError):
    """Text that stands for no number; its message is for the student."""


@dataclass(frozen=True)
class Number:
    """A typed number: the interval it stands for, its middle, and what was understood."""

    low: float
    high: float
    value: float
    shown: str


MASKED = Number(-math.inf, -math.inf, -math.inf, "−∞")


def read(item, decimals: int = 4) -> Number | None:
    """The interval that one typed number stands for; None where nothing was typed.

    ``item`` is text, a number or None; ``decimals`` is what the row asks for. Raises Unreadable, and nothing
    else, whatever ``item`` is.
    """
    text = _as_text(item)
    if not text:
        return None
    if len(text) > LONGEST:
        raise Unreadable("it is too long to be one number")
    plain = _plain(text)
    if plain.replace(" ", "").lower() in MINUS_INFINITY:
        return MASKED
    try:
        return _literal(plain, decimals) or _expression(plain, decimals)
    except (OverflowError, InvalidOperation):
        raise Unreadable(f"“{text}” is more than a calculator can hold") from None
    except ZeroDivisionError:
        raise Unreadable(f"“{text}” divides by zero") from None


def _as_text(item) -> str:
    kind = type(item)
    if item is None or item is Ellipsis:
        return ""
    if isinstance(item, str):
        return str.strip(item)
    if kind in (int, float, Fraction, Decimal) or isinstance(item, np.integer | np.floating):
        try:
            text = str(item)
        except ValueError:  # an int of thousands of digits
            raise Unreadable("it is more than a calculator can hold") from None
        if "nan" in text.lower():
            raise Unreadable("NaN is not a number")
        return text.removesuffix(".0")
    raise Unreadable(f"this is {_kind(item)}, not a number")


def _kind(item) -> str:
    name = type(item).__name__[:40]
    return {"bool": f"{item}", "list": "a list inside a list"}.get(name, f"of type {name}")


def _plain(text: str) -> str:
    """ASCII operators for the signs people type or paste; text otherwise as it is."""
    signs = {"−": "-", "–": "-", "—": "-", "·": "*", "×": "*", "÷": "/", "⁄": "/", "^": "**", "\u00a0": " "}
    return "".join(signs.get(c, c) for c in unicodedata.normalize("NFC", text)).strip().strip("$ ")


_LITERAL = re.compile(r"([+-]?)\s*(\d*)(?:[.,](\d*))?(?:[eE]([+-]?\d{1,4}))?\s*(%?)")


def _literal(text: str, decimals: int) -> Number | None:
    """One number written out: 0.67, 1,5, -3, 1.2e-3, 67%."""
    found = _LITERAL.fullmatch(text)
    if not found or not (found[2] or found[3]) or not text.isascii():
        return None
    sign, whole, part, power, percent = found.groups(default="")
    exponent = int(power or 0) - (2 if percent else 0)
    value = Decimal(f"{sign}{whole or 0}.{part or 0}").scaleb(exponent)
    zeros = len(whole) - len(whole.rstrip("0")) if not part and value else 0
    coarsest = -decimals if not value else max(-decimals, value.adjusted() - 2)
    place = min(exponent - len(part) + zeros, coarsest)
    half = float(Decimal(5).scaleb(place - 1))
    if not math.isfinite(float(value)):
        raise OverflowError
    shown = f"{value:f}" if abs(value.adjusted()) < 9 else f"{value:.3e}"
    if not part and not exponent:
        shown = shown.removesuffix(".0")
    return Number(float(value) - half, float(value) + half, float(value), shown.replace("-", "−"))


def _expression(text: str, decimals: int) -> Number:
    """Fractions, powers, roots: 2/3, e**2, 1/sqrt(2), √2, exp(0.5), (1+e)/2."""
    tokens = _tokens(text)
    low, high = _sum(tokens, decimals)
    if tokens:
        raise Unreadable(f"“{text}” is not one number")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise OverflowError
    middle = (low + high) / 2
    return Number(low, high, middle, f"{middle:.{max(decimals, 4)}g}".replace("-", "−"))


_NUMBER = r"[0-9]+(?:[.,][0-9]*)?(?:[eE][+-]?[0-9]{1,4})?|[.,][0-9]+"
_TOKEN = re.compile(rf"\s*(?:{_NUMBER}|\*\*|[-+*/()√]|[^\W\d_][\w.]*)")


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise Unreadable(f"“{text}” is not a number")
        tokens.append(found[0].strip())
        at = found.end()
    return tokens


def _sum(tokens, decimals):
    low, high = _product(tokens, decimals)
    while tokens and tokens[0] in "+-":
        sign = tokens.pop(0)
        a, b = _product(tokens, decimals)
        low, high = (low + a, high + b) if sign == "+" else (low - b, high - a)
    return low, high


def _product(tokens, decimals):
    low, high = _signed(tokens, decimals)
    while tokens and tokens[0] in ("*", "/"):
        sign = tokens.pop(0)
        a, b = _signed(tokens, decimals)
        if sign == "/":
            if a <= 0 <= b:
                raise ZeroDivisionError
            a, b = 1 / b, 1 / a
        corners = [x * y for x in (low, high) for y in (a, b)]
        low, high = min(corners), max(corners)
    return low, high


def _signed(tokens, decimals):
    if tokens and tokens[0] in "+-":
        sign = tokens.pop(0)
        low, high = _signed(tokens, decimals)
        return (low, high) if sign == "+" else (-high, -low)
    base = _atom(tokens, decimals)
    if tokens and tokens[0] == "**":
        tokens.pop(0)
        return _power(base, _signed(tokens, decimals))
    return base


def _power(base, exponent):
    whole = exponent[0] == exponent[1] and float(exponent[0]).is_integer()
    if base[0] <= 0 and not (whole and (exponent[0] > 0 or base[1] < 0)):
        raise Unreadable("a root or a broken power of a number that is not positive has no value here")
    corners = [float(x) ** float(y) for x in base for y in exponent]
    if base[0] < 0 < base[1]:
        corners.append(0.0)
    return min(corners), max(corners)


def _atom(tokens, decimals):
    token = tokens.pop(0) if tokens else ""
    name = token.lower().removeprefix("np.").removeprefix("math.")
    if token and token[0] in "0123456789.,":
        number = _literal(token, decimals)
        return (number.value, number.value) if token.isdecimal() else (number.low, number.high)
    elif token == "(":
        return _closed(tokens, decimals)
    elif token == "√":
        return _power(_atom(tokens, decimals), (0.5, 0.5))
    elif name in ("e", "pi", "π"):
        return (math.e, math.e) if name == "e" else (math.pi, math.pi)
    elif name in ("sqrt", "exp", "ln") and tokens and tokens[0] == "(":
        tokens.pop(0)
        low, high = _closed(tokens, decimals)
        if name == "exp":
            return math.exp(low), math.exp(high)
        if low < 0 or (name == "ln" and low == 0):
            raise Unreadable(f"{name} needs a positive number")
        return (math.sqrt(low), math.sqrt(high)) if name == "sqrt" else (math.log(low), math.log(high))
    raise Unreadable(f"“{token}” is not part of a number" if token else "something is missing at its end")


def _closed(tokens, decimals):
    inside = _sum(tokens, decimals)
    if not tokens or tokens.pop(0) != ")":
        raise Unreadable("a bracket is not closed")
    return inside
