"""A paper row: what is given, what is asked, and how each line follows from any line before it.

Lines are boxes: a pair (low, high) of arrays, one interval for each number of the line. Exact numbers are boxes of
width nothing. Shapes: scores, scaled, masked, exponentials, weights (n_k,); products (n_k, d_v); output (d_v,).
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

STEPS = ("scores", "scaled", "masked", "exponentials", "weights", "products", "output")


@dataclass(frozen=True)
class Task:
    """One query's row. Given are ``q`` (d_k,) and ``K`` (n_k, d_k), or a later line: scores, scaled or weights.

    ``V`` is (n_k, d_v) or (n_k,), ``mask`` (n_k,) with True = may attend. Scores are divided by √d_k where q and K
    are given (``scale`` says otherwise), and where ``d_k`` is. ``asks`` names the steps to fill in, in any order;
    ``marks`` their points (1 each where it says nothing); ``decimals`` how many decimals are asked for.

    Raises ValueError, in words for whoever writes the row, where these do not fit together.
    """

    q: object = None
    K: object = None
    V: object = None
    mask: object = None
    scores: object = None
    scaled: object = None
    weights: object = None
    d_k: int | None = None
    scale: bool | None = None
    asks: tuple = ()
    marks: dict = field(default_factory=dict)
    decimals: int = 4

    def __post_init__(self):
        given = [name for name in ("scores", "scaled", "weights") if getattr(self, name) is not None]
        if self.q is not None or self.K is not None:
            given.append("q")
        if len(given) != 1 or (self.q is None) != (self.K is None):
            raise ValueError("a row is given q and K, or one of scores, scaled and weights")
        for name, dims in (("q", 1), ("K", 2), ("V", 2), ("scores", 1), ("scaled", 1), ("weights", 1)):
            if getattr(self, name) is not None:
                self._set(name, _numbers(name, getattr(self, name), dims))
        if self.q is not None and self.q.shape[0] != self.K.shape[1]:
            raise ValueError(f"q has {self.q.shape[0]} numbers and each key {self.K.shape[1]}; both are d_k wide")
        self._set("start", "question" if self.q is not None else given[0])
        first = self.K if self.q is not None else getattr(self, given[0])
        self._set("n_k", len(first))
        if self.V is not None and len(self.V) != self.n_k:
            raise ValueError(f"there are {self.n_k} keys and {len(self.V)} values; each key has one value")
        if self.mask is not None:
            self._set("mask", np.array(self.mask, dtype=bool))
            if self.mask.shape != (self.n_k,):
                raise ValueError(f"the mask needs one truth value for each of the {self.n_k} keys")
        width = len(self.q) if self.q is not None else self.d_k
        scales = bool(width) if self.scale is None else self.scale
        self._set("divisor", math.sqrt(width) if scales else 1.0)
        self._set("width", width if scales else None)
        self._set("asks", self._asked())
        self._set("marks", {step: float(self.marks.get(step, 1)) for step in self.asks})

    def _set(self, name, value):
        object.__setattr__(self, name, value)

    def _asked(self) -> tuple[str, ...]:
        asks = tuple(self.asks) or tuple(
            step for step in ("scores", "scaled", "weights", "output") if step in self.chain
        )
        for step in [*asks, *self.marks]:
            if step not in STEPS:
                raise ValueError(f"there is no step {step!r}; the steps are {', '.join(STEPS)}")
            if step not in self.chain:
                raise ValueError(f"this row has no step {step!r}; it has {', '.join(self.chain)}")
        if extra := [step for step in self.marks if step not in asks]:
            raise ValueError(f"marks for {', '.join(extra)}, which the row does not ask for")
        return tuple(step for step in self.chain if step in asks)

    @cached_property
    def chain(self) -> tuple[str, ...]:
        """The steps of this row, in order, from the first that is not given."""
        steps = STEPS if self.start == "question" else STEPS[STEPS.index(self.start) + 1 :]
        left_out = {"scaled"} if self.divisor == 1 else set()
        left_out |= {"masked"} if self.mask is None else set()
        left_out |= {"products", "output"} if self.V is None else set()
        return tuple(step for step in steps if step not in left_out)

    @property
    def points(self) -> float:
        """The marks of all the steps asked for."""
        return sum(self.marks.values())

    @property
    def permitted(self) -> np.ndarray:
        """(n_k,) booleans, True where the key may be attended to."""
        return np.ones(self.n_k, dtype=bool) if self.mask is None else self.mask

    def shape(self, step: str) -> tuple[int, ...]:
        """The shape of that step's line."""
        if step in ("products", "output"):
            return self.V.shape if step == "products" else self.V.shape[1:]
        return (self.n_k,)

    @property
    def given(self):
        """The line that is given, as a box; None where q and K are."""
        return None if self.start == "question" else exact(getattr(self, self.start))

    def follow(self, source: str, box, target: str, rounds: bool = False):
        """The box of ``target`` that follows from a box of ``source``, an earlier step or the start.

        ``rounds`` lets it hold what comes out when lines on the way, or √d_k, are rounded to the decimals asked for.
        """
        steps = [self.start, *self.chain]
        for step in steps[steps.index(source) + 1 : steps.index(target) + 1]:
            before, box = box, self.step(step, box)
            if rounds:
                box = self._rounded(step, box, before, on_the_way=step != target)
        return box

    def _rounded(self, step: str, box, before, on_the_way: bool):
        """The box widened to what rounding to the decimals asked for makes of it."""
        if step == "scaled":
            other = round(self.divisor, self.decimals) / self.divisor
            box = np.minimum(box[0], box[0] / other), np.maximum(box[1], box[1] / other)
        if not on_the_way:
            return box
        if step == "exponentials":  # e^s or e^(s − max): whichever is the smaller loses more by rounding
            largest = before[1].max()
            half = 0.5 * 10.0**-self.decimals * np.exp(-np.clip(largest, -2, 0) if np.isfinite(largest) else 0)
            return np.where(box[0] > 0, np.maximum(box[0] - half, 0), 0), np.where(box[1] > 0, box[1] + half, 0)
        rounded = [np.round(edge, self.decimals) for edge in box]
        return np.minimum(box[0], rounded[0]), np.maximum(box[1], rounded[1])

    def step(self, step: str, box):
        """One step on, from the box of the line before it."""
        return STEP[step](self, box)

    def line(self, step: str) -> np.ndarray:
        """The right numbers of a step, unrounded; exponentials as e^(s − max)."""
        return self.follow(self.start, self.given, step)[0]


