"""What a tutor says about each mistake: what the numbers show, what that points at, what to look at next.

``SAYS`` maps a slug to a function of the evidence. Rows, queries and keys are counted from 1.
"""

import numpy as np

from rowwise.exercises import says_heads, says_masks, says_scores, says_softmax, says_values
from rowwise.exercises.numerals import numbers

# Mistakes that a wrong shape shows better than any number.
SHOWN_BY_SHAPE = frozenset(
    {
        "differs",
        "mean-of-values",
        "transposed-scores",
        "elementwise-not-dot",
        "weights-not-summed",
        "heads-averaged",
    }
)


def raised(exercise, case, answer, every: bool = False) -> str:
    """The student's own line, what Python said of it, and how to see it again."""
    line = f"Your {answer.line}" if answer.line else f"Calling {exercise.name}({', '.join(exercise.arguments)})"
    when = "on every input" if every else f'in the case "{case.name}" ({_shapes(exercise, case.args)})'
    return f"{line}\nstopped {when} with\n{answer.error}\n{_hint(answer.error)}{_again(exercise, case)}"


def _hint(error: str) -> str:
    hints = {
        "RecursionError": "The function calls itself and never stops doing so. ",
        "NameError": "That name is not known where the line runs: is it spelt as in the first line of the function? ",
        "UnboundLocalError": "That name is used before anything is stored in it. ",
        "IndexError": "A loop runs past the end of an array: compare its limit with the shape. ",
        "MemoryError": "An array far larger than the inputs was asked for: look at the shape it is made with. ",
    }
    for name, hint in hints.items():
        if error.startswith(name):
            return hint
    if "positional argument" in error:
        return "The check calls the function with the arguments above, in that order: keep its first line as it was. "
    if error.startswith("ValueError") and any(word in error for word in ("matmul", "shapes", "broadcast")):
        return "Two sizes meet in that line that don't belong together: write both shapes beside it. "
    return ""


def _again(exercise, case) -> str:
    names = ", ".join(exercise.arguments[: len(case.args)])
    which = "" if case.name == "the example" else f', "{case.name}"'
    comma = "," if len(case.args) == 1 else ""
    return f'To see it again: {names}{comma} = check.inputs("{exercise.name}"{which})'


def _shapes(exercise, args) -> str:
    pairs = zip(exercise.arguments, args, strict=False)
    return ", ".join(f"{name} {np.shape(a)}" if np.ndim(a) else f"{name} = {a}" for name, a in pairs)


def unreadable(exercise, answer) -> str:
    """What came instead of an array of numbers."""
    what = answer.error
    more = {
        "a generator": "A `yield` makes a generator, which has computed nothing yet; hand the finished array to `return`.",
        "a function": "It is returned without having been called: brackets with its arguments are missing after its name.",
        "a coroutine": "`async` makes a coroutine, which has computed nothing yet; a plain `def` is enough.",
        "text": "Numbers in quotes are text; leave the quotes away.",
    }.get(what, "Look at what stands after `return`, and print its type and shape just before.")
    return f"{exercise.name} returned {what}; what is asked for is an array of numbers, {exercise.shape}. {more}"


def nothing(e) -> str:
    """None in some cases only."""
    return (
        f"{e.given} your function returned None, though it returns an array elsewhere. One way through it "
        "ends without a `return`: follow the `if`s with these sizes in mind."
    )


def shape(e) -> str:
    """An array of another shape."""
    return (
        f"{e.given} your result has shape {e.value.shape}; what is asked for is {e.exercise.shape}, "
        f"that is {e.right_shape}. Write the shape beside every line and find the first that is not what you meant."
    )


