"""The mistakes of chapters 07 to 09 as calculations: heads, removed contents, blocks."""

import numpy as np

from rowwise import reference
from rowwise.exercises import slips, slips_masks, slips_whole
from rowwise.exercises.explain import Slip
from rowwise.exercises.models_heads import REMOVALS, blocks_apart, masked_out, with_value
from rowwise.exercises.slips import slip

# ---- chapter 07


def _split_by_reshape(X, heads):
    *lead, n, width = np.shape(X)
    return np.reshape(X, (*lead, heads, n, width // heads))


def _split_interleaved(X, heads):
    *lead, n, width = np.shape(X)
    return np.moveaxis(np.reshape(X, (*lead, n, width // heads, heads)), -1, -3)


def _merge_by_reshape(X):
    *lead, heads, n, d = np.shape(X)
    return np.reshape(X, (*lead, n, heads * d))


def _merge_interleaved(X):
    *lead, heads, n, d = np.shape(X)
    return np.reshape(np.moveaxis(X, -3, -1), (*lead, n, d * heads))


SPLITS = (
    slip("reshape-for-transpose", "split", split=_split_by_reshape),
    slip("heads-interleaved", "split", split=_split_interleaved),
)
MERGES = (
    slip("reshape-for-transpose", "merge", merge=_merge_by_reshape),
    slip("heads-interleaved", "merge", merge=_merge_interleaved),
    slip("heads-averaged", "mean", merge=lambda X: X.mean(axis=-3)),
    slip("heads-averaged", "sum", merge=lambda X: X.sum(axis=-3)),
)


def _mean_of_heads(X):
    return np.concatenate([X.mean(axis=-3)] * X.shape[-3], axis=-1)


def _sum_of_heads(X):
    return np.concatenate([X.sum(axis=-3)] * X.shape[-3], axis=-1)


def _first_rows(O, Wo):
    return O @ Wo[: O.shape[-1]]


AVERAGED = (
    slip("heads-averaged", "mean", merge=_mean_of_heads),
    slip("heads-averaged", "sum", merge=_sum_of_heads),
    slip("heads-averaged", "mean", merge=lambda X: X.mean(axis=-3), output=_first_rows),
    slip("heads-averaged", "sum", merge=lambda X: X.sum(axis=-3), output=_first_rows),
    slip("heads-averaged", "mean", merge=lambda X: reference.merge_heads(X) / X.shape[-3]),
    slip("heads-averaged", "mean", merge=lambda X: X.mean(axis=-3), output=lambda O, Wo: O),
    slip("heads-averaged", "sum", merge=lambda X: X.sum(axis=-3), output=lambda O, Wo: O),
)


def _axis(axis: int) -> Slip:
    # On an array with fewer axes this axis may be another, or none: as in the code of somebody who wrote the number.
    def largest(S):
        return S.max(axis=axis, keepdims=True)

    def share(E):
        return E / E.sum(axis=axis, keepdims=True)

    return slip("softmax-across-batch-or-heads", f"{axis}", shift=largest, normalise=share)


ACROSS = tuple(_axis(axis) for axis in (0, 1, -3, -4))
TRANSPOSED_BATCH = (slip("transposed-batch", product=lambda Q, K: Q @ K.T),)
MULTI_HEAD = (
    slip("no-output-projection", output=lambda O, Wo: O),
    slip("scaled-by-model-width", scale=lambda S, sizes: S / np.sqrt(sizes["d_model"])),
    *SPLITS,
    *MERGES[:2],
    slip("reshape-for-transpose", "both", split=_split_by_reshape, merge=_merge_by_reshape),
    slip("heads-interleaved", "both", split=_split_interleaved, merge=_merge_interleaved),
    *AVERAGED,
    *slips_masks.however_guarded(ACROSS),
    *TRANSPOSED_BATCH,
)
HEADS = (*MULTI_HEAD, *slips_whole.SELF_SOURCES, *slips_whole.ATTENTION)
HEADS_PAIRS = (*MULTI_HEAD, *slips_whole.SELF_SOURCES, *slips_whole.ATTENTION_PAIRS)

# ---- chapter 08


def _instead(**used):
    """Each way of removing replaced by what is ``used`` for it."""
    return lambda w, S, V, key, how: used.get(how, REMOVALS[how])(w, S, V, key)


def _zeroed_weight(w, S, V, key):
    return np.where(np.arange(len(w)) == key, 0, w), V


def _removed_weight(w, S, V, key, how):
    return masked_out(w, S, V, key) if how == "mask" else _zeroed_weight(w, S, V, key)


def _share_of_weights(before, after, w, left):
    return np.linalg.norm(left - w) / np.linalg.norm(w)


def _size_of_weights(before, after, w, left):
    return np.linalg.norm(left - w)


def _sum_of_weights(before, after, w, left):
    return np.abs(left - w).sum()


def _largest_of_weights(before, after, w, left):
    return np.abs(left - w).max()


_MEASURES = (_share_of_weights, _size_of_weights, _sum_of_weights, _largest_of_weights)
REMOVAL = (
    slip("removal-renormalised", "zero and mean", remove=_instead(zero=masked_out, mean=masked_out)),
    slip("removal-renormalised", "zero", remove=_instead(zero=masked_out)),
    slip("removal-renormalised", "mean", remove=_instead(mean=masked_out)),
    slip("removal-renormalised", "mask", remove=_instead(mask=REMOVALS["zero"])),
    slip(
        "removal-renormalised",
        "swapped",
        remove=_instead(zero=masked_out, mask=REMOVALS["zero"]),
    ),
    *(slip("removal-measures-weights", measure=measure) for measure in _MEASURES),
    *(slip("removal-measures-weights", remove=_removed_weight, measure=measure) for measure in _MEASURES),
    *(slip("removal-measures-weights", remove=_instead(mask=_zeroed_weight), measure=measure) for measure in _MEASURES),
    slip(
        "differs",
        "not a share",
        measure=lambda before, after, w, left: np.linalg.norm(after - before),
    ),
    slip(
        "differs",
        "share of the new output",
        measure=lambda before, after, w, left: np.linalg.norm(after - before) / np.linalg.norm(after),
    ),
    slip(
        "differs",
        "mean of the others",
        remove=_instead(mean=lambda w, S, V, key: (w, with_value(V, key, np.delete(V, key, axis=0).mean(axis=0)))),
    ),
)
CONTENT_REMOVAL = (*REMOVAL, *slips.PRODUCTS, *slips.SCALES, *slips.VALUE_SCALES, *slips.SOFTMAX)

# ---- chapter 09


def _full_blocks(n, block):
    return range(0, n - n % block, block)


def _kept(total, mixed, shrink):
    return total, mixed


STREAMING = (
    slip("accumulator-not-rescaled", "both", carry=_kept),
    slip("accumulator-not-rescaled", "output", carry=lambda total, mixed, shrink: (total * shrink, mixed)),
    slip("accumulator-not-rescaled", "sum", carry=lambda total, mixed, shrink: (total, mixed * shrink)),
    slip("block-outputs-averaged", whole=blocks_apart(lambda outputs, sizes: np.mean(outputs, axis=0))),
    slip(
        "block-outputs-averaged",
        "by size",
        whole=blocks_apart(lambda outputs, sizes: np.average(outputs, axis=0, weights=sizes)),
    ),
    slip("block-outputs-averaged", "sum", whole=blocks_apart(lambda outputs, sizes: np.sum(outputs, axis=0))),
    slip("running-maximum-from-zero", first=0.0),
    slip("last-block-lost", starts=_full_blocks),
    slip("overflow", "none", first=0.0, follow=lambda old, new: old),
    *slips.PRODUCTS,
    *slips.SCALES,
    *slips.VALUE_SCALES,
    *slips.TRUNCATED,
)