def exact(numbers):
    """The box of width nothing around an array."""
    numbers = np.asarray(numbers, dtype=float)
    return numbers, numbers


def _numbers(name, value, dims) -> np.ndarray:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers in rows of equal length") from None
    if name == "V" and array.ndim == 1:
        array = array[:, None]
    if array.ndim != dims or not array.size or not np.isfinite(array).all():
        raise ValueError(f"{name} must be {'a list' if dims == 1 else 'a list of rows'} of finite numbers")
    return array


def _scores(task, _):
    return exact(task.K @ task.q)


def _scaled(task, box):
    return box[0] / task.divisor, box[1] / task.divisor


def _masked(task, box):
    return tuple(np.where(task.permitted, edge, -np.inf) for edge in box)


def _exponentials(task, box):
    """e^(s − c) with one c for the row: the weights that follow are the same for every c, and none overflows."""
    largest = box[1].max()
    with np.errstate(over="ignore"):
        return tuple(np.exp(edge - (largest if np.isfinite(largest) else 0)) for edge in box)


def _weights(task, box):
    """e / Σe. Each number's extremes lie where it and the rest of the sum are at an end of their intervals."""
    low, high = box
    corners = []
    for own in (low, high):
        for rest in (low.sum() - low, high.sum() - high):
            with np.errstate(all="ignore"):
                total = own + rest
                corners.append(np.where(total == 0, 0.0 if not (low.any() or high.any()) else np.nan, own / total))
    if low.any() and low.sum() <= 0 <= high.sum():  # a typed line may be negative, and its sum straddle 0
        return np.full_like(low, np.nan), np.full_like(low, np.nan)
    return np.min(corners, axis=0), np.max(corners, axis=0)


def _products(task, box):
    corners = [edge[:, None] * task.V for edge in box]
    return np.minimum(*corners), np.maximum(*corners)


def _output(task, box):
    return box[0].sum(axis=0), box[1].sum(axis=0)


STEP = {
    "scores": _scores,
    "scaled": _scaled,
    "masked": _masked,
    "exponentials": _exponentials,
    "weights": _weights,
    "products": _products,
    "output": _output,
}
