"""Marks a row: each step against the exact row and against the student's own earlier lines; the better counts."""

from dataclasses import dataclass

import numpy as np

from rowwise.mark import Mark, Step
from rowwise.rows.compare import compare, meets, wider
from rowwise.rows.lines import Line, read_line
from rowwise.rows.naming import named
from rowwise.rows.notes import summary, tell
from rowwise.rows.task import STEPS, Task


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
            tell(task, v),
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
                slug = named(task, step, line, verdicts)[0] or slug
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
    return max((agrees for agrees, _ in compare(task, step, part, task.start, task.given)), key=np.sum)


def _judge_step(task: Task, step: str, line: Line, earlier: list[Verdict]) -> Verdict:
    bases = [(None, task.start, task.given)]
    bases += [(v, v.step, v.base) for v in earlier if v.base and not v.refuses(task)]
    found = [
        (v, agrees, box) for v, source, numbers in bases for agrees, box in compare(task, step, line, source, numbers)
    ]
    whole = [(v, box) for v, agrees, box in found if agrees.all()]
    agrees = max((agrees for _, agrees, _ in found), key=np.sum)
    if whole:
        behind = any(v.carried or (v.base and not v.right) for v in earlier)
        carried = behind and all(v is not None for v, _ in whole)
        return Verdict(step, line, True, carried, agrees=agrees, base=_base(line, [box for _, box in whole]))
    slug, factor = named(task, step, line, earlier)
    near = not slug and any(meets(wider(line.box), box).all() for _, _, box in found)
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
