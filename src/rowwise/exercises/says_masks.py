"""What a tutor says about masks. True in a mask = may attend, and each message says so where it matters."""

import numpy as np

from rowwise.exercises.numerals import number

SHOWN_BY = {
    "overflow": ("extreme",),
    "global-maximum": ("extreme",),
    "mask-after-softmax": ("mask identity",),
    "mask-then-renormalise": ("dominates", "mask"),
    "mask-zeroes-scores": ("mask identity",),
    "mask-too-weak": ("weak", "dominates", "mask identity"),
    "mask-times-infinity": ("mask identity",),
    "mask-added": ("mask identity",),
    "mask-inverted": ("mask identity",),
    "mask-transposed": ("mask identity", "mask"),
    "mask-ignored": ("mask identity", "mask"),
    "nothing-permitted-nan": ("empty",),
    "nothing-permitted-uniform": ("empty identity",),
    "integer-truncation": ("integer",),
}


def _excluded_cell(e, where) -> tuple[int, int] | None:
    """A cell of the answer for which ``where(answer, mask)`` holds, counted from 0."""
    if not e.reads_weights or e.mask is None or e.value.shape != e.mask.shape:
        return None
    cells = np.argwhere(where(e.value, e.mask))
    return (int(cells[0][0]), int(cells[0][1])) if len(cells) else None


def _has_weight(value, mask):
    return ~mask & (np.nan_to_num(value) > 1e-12)


def _leak(e) -> str:
    """The first excluded key that has weight."""
    cell = _excluded_cell(e, _has_weight)
    if cell is None:
        return f"{e.where} {e.shown}" if e.shaped else f"{e.where} no row can be shown"
    row, key = cell
    weight = number(e.value[row, key])
    return f"{e.weights_where} query {row + 1} gives key {key + 1} a weight of {weight}, and its mask excludes it"


def _after_softmax(e) -> str:
    if e.reads_weights:
        row, total = e.uneven
        shown = f"{e.weights_where} row {row + 1} of yours is {e.text_of(row)} and sums to {number(total)}"
    else:
        shown = f"{e.where} {e.shown}, weighted by less than 1 in all"
    return (
        f"{shown}. The excluded weights are 0, as they should be, but what they had was lost with them. Exclude *before* the "
        "softmax, with a score whose exponential is 0: then the permitted keys share out the whole 1 by themselves."
    )


def _then_renormalise(e) -> str:
    return (
        f"{e.where} {e.shown}. An excluded key scores far above the permitted ones there: in "
        "the softmax it takes all the weight, theirs become 0, and after it has been zeroed nothing is left to divide by. On "
        "mild scores, and on paper, this order of steps is right. Exclude before the softmax and it always is."
    )


def _zeroes_scores(e) -> str:
    if e.exercise.name == "masked_scores":
        return (
            f"{e.where} {e.shown}: excluded scores are 0. But 0 is a score like any other; "
            "its exponential is 1, more than that of every negative score. Which score has an exponential of exactly 0?"
        )
    return (
        f"{_leak(e)}. Its score was set to 0, and 0 is a score like any other: the exponential of 0 is 1. Which score has an "
        "exponential of exactly 0?"
    )


def _too_weak(e) -> str:
    if e.exercise.name == "masked_scores":
        return (
            f"{e.where} {e.shown}: where the mask excludes, a finite number stands. Sooner or "
            "later a permitted score lies below it, or a whole row is excluded and shares out its weight all the same. What "
            "lies below every number?"
        )
    how = f" It fits a penalty of about {e.note}." if e.note and abs(float(e.note)) < 40 else ""
    return (
        f"{_leak(e)}.{how} A finite penalty holds only while the permitted scores stay well above it. What lies below "
        "every number, so that its exponential is exactly 0?"
    )


def _times_infinity(e) -> str:
    cells = np.argwhere(np.isnan(e.value)) if e.shaped else []
    shown = f"row {cells[0][0] + 1} of yours is {e.text_of(cells[0][0])}" if len(cells) else "NaN comes back"
    return (
        f"{e.where} {shown}: NaN where the mask *permits*. There the factor beside the infinity is 0, and 0 times infinity "
        "is no number. Choose between score and -inf cell by cell instead of multiplying."
    )


