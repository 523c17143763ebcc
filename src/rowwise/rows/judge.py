"""Marks a row: each step against the exact row and against the student's own earlier lines; the better counts."""

from dataclasses import dataclass

import numpy as np

from rowwise.mark import Mark, Step
from rowwise.rows.lines import Line, read_line
from rowwise.rows.notes import summary, tell
from rowwise.rows.slips import SLIPS
from rowwise.rows.task import STEPS, Task, exact

FUZZ = 1e-9  # relative; floating point, not rounding


@dataclass(frozen=True)
class Verdict:
    """What was found about one step.

    ``agrees``: one truth value a number, in the step's shape, None where the line could not be read. ``carried``: right
    only because it follows from an earlier line of the student's that is not. ``refused``: the step whose line is
    wrong and asks for nothing, so that nothing is carried forward from it. ``base``: the line that the next ones may
    follow from, as a box.
    """

    step: str
    line: Line
    right: bool = False
    carried: bool = False
    slug: str = ""
    factor: float | None = None
    refused: str = ""
    near: bool = False
    agrees: np.ndarray | None = None
    base: tuple | None = None

    def refuses(self, task: Task) -> bool:
        """Whether nothing is carried forward from this line: it is wrong and leaves the next step nothing to do."""
        return self.base is not None and not self.right and degenerate(task, self)


def judge(task: Task, typed) -> Mark:
    """The Mark of a row. ``typed`` maps the steps asked for to what was typed; one step alone may come bare."""
    lines, odd = _lines(task, typed)
    with np.errstate(all="ignore"):
        verdicts = judge_lines(task, lines)
    steps = tuple(
        Step(
            v.step,
            task.marks[v.step] * v.right,
            task.marks[v.step],
            v.slug,
            v.carried,
            tell(task, v, verdicts),
        )
        for v in verdicts
    )
    mistakes = tuple(dict.fromkeys(step.mistake for step in steps if step.mistake))
    message = "\n".join([summary(verdicts), *odd])
    return Mark(sum(step.points for step in steps), task.points, mistakes, message, steps)


def judge_lines(task: Task, lines: dict[str, Line]) -> list[Verdict]:
    """A verdict for each step asked for, in order."""
    verdicts: list[Verdict] = []
    for step in task.asks:
        line = lines.get(step, Line())
        if line.box is None:
            slug = line.slug
            if line.numbers:
                slug = _named(task, step, line, verdicts)[0] or slug
            agrees = _filled(task, step, line) if line.partial else None
            verdicts.append(Verdict(step, line, slug=slug, agrees=agrees))
        else:
            verdicts.append(_judge_step(task, step, line, verdicts))
    return verdicts


def _lines(task: Task, typed) -> tuple[dict[str, Line], list[str]]:
    """The asked lines, read; and a sentence for each thing that is not part of this row."""
    if not isinstance(typed, dict):
        if len(task.asks) > 1:
            form = ", ".join(f'"{step}": […]' for step in task.asks)
            return {}, [] if typed is None else [f"This row keeps its form: {{{form}}}."]
        typed = {task.asks[0]: typed}
    lines = {step: read_line(typed.get(step), task.shape(step), task.decimals) for step in task.asks}
    odd = [str(name)[:40] for name in typed if name not in task.asks]
    said = f"This row asks for {', '.join(task.asks)}; {', '.join(odd[:5])} was left aside."
    return lines, [said] if odd else []


def _filled(task: Task, step: str, line: Line) -> np.ndarray:
    """Which of the numbers filled in so far agree with the exact row."""
    part = Line(line.partial, line.middle)
    return max((agrees for agrees, _ in _compare(task, step, part, task.start, task.given)), key=np.sum)


def _judge_step(task: Task, step: str, line: Line, earlier: list[Verdict]) -> Verdict:
    bases = [(None, task.start, task.given)]
    bases += [(v, v.step, v.base) for v in earlier if v.base and not v.refuses(task)]
    found = [
        (v, agrees, box) for v, source, numbers in bases for agrees, box in _compare(task, step, line, source, numbers)
    ]
    whole = [(v, box) for v, agrees, box in found if agrees.all()]
    agrees = max((agrees for _, agrees, _ in found), key=np.sum)
    if whole:
        behind = any(v.carried or (v.base and not v.right) for v in earlier)
        carried = behind and all(v is not None for v, _ in whole)
        return Verdict(step, line, True, carried, agrees=agrees, base=_base(line, [box for _, box in whole]))
    slug, factor = _named(task, step, line, earlier)
    near = not slug and any(_meets(_wider(line.box), box).all() for _, _, box in found)
    refused = next((v.step for v in reversed(earlier) if v.refuses(task)), "")
    usable = np.isfinite(line.middle).all() or step in STEPS[:3]
    return Verdict(
        step,
        line,
        False,
        False,
        slug or "differs",
        factor,
        refused,
        near,
        agrees,
        line.box if usable else None,
    )


