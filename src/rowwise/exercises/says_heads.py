"""What a tutor says about heads, removed contents and blocks."""

SHOWN_BY = {
    "running-maximum-from-zero": ("extreme",),
    "last-block-lost": ("last",),
}


def _reshape(e) -> str:
    if e.note == "merge":
        way = (
            "Moving from (heads, n, d) to (n, heads·d) puts two axes in another order; reshape only cuts the same line"
        )
        row = "a row holds entries of several positions instead of one position's heads side by side"
    else:
        way = (
            "Moving from (n, heads·d) to (heads, n, d) puts two axes in another order; reshape only cuts the same line"
        )
        row = "a row holds features of another position, or of two"
    return (
        f"{e.given} {e.shown}: {row}. {way} of numbers elsewhere. Number the entries by position and feature, and look "
        "where they land: which axes have to change places, and before or after the reshape?"
    )


def _interleaved(e) -> str:
    row = (
        "neighbouring entries of a row come from different heads"
        if e.note == "merge"
        else "a head holds features that lie apart in X"
    )
    return (
        f"{e.given} {e.shown}: {row}. A head is a run of *neighbouring* features, head 0 the first d of them. Where the width "
        "is cut, or put together, which comes first: the heads, or what is in a head?"
    )


def _averaged(e) -> str:
    how = "summed" if e.note == "sum" else "averaged"
    shown = (
        e.shown if e.shaped else f"your result has shape {e.value.shape}" if e.value is not None else "no row came back"
    )
    return (
        f"{e.given} {shown}: the heads have been {how} into one. Each has something of its own to say; they are laid side by "
        "side, so that the width is heads times d again, and the last matrix decides how they mix. Look at how the axis of "
        "heads goes away."
    )


def _no_output(e) -> str:
    return f"{e.given} {e.shown}: the merged heads as they are. Wo plays no part in it. After the merge one product is missing."


def _model_width(e) -> str:
    return (
        f"{e.given} {e.shown}. That fits scores divided by the root of the whole width of X. Inside a head the keys are only "
        "as wide as the head, and a score adds up that many products. Which axis of which array does the divisor come from?"
    )


def _across(e) -> str:
    return (
        f"{e.given} {e.shown}. It fits a softmax along axis {e.note}, which in an array with a batch or heads in front is not "
        "the axis of the keys: weights of different heads, sentences or queries share one sum. The keys are always the "
        "*last* axis, however many stand before it."
    )


def _transposed_batch(e) -> str:
    return (
        f"{e.given} {e.shown}. It fits scores of Q with `K.T`, and on an array with a batch or heads `.T` turns *all* axes "
        "round, so that heads and sentences move too. Only the last two may change places. Print both shapes."
    )


def _renormalised(e) -> str:
    if e.note == "mask":
        return (
            f'{e.given} {e.shown}. With "mask" the other weights have to share out what the key had, and in yours they have '
            'stayed as they were: that is the change that "zero" asks for. Two questions: what if this content were '
            "nothing, and what if this key were not there? Look at what each branch keeps fixed."
        )
    return (
        f'{e.given} {e.shown}. With "zero" and "mean" only the *value* is replaced and every weight stays as it was; in '
        "yours the other weights have grown, as they do when the key is masked. Two questions: what if this content were "
        "nothing, and what if this key were not there? Look at what each branch keeps fixed."
    )


def _measures_weights(e) -> str:
    return (
        f"{e.given} {e.shown}. It fits a change of the *weights*. What is asked for is how far the output moves: a large "
        "weight on a value that is nearly 0 moves it hardly at all. Compare the two outputs."
    )


def _not_a_share(e) -> str:
    what = {
        "not a share": "how far the output moves, in its own units",
        "share of the new output": "the change as a share of the output *after* it",
        "mean of the others": "what happens when the mean is taken of the *other* values only",
    }[e.note]
    want = {
        "not a share": "divided by the length of the output before",
        "share of the new output": "as a share of the output before",
        "mean of the others": "and the mean here is that of all values",
    }[e.note]
    return (
        f"{e.given} {e.shown}. It fits {what}; it should be {want}. Look at what you divide by, and what you average."
    )


def _not_rescaled(e) -> str:
    which = {"output": "The weighted sum", "sum": "The sum of the exponentials"}.get(e.note, "Each of the two sums")
    return (
        f"{e.given} {e.shown}. {which} of earlier blocks was made against an older, smaller maximum, and kept as it was "
        "when a larger score came. Right while the largest score comes first. By which factor do exponentials change when "
        "the maximum they are taken against does?"
    )


def _blocks_averaged(e) -> str:
    how = "added up" if e.note == "sum" else "averaged"
    return (
        f"{e.given} {e.shown}. It fits blocks that were each put through a softmax of their own and then {how}, so that a "
        "block with small scores counts as much as one with large ones. Divide once, at the very end, by the sum over *all* "
        "keys."
    )


def _from_zero(e) -> str:
    return (
        f"{e.where} {e.shown}. All scores lie near -800 there, below the 0 from which the running maximum starts: every "
        "exponential is 0, and 0/0 is what is left. What does a maximum start from before it has seen a single number?"
    )


def _last_lost(e) -> str:
    return (
        f"{e.given} {e.shown}. The number of keys is no multiple of the block there, and the keys left over play no part. The "
        "last block may be shorter than the others. Look at where your loop ends."
    )


SAYS = {
    "reshape-for-transpose": _reshape,
    "heads-interleaved": _interleaved,
    "heads-averaged": _averaged,
    "no-output-projection": _no_output,
    "scaled-by-model-width": _model_width,
    "softmax-across-batch-or-heads": _across,
    "transposed-batch": _transposed_batch,
    "removal-renormalised": _renormalised,
    "removal-measures-weights": _measures_weights,
    "not a share": _not_a_share,
    "share of the new output": _not_a_share,
    "mean of the others": _not_a_share,
    "accumulator-not-rescaled": _not_rescaled,
    "block-outputs-averaged": _blocks_averaged,
    "running-maximum-from-zero": _from_zero,
    "last-block-lost": _last_lost,
}
