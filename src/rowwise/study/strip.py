"""The pipeline strip: the steps of attention in one line, with the chapter's own step lit."""

from dataclasses import dataclass

from rowwise.study.shown import Shown, escape

# queries, keys and values keep their colours everywhere; the second hue is for a dark page
_HUES = {"Q": ("#0072B2", "#56B4E9"), "K": ("#C24E00", "#FF9A57"), "V": ("#00795B", "#3CC9A3")}


@dataclass(frozen=True)
class Stage:
    """One step: its name, its formula, and the arrays with their shapes before and after it."""

    title: str
    formula: str
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]


_SQUARE = "(n_q, n_k)"
STAGES = {
    "projections": Stage(
        "project",
        "Q, K, V from X",
        (("X", "(n, d_model)"),),
        (("Q", "(n_q, d_k)"), ("K", "(n_k, d_k)"), ("V", "(n_k, d_v)")),
    ),
    "scores": Stage("scores", "Q Kᵀ", (("Q", "(n_q, d_k)"), ("K", "(n_k, d_k)")), (("scores", _SQUARE),)),
    "scaled": Stage("scale", "÷ √d_k", (("scores", _SQUARE),), (("scaled scores", _SQUARE),)),
    "masked": Stage(
        "mask",
        "−∞ if excluded",
        (("scaled scores", _SQUARE), ("mask", _SQUARE)),
        (("masked scores", _SQUARE),),
    ),
    "weights": Stage("softmax", "row by row", (("scores of a row", _SQUARE),), (("weights", _SQUARE),)),
    "output": Stage("mix", "weights V", (("weights", _SQUARE), ("V", "(n_k, d_v)")), (("output", "(n_q, d_v)"),)),
}

_BOX, _GAP, _TOP, _HEIGHT = 124, 20, 8, 56
_WIDTH = len(STAGES) * (_BOX + _GAP) - _GAP + 8


def strip(*lit: str, minutes: int | None = None) -> Shown:
    """The pipeline with the steps ``lit`` (names of STAGES), the shapes before the first and after the last.

    ``minutes`` is how long the chapter takes. An unknown step raises a ValueError that lists the known ones.
    """
    for name in lit:
        if name not in STAGES:
            raise ValueError(f"the strip has no step {name!r}; it has {', '.join(STAGES)}")
    account = _account(lit, minutes)
    boxes = "".join(_box(i, name, name in lit) for i, name in enumerate(STAGES))
    height = _TOP + _HEIGHT + 4
    svg = (
        f"<svg viewBox='0 0 {_WIDTH} {height}' width='100%' "
        f"style='max-width:{_WIDTH}px;color:var(--jp-content-font-color1,#1a1d21)' role='img' "
        f"aria-label='{escape(account)}' font-family='system-ui, sans-serif' font-size='17'>{boxes}</svg>"
    )
    dark = "".join(
        f"[data-jp-theme-light='false'] .rw-strip .rw-{k}{{color:{d} !important}}" for k, (_, d) in _HUES.items()
    )
    lines = [_shapes(lit)] if lit else []
    lines += [f"About {minutes} minutes."] if minutes else []
    below = "".join(f"<p style='margin:4px 0'>{line}</p>" for line in lines)
    return Shown(f"<div class='rw-strip'><style>{dark}</style>{svg}{below}</div>", account)


def _account(lit, minutes) -> str:
    """The strip in words."""
    words = "The steps of attention in order: " + ", ".join(stage.title for stage in STAGES.values()) + "."
    if lit:
        before = ", ".join(f"{name} {shape}" for name, shape in _before(lit))
        after = ", ".join(f"{name} {shape}" for name, shape in STAGES[lit[-1]].after)
        here = " and ".join(STAGES[name].title for name in lit)
        words += f" This chapter: {here}. Before: {before}. After: {after}."
    return words + (f" About {minutes} minutes." if minutes else "")


def _before(lit):
    """What goes into the lit steps together: all that the first takes, and what later ones take besides."""
    first, *later = (STAGES[name] for name in lit)
    made = {name for name, _ in first.after}
    return [*first.before, *(array for stage in later for array in stage.before[1:] if array[0] not in made)]


def _box(i: int, name: str, lit: bool) -> str:
    stage, left = STAGES[name], 4 + i * (_BOX + _GAP)
    middle = left + _BOX / 2
    fill, ink, weight = ("#3d4a5c", "#ffffff", "700") if lit else ("none", "currentColor", "400")
    border = 2 if lit else 1
    arrow = (
        f"<text x='{left - _GAP / 2}' y='{_TOP + 33}' text-anchor='middle' fill='currentColor'>→</text>" if i else ""
    )
    return (
        f"{arrow}<rect x='{left}' y='{_TOP}' width='{_BOX}' height='{_HEIGHT}' rx='6' fill='{fill}' "
        f"stroke='currentColor' stroke-width='{border}'/>"
        f"<text x='{middle}' y='{_TOP + 24}' text-anchor='middle' fill='{ink}' font-weight='{weight}'>"
        f"{stage.title}</text>"
        f"<text x='{middle}' y='{_TOP + 45}' text-anchor='middle' fill='{ink}' font-size='15'>"
        f"{stage.formula}</text>"
    )


def _shapes(lit) -> str:
    """The arrays before the first and after the last lit step, each in its own colour."""

    def named(arrays):
        for name, shape in arrays:
            hue = _HUES.get(name)
            colour = f" class='rw-{name}' style='color:{hue[0]}'" if hue else ""
            yield f"<strong{colour}>{name}</strong> {shape}"

    return f"{', '.join(named(_before(lit)))} → {', '.join(named(STAGES[lit[-1]].after))}"