def _compare(task: Task, step: str, line: Line, source: str, box):
    """(which numbers agree, with which box) for each form in which the step may be written."""
    last = task.chain[task.chain.index(step) - 1] if task.chain.index(step) else task.start
    if step == "exponentials":
        before = task.follow(source, box, last, rounds=True)
        forms = [_plain_exponentials(before), _shifted_exponentials(before)]
    else:
        forms = [task.follow(source, box, step, rounds=True)]
    for form in forms:
        agrees = _meets(line.box, form)
        if step in ("scores", "scaled"):  # whoever masks early is right
            agrees = agrees | (np.isneginf(line.middle) & ~task.permitted)
        yield agrees, form


def _plain_exponentials(box):
    with np.errstate(over="ignore"):
        return np.exp(box[0]), np.exp(box[1])


def _shifted_exponentials(box):
    """e^(s − max s), where the largest may be any of those whose intervals reach that far."""
    low, high = box
    if len(low) == 1:
        return np.isfinite(low) * 1.0, np.isfinite(high) * 1.0
    others = [np.delete(np.arange(len(low)), i) for i in range(len(low))]
    edges = []
    with np.errstate(invalid="ignore"):
        for own, rest in ((low, high), (high, low)):
            top = np.array([rest[index].max() for index in others])
            edges.append(np.exp(np.where(np.isneginf(own), -np.inf, np.minimum(0, own - top))))
    return edges[0], edges[1]


def _meets(typed, expected) -> np.ndarray:
    """Which intervals meet; −∞ meets only itself, NaN nothing."""
    with np.errstate(invalid="ignore"):
        scale = FUZZ * (1 + np.abs(np.where(np.isfinite(expected[0]), expected[0], 0)))
        meets = (typed[0] <= expected[1] + scale) & (expected[0] - scale <= typed[1])
    both = np.isneginf(typed[1]) & np.isneginf(expected[1])
    return np.where(np.isneginf(typed[1]) | np.isneginf(expected[1]), both, meets & np.isfinite(expected[0]))


def _wider(box):
    """Half a unit more on either side: somebody cut off instead of rounding, or rounded too soon."""
    with np.errstate(invalid="ignore"):
        half = np.nan_to_num((box[1] - box[0]) / 2)
    return box[0] - half, box[1] + half


def _base(line: Line, boxes):
    """What may be carried on from a right line: the number as typed, the unrounded one, or any between."""
    low, high = np.array(line.middle), np.array(line.middle)
    for box in boxes:
        inside = np.maximum(box[0], line.box[0]), np.minimum(box[1], line.box[1])
        low, high = np.minimum(low, inside[0]), np.maximum(high, inside[1])
    return low, high


def degenerate(task: Task, verdict: Verdict) -> bool:
    """Whether a wrong line leaves the next step nothing to do.

    Lines of zeros, of equal numbers, or copied from the question, and scores of which a single one is left.
    """
    numbers = verdict.line.middle
    kept = numbers[np.isfinite(numbers)]
    if not np.any(kept) or (kept.size > 1 and np.allclose(kept, kept[0])):
        return True
    if verdict.step in STEPS[:3]:
        if kept.size < 2 <= numbers.size:
            return True
        if verdict.slug != "differs":  # scores left unscaled or unmasked still ask for a softmax
            return False
    question = [array for array in (task.q, task.K, task.V, task.given and task.given[0]) if array is not None]
    lines = [array.ravel() for array in question]
    lines += [row for array in question if array.ndim == 2 for row in (*array, *array.T)]
    flat = numbers.ravel()
    return any(flat.shape == copy.shape and np.allclose(flat, copy) for copy in lines)


def _named(task: Task, step: str, line: Line, earlier: list[Verdict]) -> tuple[str, float | None]:
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
    agrees = next(agrees for agrees, _ in _compare(task, "masked", line, task.start, task.given))
    return bool(agrees[open_].all() and s[~open_].max() < s[open_].min() - 3)


def _may_show(slip, step: str, earlier: list[Verdict]) -> bool:
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
    box, typed = (np.min(wrong, axis=0) - slack, np.max(wrong, axis=0) + slack), _wider(line.box)
    if step == "exponentials" and 0 < box[1].max() < np.inf:  # the same, the largest taken away first
        ratio = tuple(edge / box[1].max() for edge in box)
        return bool(_meets(typed, box).all() or _meets(typed, ratio).all())
    return bool(_meets(typed, box).all())


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
    same = np.isfinite(made).all() and _meets(_wider(box), (made, made)).all()
    return f if same and abs(f) > 0.02 and abs(f - 1) > 0.02 else None
