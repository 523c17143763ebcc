"""What a tutor says about each mistake: what the numbers show, what that points at, what to look at next.

``SAYS`` maps a slug to a function of the evidence. Rows, queries and keys are counted from 1.
"""

import numpy as np

# The tags of the case that shows a mistake best, and the mistakes that a wrong shape shows better than any number.
SHOWN_BY: dict[str, tuple[str, ...]] = {}
SHOWN_BY_SHAPE = frozenset({"transposed-scores", "elementwise-not-dot", "weights-not-summed"})


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
        f"{e.where} ({e.sizes}) your function returned None, though it returns an array elsewhere. One way through it "
        "ends without a `return`: follow the `if`s with these sizes in mind."
    )


def shape(e) -> str:
    """An array of another shape."""
    return (
        f"{e.where} ({e.sizes}) your result has shape {e.value.shape}; what is asked for is {e.exercise.shape}, "
        f"that is {e.right_shape}. Write the shape beside every line and find the first that is not what you meant."
    )


def differs(e) -> str:
    """The right shape, other numbers, for no reason that is known."""
    good = f" {e.rows_right} of its {len(np.atleast_2d(e.value))} rows agree." if e.rows_right else ""
    return (
        f"{e.where} ({e.sizes}) row {e.row + 1} of yours is {e.mine_text}, and that is not what the inputs give.{good} "
        "It is none of the mistakes this check knows by name. Work that one row on paper, one step a line, and compare "
        f"each line with what your code holds there.\n{_again(e.exercise, e.seen.trial.case)}"
    )


def fitted(e) -> str:
    """Only the example works."""
    got = f"your line\n{e.seen.answer.line}\nraised {e.seen.answer.error}" if e.seen.raised else "the answer does not follow"
    return (
        f"The example comes out right, and nothing else does: {e.where[0].lower()}{e.where[1:]} ({e.sizes}) {got}. "
        "Numbers or sizes of the example stand in the code itself. Look for any that could be read from the arguments "
        "instead, `Q.shape` for one."
    )


def _inputs_changed(e) -> str:
    changed = [
        name
        for name, before, now in zip(e.exercise.arguments, e.seen.args, e.seen.answer.after, strict=False)
        if isinstance(before, np.ndarray) and not np.array_equal(before, now, equal_nan=before.dtype.kind == "f")
    ]
    name = changed[0] if changed else "an argument"
    return (
        f"{e.where} the caller's own {name} holds other numbers after the call than before. The function writes into its "
        f"argument: `{name} -= …`, `{name} /= …` and `{name}[…] = …` all do. Make a new array instead, "
        f"`{name} = {name} - …`, and the caller keeps theirs."
    )


def _transposed_scores(e) -> str:
    if e.shaped:
        return (
            f"{e.where} row {e.row + 1} of yours is {e.mine_text}: these are the scores of key {e.row + 1} with every "
            f"query, so the matrix is mirrored. Each query gets a row of its own, with one entry a key. Which of the two "
            "arrays did you transpose?"
        )
    q, k = len(e.argument("Q")), len(e.argument("K"))
    return (
        f"{e.where} your scores have shape {e.value.shape}: one row a key. There are {q} queries and {k} keys, and each "
        "query gets a row of its own. Which of the two arrays did you transpose?"
    )


def _queries_with_queries(e) -> str:
    used, idle, word = ("Q", "K", "query") if e.note == "Q" else ("K", "Q", "key")
    return (
        f"{idle} plays no part in your scores: they stay as they are whatever {idle} holds. {e.where} ({e.sizes}) the "
        f"result is {used} with {used}, every {word} compared with every other {word}. A score compares a query with a "
        f"key. Look at the two names in your product."
    )


def _cosine(e) -> str:
    what = {"both": "a query or a key", "query": "a query", "key": "a key"}[e.note]
    return (
        f"{e.where} row {e.row + 1} of yours is {e.mine_text}. Doubling {what} would change nothing in it, so lengths have "
        "been divided away: that is a cosine. A dot product keeps them; a key twice as long scores twice as high. Look for "
        "a norm in your code."
    )


def _elementwise(e) -> str:
    if e.note in ("unsummed", "pairs"):
        return (
            f"{e.where} ({e.sizes}) your result has shape {e.value.shape}: the products of single entries, still apart. A "
            "score is one number for a query and a key. What has to happen to the products of one such pair?"
        )
    if e.note == "pairs summed":
        return (
            f"{e.where} ({e.sizes}) your result has shape {e.value.shape}: query 1 with key 1 only, query 2 with key 2 only. "
            "Every query meets every key. Look at which pairs your product forms."
        )
    return (
        f"{e.where} row {e.row + 1} of yours is {e.mine_text}. It comes from the sum of a query's entries and the sum of a "
        "key's, so shuffling the entries of a key would change nothing. In a dot product entry 1 meets entry 1, entry 2 "
        "meets entry 2: multiply in pairs first, sum afterwards."
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
    "transposed-scores": _transposed_scores,
    "queries-with-queries": _queries_with_queries,
    "cosine-not-dot": _cosine,
    "elementwise-not-dot": _elementwise,
}
