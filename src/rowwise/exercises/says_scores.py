"""What a tutor says about products and scales."""

import numpy as np


def _transposed_scores(e) -> str:
    if e.shaped:
        if "V" in e.exercise.arguments or "Wv" in e.exercise.arguments:
            return (
                f"{e.where} {e.shown}, mixed with weights from the scores of key "
                f"{e.row + 1}: the matrix of scores is mirrored. Each query gets a row of its own, with one entry a key. "
                "Which of the two arrays did you transpose?"
            )
        return (
            f"{e.where} {e.shown}: these are the scores of key {e.row + 1} with every "
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
        f"{idle} plays no part in your scores: they stay as they are whatever {idle} holds. {e.given} the "
        f"result is {used} with {used}, every {word} compared with every other {word}. A score compares a query with a "
        f"key. Look at the two names in your product."
    )


def _cosine(e) -> str:
    what = {"both": "a query or a key", "query": "a query", "key": "a key"}[e.note]
    return (
        f"{e.where} {e.shown}. Doubling {what} would change nothing in it, so lengths have "
        "been divided away: that is a cosine. A dot product keeps them; a key twice as long scores twice as high. Look for "
        "a norm in your code."
    )


def _elementwise(e) -> str:
    if e.note in ("unsummed", "pairs"):
        return (
            f"{e.given} your result has shape {e.value.shape}: the products of single entries, still apart. A "
            "score is one number for a query and a key. What has to happen to the products of one such pair?"
        )
    if e.note == "pairs summed":
        return (
            f"{e.given} your result has shape {e.value.shape}: query 1 with key 1 only, query 2 with key 2 only. "
            "Every query meets every key. Look at which pairs your product forms."
        )
    return (
        f"{e.where} {e.shown}. It comes from the sum of a query's entries and the sum of a "
        "key's, so shuffling the entries of a key would change nothing. In a dot product entry 1 meets entry 1, entry 2 "
        "meets entry 2: multiply in pairs first, sum afterwards."
    )


def _values_in_scores(e) -> str:
    return (
        f"{e.given} your weights follow the values: move a value and the scores move, while the keys play no "
        "part in them. Keys decide who is listened to, values what is said. Look at the second array of your product."
    )


def _times(e) -> str:
    """What the student's numbers show of a scale: in scores directly, in attention by its weights."""
    if e.exercise.name == "scaled_scores":
        return f"{e.where} {e.shown}"
    return f"{e.weights_where} {e.shown}"


def _width(e) -> int:
    if e.exercise.arguments[0] == "Q":
        return np.shape(e.argument("Q"))[-1]
    return np.shape(e.argument("Wq"))[-1] // (e.argument("heads") or 1)


def _no_scaling(e) -> str:
    return (
        f"{_times(e)}. That is what the dot products give as they are: every score √d_k times too large (d_k is "
        f"{_width(e)} here), so the softmax turns out too sharp. The scores are divided once, before the softmax. Where in "
        "your code would that be?"
    )


def _scaled_by_width(e) -> str:
    return (
        f"{_times(e)}. Every score is too small by √d_k (d_k is {_width(e)} here): it was divided by d_k itself, or by √d_k "
        "twice. What grows with the width is the *spread* of a score, and that grows as a square root. Look for a missing "
        "root, or for a second division."
    )


def _scaled_wrong_way(e) -> str:
    return (
        f"{_times(e)}. Every score is too large by d_k ({_width(e)} here): it was multiplied by √d_k, not divided. Wide "
        "vectors make large scores; the scale takes that back. Look at the operation beside the root."
    )


def _scaled_by_wrong_size(e) -> str:
    return (
        f"{_times(e)}. That fits scores divided by {e.note}. Each score adds up one product for every column of the keys, so "
        f"it is their width that the divisor has to follow ({_width(e)} here). It comes out right only where the sizes "
        "happen to agree. Which axis of which array does your divisor come from?"
    )


def _scaled_output(e) -> str:
    sharp = "as sharp as without any scale, and the output" if e.note != "both" else "right, but the output"
    return (
        f"{_times(e)}. The weights behind it are {sharp} is too small by √d_k (d_k is {_width(e)} here): with weights that "
        "sum to 1 it should lie between the values, and it does not. The divisor stands on the values or on the output. It "
        "belongs on the scores, before the softmax."
    )


def _scaled_too_early(e) -> str:
    return (
        f"{e.where} {e.shown}: every dot product, divided by √d_k. The scale is the next "
        "chapter's step; here the products themselves are asked for. Look for a division in your code."
    )


SAYS = {
    "transposed-scores": _transposed_scores,
    "queries-with-queries": _queries_with_queries,
    "cosine-not-dot": _cosine,
    "elementwise-not-dot": _elementwise,
    "values-in-scores": _values_in_scores,
    "no-scaling": _no_scaling,
    "scaled-by-width": _scaled_by_width,
    "scaled-wrong-way": _scaled_wrong_way,
    "scaled-by-wrong-size": _scaled_by_wrong_size,
    "scaled-output": _scaled_output,
    "scaled": _scaled_too_early,
}
