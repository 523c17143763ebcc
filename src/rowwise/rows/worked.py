"""A row worked through: for each step a sentence, its arithmetic, and the line that comes out.

Every number is computed from the digits shown before it, rounded to the decimals asked for, so that a pocket
calculator agrees with each line.
"""

from dataclasses import dataclass

import numpy as np

from rowwise.rows.task import STEPS, Task


@dataclass(frozen=True)
class WorkedStep:
    """One step: ``says`` what is done and why, ``sums`` one calculation a key or output number, ``line`` (rounded)."""

    step: str
    says: str
    sums: tuple[str, ...]
    line: np.ndarray


def work(task: Task, upto: str | None = None) -> list[WorkedStep]:
    """The steps from what is given to ``upto``, by default the last that is asked for."""
    upto = upto or task.asks[-1]
    line = None if task.given is None else task.given[0]
    worked = []
    for step in task.chain[: task.chain.index(upto) + 1]:
        done = _WORK[step](task, line)
        worked.append(done)
        line = done.line
    return worked


def text(x, decimals: int = 4) -> str:
    """A number as it is written: a true minus sign, no needless zeros, −∞ for an excluded score."""
    if np.isneginf(x):
        return "−∞"
    digits = f"{float(x):.{decimals}f}"
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return ("0" if digits in ("-0", "") else digits).replace("-", "−")


def _factor(x, decimals) -> str:
    """The same, in brackets where a minus sign would follow another sign."""
    digits = text(x, decimals)
    return f"({digits})" if digits.startswith("−") else digits


def _done(task, step, says, sums, line) -> WorkedStep:
    return WorkedStep(step, says, tuple(sums), np.round(line, task.decimals))


def _scores(task, _):
    says = "Multiply the query with each key, number by number, and add. Each key gets one score."
    line = task.K @ task.q
    sums = [
        f"key {i + 1}: "
        + " + ".join(f"{_factor(a, task.decimals)}·{_factor(b, task.decimals)}" for a, b in zip(task.q, k, strict=True))
        + f" = {text(line[i], task.decimals)}"
        for i, k in enumerate(task.K)
    ]
    return _done(task, "scores", says, sums, line)


def _scaled(task, line):
    d = task.decimals
    root = text(task.divisor, d)
    divisor = round(task.divisor, d)
    says = f"A key has {task.width} numbers, so every score is divided by √{task.width} = {root}."
    out = line / divisor
    sums = [
        f"key {i + 1}: {text(s, d)} / {root} = {text(t, d)}" for i, (s, t) in enumerate(zip(line, out, strict=True))
    ]
    return _done(task, "scaled", says, sums, out)


def _masked(task, line):
    out = np.where(task.permitted, line, -np.inf)
    closed = [f"key {i + 1}" for i in np.flatnonzero(~task.permitted)]
    says = (
        f"{_and(closed).capitalize()} may not be attended to: the score becomes −∞, before the softmax, so that the "
        "permitted keys share the whole. Their scores stay."
        if closed
        else "Every key may be attended to: nothing changes."
    )
    return _done(task, "masked", says, [], out)


def _exponentials(task, line):
    d, open_ = task.decimals, np.isfinite(line)
    if not open_.any():
        return _done(task, "exponentials", "No key is permitted: every e^(−∞) is 0.", [], np.zeros_like(line))
    top = line[open_].max()
    shift = 0 if -1 <= top <= 7 else top
    says = "Put each score through e^x: what is larger grows more, and nothing is negative."
    if shift:
        says += (
            f" First take the row's largest, {text(shift, d)}, away from each: the weights stay the same, and the "
            "numbers stay handy."
        )
    moved = line - shift
    out = np.exp(moved)
    sums = []
    for i, (s, m, e) in enumerate(zip(line, moved, out, strict=True)):
        power = f"{text(s, d)} − {_factor(shift, d)}" if shift and np.isfinite(s) else text(m, d)
        power = f"({power})" if power[0] == "−" or shift else power
        same = f" = e^{_factor(m, d)}" if shift and np.isfinite(s) else ""
        sums.append(f"key {i + 1}: e^{power}{same} = {text(e, d)}")
    return _done(task, "exponentials", says, sums, out)


def _weights(task, line):
    d, total = task.decimals, round(float(line.sum()), task.decimals)
    if not total:
        says = "There is nothing to share out: in this course the weights of such a row are all 0."
        return _done(task, "weights", says, [], np.zeros_like(line))
    says = "Add the exponentials up, and divide each by their sum: the weights sum to 1."
    out = line / total
    sums = ["sum: " + " + ".join(text(e, d) for e in line) + f" = {text(total, d)}"]
    sums += [
        f"key {i + 1}: {text(e, d)} / {text(total, d)} = {text(w, d)}"
        for i, (e, w) in enumerate(zip(line, out, strict=True))
    ]
    return _done(task, "weights", says, sums, out)


def _products(task, line):
    d, out = task.decimals, line[:, None] * task.V
    says = "Multiply each weight with its own value, number by number."
    sums = []
    for i, (w, v, p) in enumerate(zip(line, task.V, out, strict=True)):
        given, found = ([text(x, d) for x in numbers] for numbers in (v, p))
        if len(v) > 1:
            given, found = [f"[{', '.join(given)}]"], [f"[{', '.join(found)}]"]
        value = f"({given[0]})" if given[0].startswith("−") else given[0]
        sums.append(f"key {i + 1}: {text(w, d)} · {value} = {found[0]}")
    return _done(task, "products", says, sums, out)


def _output(task, line):
    d, out = task.decimals, line.sum(axis=0)
    says = "Add the products over the keys."
    if task.permitted.any():
        low, high = task.V[task.permitted].min(axis=0), task.V[task.permitted].max(axis=0)
        inside = "; ".join(f"{text(a, d)} to {text(b, d)}" for a, b in zip(low, high, strict=True))
        says += f" Each number lies within what the values span: {inside}."
    sums = []
    for j, total in enumerate(out):
        name = f"number {j + 1}: " if len(out) > 1 else ""
        sums.append(name + " + ".join(_factor(x, d) for x in line[:, j]) + f" = {text(total, d)}")
    exact = task.line("output")
    if not np.array_equal(np.round(exact, d), np.round(out, d)):
        says += f" (Nothing rounded on the way gives {', '.join(text(x, d) for x in exact)}; both are right.)"
    return _done(task, "output", says, sums, out)


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


_WORK = dict(zip(STEPS, (_scores, _scaled, _masked, _exponentials, _weights, _products, _output), strict=True))