def differs(e) -> str:
    """The right shape, other numbers, for no reason that is known."""
    for decimals in range(7):
        if np.array_equal(np.round(e.seen.right.astype(float), decimals), np.round(e.value.astype(float), 9)):
            return (
                f"{e.given} {e.shown}: the right numbers, rounded to {decimals} decimals. Rounding is for paper; code hands "
                "on everything it has. Look for a `round` in it."
            )
    good = f" {e.rows_right} of its {len(np.atleast_2d(e.value))} rows agree." if e.rows_right else ""
    return (
        f"{e.given} {e.shown}, and that is not what the inputs give.{good} "
        "It is none of the mistakes this check knows by name. Work that one row on paper, one step a line, and compare "
        f"each line with what your code holds there.\n{_again(e.exercise, e.seen.trial.case)}"
    )


def speechless(e) -> str:
    """Where no sentence fits the answer."""
    return (
        f"{e.given} what your function gives shows the mistake named below. Work one row of it on paper, a step a line."
    )


def fitted(e) -> str:
    """Only the example works."""
    got = "the answer does not follow"
    if e.seen.raised:
        got = f"your {e.seen.answer.line or 'function'}\nraised {e.seen.answer.error}"
    first = e.exercise.arguments[0]
    look = (
        f"read from the arguments instead: `{first}.shape` for one" if first != "n" else f"written with {first} instead"
    )
    return (
        f"The example comes out right, and nothing else does: {e.given[0].lower()}{e.given[1:]} {got}. Numbers or sizes of "
        f"the example stand in the code itself. Look for any that could be {look}."
    )


def _inputs_changed(e) -> str:
    changed = [
        name
        for name, before, now in zip(e.exercise.arguments, e.seen.args, e.seen.answer.after, strict=False)
        if isinstance(before, np.ndarray) and not np.array_equal(before, now, equal_nan=before.dtype.kind == "f")
    ]
    name = changed[0] if changed else "an argument"
    ways = (
        "`mask &= …` and `mask[…] = …` both"
        if name == "mask"
        else f"`{name} -= …`, `{name} /= …` and `{name}[…] = …` all"
    )
    return (
        f"{e.where} the caller's own {name} holds other numbers after the call than before. The function writes into its "
        f"argument: {ways} do. Store the result under a new name instead, and the caller keeps theirs."
    )


def _integer_truncation(e) -> str:
    where = f"{e.where} the inputs are whole numbers, and" if "integer" in e.seen.trial.tags else f"{e.where}"
    if e.shaped:
        cut = "the fractions are gone" if (e.mine == np.round(e.mine)).all() else "a fraction was lost on the way"
        shown = f"{where} {e.shown}: {cut}."
    elif e.seen.raised:
        shown = f"{where} your {e.seen.answer.line}\nraised {e.seen.answer.error}."
    else:
        shown = f"{where} the fractions are gone."
    return (
        f"{shown} An array made of integers (`np.zeros_like` of one, `.copy()` of one, `dtype=int`) holds whole numbers "
        "only: what is stored in it is cut off, and neither a fraction nor -inf fits. Look at how the array is made "
        "into which your results go."
    )


def _numbers_for_booleans(e) -> str:
    return (
        f"{e.where} row 1 of yours is {numbers(e.seen.answer.value[0])}: numbers of the kind {e.seen.answer.value.dtype}. A "
        "mask is made of booleans, so that `~mask` turns it round and `S[mask]` picks cells. Which comparison, or which "
        "dtype, would give True and False?"
    )


def _extra_output(e) -> str:
    shapes = " and ".join(str(np.shape(item)) for item in e.seen.answer.value)
    return (
        f"{e.where} {e.exercise.name} returned {len(e.seen.answer.value)} things, of shapes {shapes}; what is asked for is "
        f"one array, {e.exercise.shape}. Look at the last line: a comma after `return` makes a tuple of what stands on "
        "either side."
    )


SAYS = {
    "extra-output": _extra_output,
    "inputs-changed": _inputs_changed,
    "integer-truncation": _integer_truncation,
    "differs": differs,
    "wrong-type": _numbers_for_booleans,
    **says_scores.SAYS,
    **says_softmax.SAYS,
    **says_masks.SAYS,
    **says_values.SAYS,
    **says_heads.SAYS,
}
SHOWN_BY = {**says_softmax.SHOWN_BY, **says_masks.SHOWN_BY, **says_heads.SHOWN_BY}
