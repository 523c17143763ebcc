"""The catalogue's name for a line that is not right, found by making each mistake and comparing."""

import numpy as np

from rowwise.rows.compare import FUZZ, compare, meets, wider
from rowwise.rows.lines import Line
from rowwise.rows.slips import SLIPS
from rowwise.rows.task import STEPS, Task, exact


def named(task: Task, step: str, line: Line, earlier: list) -> tuple[str, float | None]:
    """The catalogue's name for a line that is not right, and the factor where the mistake is one; "" if none."""
    sources = [(task.start, [task.given and task.given[0]])]
    for v in earlier:
        if v.base is not None and not v.refuses(task):
            sources.append((v.step, [v.base[0], v.line.middle, v.base[1]]))
    shown = [slip for slip in SLIPS if _may_show(slip, step, earlier)]
    for slip in sorted(shown, key=lambda slip: slip.last != step):  # a mistake made here before one made long ago
        for source, numbers in reversed(sources):
            wrong = [slip.line(task, source, each, step) for each in numbers]
            if any(each is None for each in wrong) or not _looks_like(task, step, line, wrong):
                continue
            middle = numbers[len(numbers) // 2]
            right = task.follow(source, None if middle is None else exact(middle), step)[0]
            if wrong[0].shape != right.shape or not np.allclose(wrong[0], right):
                return slip.slug, slip.factor
    if line.box is None:
        return "", None
    if step == "masked" and _leaks(task, line):
        return "mask-too-weak", None
    return _factor(task, step, line, sources)


def _leaks(task: Task, line: Line) -> bool:
    """Whether the permitted scores are right and the excluded ones merely low, by whatever was taken away."""
    open_, s = task.permitted, line.middle
    if open_.all() or not open_.any() or not np.isfinite(s).all():
        return False
    agrees = next(agrees for agrees, _ in compare(task, "masked", line, task.start, task.given))
    return bool(agrees[open_].all() and s[~open_].max() < s[open_].min() - 3)


def _may_show(slip, step: str, earlier: list) -> bool:
    """Whether a slip may first show in this step: not when its own step was written down and is something else.

    Only the divisor and the mask may be written down rightly and then be passed over.
    """
    own = [v for v in earlier if v.base is not None and STEPS.index(slip.last) <= STEPS.index(v.step)]
    if not own or slip.last == step:
        return True
    return slip.last in ("scaled", "masked") and all(v.right for v in own)


def _looks_like(task: Task, step: str, line: Line, wrong: list[np.ndarray]) -> bool:
    if line.box is None:
        same = len(line.numbers) == wrong[0].size != 0
        return same and np.allclose(line.numbers, wrong[0].ravel(), rtol=0, atol=1e-3)
    if wrong[0].shape != line.middle.shape:
        return False
    slack = 3 * 10.0**-task.decimals  # for what was rounded on the way
    box, typed = (np.min(wrong, axis=0) - slack, np.max(wrong, axis=0) + slack), wider(line.box)
    if step == "exponentials" and 0 < box[1].max() < np.inf:  # the same, the largest taken away first
        ratio = tuple(edge / box[1].max() for edge in box)
        return bool(meets(typed, box).all() or meets(typed, ratio).all())
    return bool(meets(typed, box).all())


def _factor(task: Task, step: str, line: Line, sources) -> tuple[str, float | None]:
    """A factor on the scores other than 1/√d_k: in the scaled scores, or as a temperature in what follows."""
    if step not in ("scaled", "exponentials", "weights"):
        return "", None
    before = task.chain[task.chain.index(step) - 1] if task.chain.index(step) else task.start
    target = task.start if step == "scaled" and before == task.start else before
    if step != "scaled":
        scores = [name for name in (task.start, *task.chain) if name in STEPS[:3]]
        target = scores[-1] if scores else ""
    if not target:
        return "", None
    for source, numbers in reversed(sources):
        if [task.start, *task.chain].index(source) > [task.start, *task.chain].index(target):
            continue
        middle = numbers[len(numbers) // 2]
        s = task.follow(source, None if middle is None else exact(middle), target)[0]
        factor = _common_factor(step, s, line)
        if factor:
            return ("scaled-by-wrong-size" if step == "scaled" else "wrong-base-or-temperature"), factor
    return "", None


def _common_factor(step: str, s: np.ndarray, line: Line) -> float | None:
    """The f for which the typed line is f·s, or made of f·s; None where no single f does, or too few tell."""
    open_ = np.isfinite(s)
    if not open_.any():
        return None
    s, t = s[open_], line.middle[open_]
    box = line.box[0][open_], line.box[1][open_]
    with np.errstate(all="ignore"):
        y = t if step == "scaled" else np.log(t)
        # A small number, known to few figures, tells little about its logarithm.
        trust = np.ones_like(t) if step == "scaled" else (t / np.maximum(box[1] - box[0], 1e-6)) ** 2
        if step == "weights":
            s, y = s - np.average(s, weights=trust), y - np.average(y, weights=trust)
        if step == "exponentials" and np.isclose(t.max(), 1):
            s = s - s.max()
        tells = len(np.unique(np.round(s[np.abs(s) > FUZZ], 9))) >= 2
        if not tells or not np.isfinite(y).all() or (step == "weights" and not np.isclose(t.sum(), 1, atol=0.01)):
            return None
        f = float((trust * s) @ y / ((trust * s) @ s))
        made = f * s if step == "scaled" else np.exp(f * s)
        made = made / made.sum() if step == "weights" else made
    same = np.isfinite(made).all() and meets(wider(box), (made, made)).all()
    return f if same and abs(f) > 0.02 and abs(f - 1) > 0.02 else None
