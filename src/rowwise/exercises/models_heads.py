"""The calculations of chapters 07 to 09 in steps that can be replaced one by one."""

import numpy as np

from rowwise import reference
from rowwise.exercises.models import attention, by_root_of_width, floats, keep, soften


def split_heads(X, heads, *, split=reference.split_heads):
    """The split alone."""
    return split(X, heads)


def merge_heads(X, *, merge=reference.merge_heads):
    """The merge alone."""
    return merge(X)


HEADS_STEPS = {
    "project": "the projections",
    "split": "the split into heads",
    "product keys": "the dot products",
    "scale": "the scale",
    "exclude guard reweigh": "the mask",
    "shift power normalise rework": "the softmax",
    "mix finish": "the weighted sum",
    "merge": "the merge",
    "output": "the last projection",
}


def multi_head_attention(
    X,
    Wq,
    Wk,
    Wv,
    Wo,
    heads,
    mask=None,
    *,
    project=lambda X, M, Wq, Wk, Wv: (X @ Wq, X @ Wk, X @ Wv),
    split=reference.split_heads,
    merge=reference.merge_heads,
    output=lambda O, Wo: O @ Wo,
    **steps,
):
    """Project, split, attend in each head, merge, project again."""
    X, Wq, Wk, Wv, Wo = map(floats, (X, Wq, Wk, Wv, Wo))
    Q, K, V = (split(A, heads) for A in project(X, X, Wq, Wk, Wv))
    mask = None if mask is None else np.expand_dims(mask, -3)
    return output(merge(attention(Q, K, V, mask, sizes={"d_model": X.shape[-1]}, **steps)), Wo)


def content_removal(
    Q,
    K,
    V,
    query,
    key,
    how,
    *,
    product=reference.scores,
    scale=by_root_of_width,
    remove=lambda w, S, V, key, how: REMOVALS[how](w, S, V, key),
    measure=lambda before, after, w, changed: np.linalg.norm(after - before) / np.linalg.norm(before),
    **softening,
):
    """One row of weights, the same with a content removed, and how far the output has moved.

    ``remove`` gives the weights and the values that are left; ``measure`` takes both outputs and both rows of weights.
    """
    Q, K, V = floats(Q), floats(K), floats(V)
    sizes = {"n_q": len(Q), "n_k": len(K), "d_k": K.shape[-1], "d_v": V.shape[-1]}
    S = scale(product(Q, K), sizes)[query]
    w = soften(S[None], **softening)[0]
    left, values = remove(w, S, V, key, how)
    return np.asarray(measure(w @ V, left @ values, w, left))


def with_value(V, key, row):
    """V with another row in the place of one."""
    values = V.copy()
    values[key] = row
    return values


def masked_out(w, S, V, key):
    """The key excluded, the others renormalised."""
    return soften(np.where(np.arange(len(S)) == key, -np.inf, S)[None])[0], V


REMOVALS = {
    "zero": lambda w, S, V, key: (w, with_value(V, key, 0)),
    "mean": lambda w, S, V, key: (w, with_value(V, key, V.mean(axis=0))),
    "mask": masked_out,
}


def streaming_attention(
    Q,
    K,
    V,
    block,
    *,
    product=reference.scores,
    scale=by_root_of_width,
    first=-np.inf,
    follow=np.maximum,
    carry=lambda total, mixed, shrink: (total * shrink, mixed * shrink),
    starts=lambda n, block: range(0, n, block),
    finish=keep,
    whole=None,
):
    """The online softmax, a block of keys at a time.

    ``first`` is the running maximum's first value, ``follow`` what becomes of it, ``carry`` what is done to the sums
    when it changes, ``starts`` where blocks begin; ``whole`` is done in the place of everything.
    """
    Q, K, V = floats(Q), floats(K), floats(V)
    if whole:
        return whole(Q, K, V, block)
    sizes = {"n_q": len(Q), "n_k": len(K), "d_k": K.shape[-1], "d_v": V.shape[-1]}
    largest = np.full((len(Q), 1), float(first))
    total, mixed = np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[-1]))
    for start in starts(len(K), block):
        S = scale(product(Q, K[start : start + block]), sizes)
        new = follow(largest, S.max(axis=-1, keepdims=True))
        total, mixed = carry(total, mixed, np.exp(largest - new))
        e = np.exp(S - new)
        total, mixed, largest = (
            total + e.sum(axis=-1, keepdims=True),
            mixed + e @ V[start : start + block],
            new,
        )
    return finish(mixed / total)


def blocks_apart(weigh):
    """Attention of each block by itself; ``weigh`` puts the blocks together, from their outputs and their sizes."""

    def compute(Q, K, V, block):
        starts = range(0, len(K), block)
        outputs = [attention(Q, K[i : i + block], V[i : i + block]) for i in starts]
        return weigh(outputs, [len(K[i : i + block]) / len(K) for i in starts])

    return compute