def _added(e) -> str:
    what = {
        "excluded": "each excluded score is 1 larger than it was",
        "subtracted": "the mask has been subtracted as a number",
    }.get(e.note, "each permitted score is 1 larger than it was")
    shown = f"{e.where} {e.shown}" if e.exercise.name == "masked_scores" else _leak(e)
    return (
        f"{shown}. It fits a mask that was used as a number: True counts as 1, so {what}, and nothing is excluded. A boolean "
        "mask chooses, cell by cell, between the score and -inf."
    )


def _inverted(e) -> str:
    if e.exercise.name == "causal_mask":
        return (
            f"{e.where} row 1 of yours is {e.text_of(0)} and the last row {e.text_of(-1)}: each position sees exactly those "
            "that come after it. In this course True means *may attend*; other libraries use the opposite. Which of the two "
            "does your mask say?"
        )
    if e.exercise.name == "masked_scores":
        return (
            f"{e.where} {e.shown}: what should exclude stands where the mask permits, and the excluded "
            "scores are kept. In this course True means *may attend*; other libraries use the opposite. Look at the order in "
            "which your choice takes its two sides."
        )
    return (
        f"{_leak(e)}; the permitted keys have none. In this course True means *may attend*; other libraries use the opposite. "
        "Look at what your code does where the mask is True."
    )


def _transposed(e) -> str:
    if e.exercise.name == "masked_scores":
        return (
            f"{e.where} {e.shown}: -inf stands where *column* {e.row + 1} of the mask says "
            "so. A mask has a row for each query and a column for each key, as the scores have; it needs no turning. Look "
            "for a `.T` beside the mask."
        )
    return (
        f"{_leak(e)}: its row of your result follows *column* {e.row + 1} of the mask. A mask has a row for each query and a "
        "column for each key, as the scores have; it needs no turning. Where there are as many queries as keys nothing "
        "raises. Look for a `.T` beside the mask."
    )


def _ignored(e) -> str:
    if e.exercise.name == "masked_scores":
        return (
            f"{e.where} {e.shown}: the scores as they came. The mask plays no part. Look for "
            "the line in which it should be used."
        )
    return (
        f"{_leak(e)}. Your result stays the same whatever the mask says. Look for the line in which it should be used, and "
        "whether it is handed on."
    )


def _excludes_self(e) -> str:
    return (
        f"{e.where} row 1 of yours is {e.text_of(0)}: position 1 has nothing to attend to, and no position sees itself. "
        "Causal means: no *later* position. Look at the diagonal."
    )


def _looks_ahead(e) -> str:
    row, key = np.argwhere(e.value & ~e.seen.right)[0]
    return (
        f"{e.where} row {row + 1} of yours is {e.text_of(row)}: position {row + 1} may attend to position {key + 1}, which "
        "comes after it. A causal mask looks back, itself included. Look at which triangle is True, and where it ends."
    )


def _nothing_nan(e) -> str:
    rows = np.flatnonzero(np.isnan(e.value).any(axis=-1)) if e.shaped else [0]
    return (
        f"{e.where} row {rows[0] + 1} of yours is {e.text_of(rows[0]) if e.shaped else 'no number'}. Its mask permits no key: "
        "every score is -inf, -inf minus -inf is no number, and neither is 0/0. In this course such a row has no weights and "
        "an output of zeros. Look at what your maximum and your sum are in that row."
    )


def _nothing_uniform(e) -> str:
    return (
        f"{e.where} {e.shown}. Its mask permits no key, and still its weights sum to 1: they "
        "are all on excluded keys. In this course such a row has no weights and an output of zeros. Ask before the softmax, "
        "or after it, whether a row permits anything at all."
    )


SAYS = {
    "mask-after-softmax": _after_softmax,
    "mask-then-renormalise": _then_renormalise,
    "mask-zeroes-scores": _zeroes_scores,
    "mask-too-weak": _too_weak,
    "mask-times-infinity": _times_infinity,
    "mask-added": _added,
    "mask-inverted": _inverted,
    "mask-transposed": _transposed,
    "mask-ignored": _ignored,
    "causal-excludes-self": _excludes_self,
    "causal-looks-ahead": _looks_ahead,
    "nothing-permitted-nan": _nothing_nan,
    "nothing-permitted-uniform": _nothing_uniform,
}
