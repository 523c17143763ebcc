"""What a tutor says about the softmax of each row."""

import numpy as np

from rowwise.exercises.numerals import number

SHOWN_BY = {
    slug: ("identity",)
    for slug in (
        "softmax-down-columns",
        "softmax-over-everything",
        "sums-broadcast-wrong",
        "no-exponential",
        "wrong-base-or-temperature",
        "not-normalised",
        "log-weights",
        "softmax-twice",
        "argmax",
        "no-scaling",
        "scaled-by-width",
        "scaled-wrong-way",
        "scaled-by-wrong-size",
    )
}


def _sum_to_one(sums) -> bool:
    return bool(np.allclose(sums, 1, atol=1e-3))


def _columns(e) -> str:
    row, total = e.uneven
    if e.reads_weights and _sum_to_one(e.value.sum(axis=-2)):
        shown = f"{e.weights_where} each of your *columns* sums to 1; row {row + 1} sums to {number(total)}."
    else:
        shown = f"{e.where} {e.shown}: the weights behind it sum to 1 down the *columns*."
    return (
        f"{shown} Every query asks its own question, so each row is a distribution over the keys. Look at the axis your sum "
        "runs along."
    )


def _everything(e) -> str:
    row, total = e.uneven
    if e.reads_weights and _sum_to_one(e.value.sum()):
        shown = f"{e.weights_where} all your weights together sum to 1; row {row + 1} alone sums to {number(total)}."
    else:
        shown = f"{e.where} {e.shown}: the weights of all rows together sum to 1."
    return (
        f"{shown} Each query shares out a 1 of its own among the keys. Look at what your sum runs over: along which axis, "
        "and is it given one?"
    )


def _broadcast(e) -> str:
    what = {"maximum": "maxima", "both": "sums and maxima"}.get(e.note, "sums")
    shown = e.shown
    if e.reads_weights and e.note != "maximum":
        row, total = e.uneven
        shown = f"row {row + 1} of yours sums to {number(total)}"
    return (
        f"{e.weights_where} {shown}, and where there are more keys than queries the line raises. The row {what} have lost "
        "their axis: NumPy lines a flat array up with the *columns*, so that the number of row 1 meets column 1. Compare "
        f"the shape of your scores with that of the row {what}, and see what `keepdims=True` does to it."
    )


def _no_exponential(e) -> str:
    return (
        f"{e.weights_where} {e.shown}: the scores themselves (or their sizes, or their "
        "distances from the smallest) divided by their sum. Then one number added to a whole row changes its weights, and a "
        "row can divide by 0. The exponential comes first: it makes every score positive and turns differences into ratios."
    )


def _temperature(e) -> str:
    known = {"base 2": np.log(2), "base 10": np.log(10)}
    why = f"a factor of about {e.note} sits on the scores"
    if e.note in known:
        why = f"the base is {e.note.split()[1]}"
    ratio = ""
    if e.note in known or (e.note[0].isdigit() and "," not in e.note and "/" not in e.note):
        factor = known.get(e.note) or float(e.note)
        ratio = (
            f", too {'flat' if factor < 1 else 'sharp'}: where two scores differ by 1, your weights differ by a factor of "
            f"{number(np.exp(factor))}, and it should be e, about 2.718"
        )
    return (
        f"{e.weights_where} {e.shown}. The order of its weights is right, their proportions are not{ratio}. It looks as if "
        f"{why}. Look at the line with the power in it."
    )


def _not_normalised(e) -> str:
    what = {
        "maximum": "divided by the largest of them",
        "mean": "divided by their mean",
        "size": "divided by how many there are",
        "squares": "divided by the length of the row",
    }.get(e.note, "exponentials that nothing has divided")
    row, total = e.uneven
    shown = f"{e.weights_where} row {row + 1} of yours is {e.text_of(row)} and sums to {number(total)}: {what}"
    if not e.reads_weights:
        shown = f"{e.where} {e.shown}. The weights behind it do not sum to 1: {what}"
    return f"{shown}. A query shares out exactly 1 among the keys. What has to divide each exponential, so that its row does?"


def _log_weights(e) -> str:
    shown = f"{e.weights_where} {e.shown}, and nothing in it is positive; a weight lies between 0 and 1."
    if not e.reads_weights:
        shown = f"{e.where} {e.shown}: the values were weighted with negative numbers."
    return f"{shown} These are the *logarithms* of weights. Look for a log, or a log_softmax, in your code."


def _twice(e) -> str:
    shown = f"{e.weights_where} {e.shown}: nearly uniform, and so is every other row, whatever the scores."
    if not e.reads_weights:
        shown = f"{e.where} {e.shown}: the weights behind it are nearly uniform, whatever the scores."
    return (
        f"{shown} Weights between 0 and 1 have been put through the softmax again, which cannot make them differ by more "
        "than a factor of e. Count the softmaxes between the scores and `return`."
    )


def _argmax(e) -> str:
    if e.reads_weights:
        return (
            f"{e.weights_where} {e.shown}: all or nothing. A softmax gives most to the "
            "largest score and something to every other. Look for a max or an argmax that *chooses* where it should only "
            "be taken away."
        )
    return (
        f"{e.where} {e.shown}: one value as it is, that with the largest weight. The "
        "other weights of that row are not 0, so their values have a part in the sum. Look for an argmax, or a one-hot row."
    )


def _overflow(e) -> str:
    left = {
        "mean": "Taking a mean away is not enough: the largest score can still lie 1000 above it.",
        "minimum": "Taking the smallest score away makes the others larger still.",
        "size": "The largest *size* is not the largest score: a row of negative scores then falls to exp(-2000), which is 0.",
    }.get(
        e.note,
        "Take each row's own maximum away first: the weights stay the same, and no exponential exceeds 1.",
    )
    shown = e.shown if e.shaped else f"your {e.seen.answer.line}\nraised {e.seen.answer.error}"
    if e.shaped and e.value.ndim == 2 and not np.isfinite(e.value).all():
        row = int(np.argmin(np.isfinite(e.value).all(axis=-1)))
        shown = f"row {row + 1} of yours is {e.text_of(row)}"
    return (
        f"{e.where} {shown}. The exponential of 1000 is more than a float can hold (it ends near 709), and that of -1000 is "
        f"0, so a whole row can sum to 0. {left}"
    )


def _global_maximum(e) -> str:
    return (
        f"{e.where} {e.shown}, though the row with the largest score of all is right. One "
        "maximum was taken away from the whole matrix; this row lies so far below it that every exponential in it is 0, and "
        "0/0 is what is left. Each row has a maximum of its own. Look at the axis of your max."
    )


SAYS = {
    "softmax-down-columns": _columns,
    "softmax-over-everything": _everything,
    "sums-broadcast-wrong": _broadcast,
    "no-exponential": _no_exponential,
    "wrong-base-or-temperature": _temperature,
    "not-normalised": _not_normalised,
    "log-weights": _log_weights,
    "softmax-twice": _twice,
    "argmax": _argmax,
    "overflow": _overflow,
    "global-maximum": _global_maximum,
}
