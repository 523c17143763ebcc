"""split_heads, merge_heads and multi_head_attention."""

import numpy as np

from wrong import right, wrong
from wrong.attentions import softmax


def split(X, heads):
    *lead, n, width = X.shape
    return X.reshape(*lead, n, heads, width // heads).swapaxes(-2, -3)


def merge(X):
    *lead, h, n, d = X.shape
    return X.swapaxes(-2, -3).reshape(*lead, n, h * d)


def swap(K):
    return np.swapaxes(K, -1, -2)


def excluded(S, mask):
    return S if mask is None else np.where(np.expand_dims(mask, -3), S, -np.inf)


# ---- split_heads


right("split_heads")(split)


@right("split_heads")
def slices(X, heads):
    d = X.shape[-1] // heads
    return np.stack([X[..., h * d : (h + 1) * d] for h in range(heads)], axis=-3)


@right("split_heads")
def a_list_of_heads(X, heads):
    if X.ndim > 2:
        return [a_list_of_heads(item, heads) for item in X]
    return np.split(X, heads, axis=1)


@right("split_heads")
def moved(X, heads):
    return np.moveaxis(X.reshape(*X.shape[:-1], heads, -1), -2, -3)


@wrong("split_heads", "reshape-for-transpose")
def reshaped(X, heads):
    *lead, n, width = X.shape
    return X.reshape(*lead, heads, n, width // heads)


@wrong("split_heads", "reshape-for-transpose")
def reshaped_by_order(X, heads):
    return np.reshape(X.copy(), (*X.shape[:-2], heads, X.shape[-2], -1), order="C")


@wrong("split_heads", "heads-interleaved")
def width_first(X, heads):
    *lead, n, width = X.shape
    return np.moveaxis(X.reshape(*lead, n, width // heads, heads), -1, -3)


@wrong("split_heads", "heads-interleaved")
def every_so_many(X, heads):
    return np.stack([X[..., h::heads] for h in range(heads)], axis=-3)


@wrong("split_heads", "wrong-shape")
def not_moved(X, heads):
    return X.reshape(*X.shape[:-1], heads, -1)


@wrong("split_heads", "inputs-changed")
def shape_set(X, heads):
    out = split(X, heads).copy()
    X *= 0
    return out


@wrong("split_heads", "wrong-shape")
def one_matrix(X, heads):
    return split(X, heads)[0]


# ---- merge_heads


right("merge_heads")(merge)


@right("merge_heads")
def concatenated(X):
    return np.concatenate([X[..., h, :, :] for h in range(X.shape[-3])], axis=-1)


@right("merge_heads")
def einops_by_hand(X):
    *lead, h, n, d = X.shape
    out = np.empty((*lead, n, h * d), X.dtype)
    for i in range(h):
        out[..., i * d : (i + 1) * d] = X[..., i, :, :]
    return out


@wrong("merge_heads", "reshape-for-transpose")
def merged_by_reshape(X):
    *lead, h, n, d = X.shape
    return X.reshape(*lead, n, h * d)


@wrong("merge_heads", "reshape-for-transpose")
def merged_by_ravel(X):
    return np.array(X).reshape((*X.shape[:-3], X.shape[-2], -1))


@wrong("merge_heads", "heads-interleaved")
def features_first(X):
    *lead, h, n, d = X.shape
    return np.moveaxis(X, -3, -1).reshape(*lead, n, h * d)


@wrong("merge_heads", "heads-interleaved")
def stacked_last(X):
    heads = [X[..., i, :, :] for i in range(X.shape[-3])]
    return np.stack(heads, axis=-1).reshape(*X.shape[:-3], X.shape[-2], -1)


@wrong("merge_heads", "heads-averaged")
def mean(X):
    return X.mean(axis=-3)


@wrong("merge_heads", "heads-averaged")
def summed(X):
    return np.sum(X, axis=-3)


# ---- multi_head_attention


def attend(Q, K, V, mask=None):
    return softmax(excluded(Q @ swap(K) / np.sqrt(K.shape[-1]), mask)) @ V


@right("multi_head_attention")
def batched(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return merge(attend(split(X @ Wq, heads), split(X @ Wk, heads), split(X @ Wv, heads), mask)) @ Wo


@right("multi_head_attention")
def loop_over_heads(X, Wq, Wk, Wv, Wo, heads, mask=None):
    d = Wq.shape[1] // heads
    outputs = []
    for h in range(heads):
        part = slice(h * d, (h + 1) * d)
        Q, K, V = X @ Wq[:, part], X @ Wk[:, part], X @ Wv[:, part]
        S = Q @ swap(K) / np.sqrt(d)
        outputs.append(softmax(S if mask is None else np.where(mask, S, -np.inf)) @ V)
    return np.concatenate(outputs, axis=-1) @ Wo


@right("multi_head_attention")
def sum_of_projected_heads(X, Wq, Wk, Wv, Wo, heads, mask=None):
    d = Wq.shape[1] // heads
    O = attend(split(X @ Wq, heads), split(X @ Wk, heads), split(X @ Wv, heads), mask)
    return sum(O[..., h, :, :] @ Wo[h * d : (h + 1) * d] for h in range(heads))


@right("multi_head_attention")
def with_einsum(X, Wq, Wk, Wv, Wo, heads, mask=None):
    Q, K, V = (split(np.einsum("...nd,de->...ne", X, W), heads) for W in (Wq, Wk, Wv))
    S = np.einsum("...qd,...kd->...qk", Q, K) * Q.shape[-1] ** -0.5
    O = np.einsum("...qk,...kd->...qd", softmax(excluded(S, mask)), V)
    return merge(O) @ Wo


def multi(X, Wq, Wk, Wv, Wo, heads, mask=None, split_=split, merge_=merge, attend_=attend):
    return merge_(attend_(*(split_(X @ W, heads) for W in (Wq, Wk, Wv)), mask)) @ Wo


@wrong("multi_head_attention", "no-output-projection")
def no_wo(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return merge(attend(split(X @ Wq, heads), split(X @ Wk, heads), split(X @ Wv, heads), mask))


@wrong("multi_head_attention", "no-output-projection")
def no_wo_in_a_loop(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return loop_over_heads(X, Wq, Wk, Wv, np.eye(len(Wo)), heads, mask)


@wrong("multi_head_attention", "scaled-by-model-width")
def whole_width(X, Wq, Wk, Wv, Wo, heads, mask=None):
    def attend_wide(Q, K, V, mask):
        return softmax(excluded(Q @ swap(K) / np.sqrt(X.shape[-1]), mask)) @ V

    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=attend_wide)


@wrong("multi_head_attention", "scaled-by-model-width")
def scaled_before_the_split(X, Wq, Wk, Wv, Wo, heads, mask=None):
    def attend_unscaled(Q, K, V, mask):
        return softmax(excluded(Q @ swap(K), mask)) @ V

    return multi(X, Wq / Wq.shape[1] ** 0.5, Wk, Wv, Wo, heads, mask, attend_=attend_unscaled)


@wrong("multi_head_attention", "no-scaling")
def unscaled(X, Wq, Wk, Wv, Wo, heads, mask=None):
    def attend_unscaled(Q, K, V, mask):
        return softmax(excluded(Q @ swap(K), mask)) @ V

    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=attend_unscaled)


@wrong("multi_head_attention", "reshape-for-transpose")
def split_by_reshape(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, split_=reshaped)


@wrong("multi_head_attention", "reshape-for-transpose")
def merge_by_reshape(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, merge_=merged_by_reshape)


@wrong("multi_head_attention", "reshape-for-transpose")
def both_by_reshape(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, split_=reshaped, merge_=merged_by_reshape)


@wrong("multi_head_attention", "heads-interleaved")
def split_interleaved(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, split_=every_so_many)


@wrong("multi_head_attention", "heads-interleaved")
def merge_interleaved(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, merge_=features_first)


@wrong("multi_head_attention", "heads-averaged")
def averaged(X, Wq, Wk, Wv, Wo, heads, mask=None):
    O = attend(split(X @ Wq, heads), split(X @ Wk, heads), split(X @ Wv, heads), mask).mean(axis=-3)
    return O @ Wo[: O.shape[-1]]


@wrong("multi_head_attention", "heads-averaged")
def projected_heads_averaged(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return sum_of_projected_heads(X, Wq, Wk, Wv, Wo, heads, mask) / heads


def over(axis):
    def attend_over(Q, K, V, mask):
        S = excluded(Q @ swap(K) / np.sqrt(K.shape[-1]), mask)
        top = S.max(axis=axis, keepdims=True)
        E = np.exp(S - np.where(np.isfinite(top), top, 0))
        total = E.sum(axis=axis, keepdims=True)
        return E / np.where(total > 0, total, 1) @ V

    return attend_over


@wrong("multi_head_attention", "softmax-across-batch-or-heads")
def softmax_over_axis_one(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=over(1))


@wrong("multi_head_attention", "softmax-across-batch-or-heads")
def softmax_over_axis_zero(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=over(0))


@wrong("multi_head_attention", "softmax-across-batch-or-heads")
def softmax_over_heads(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=over(-3))


@wrong("multi_head_attention", "softmax-down-columns")
def softmax_over_queries(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=over(-2))


def turned_round(Q, K, V, mask):
    return softmax(excluded(Q @ K.T / np.sqrt(K.shape[-1]), mask)) @ V


@wrong("multi_head_attention", "transposed-batch")
def dot_t(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=turned_round)


@wrong("multi_head_attention", "transposed-batch")
def np_transpose(X, Wq, Wk, Wv, Wo, heads, mask=None):
    Q, K, V = (split(X @ W, heads) for W in (Wq, Wk, Wv))
    S = np.matmul(Q, np.transpose(K)) / np.sqrt(Q.shape[-1])
    return merge(softmax(excluded(S, mask)) @ V) @ Wo


@wrong("multi_head_attention", "extra-output")
def with_weights(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return batched(X, Wq, Wk, Wv, Wo, heads, mask), heads


@wrong("multi_head_attention", "mask-ignored")
def no_mask(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return batched(X, Wq, Wk, Wv, Wo, heads)


@wrong("multi_head_attention", "nothing-permitted-nan")
def unguarded(X, Wq, Wk, Wv, Wo, heads, mask=None):
    def attend_unguarded(Q, K, V, mask):
        S = excluded(Q @ swap(K) / np.sqrt(K.shape[-1]), mask)
        E = np.exp(S - S.max(axis=-1, keepdims=True))
        return E / E.sum(axis=-1, keepdims=True) @ V

    return multi(X, Wq, Wk, Wv, Wo, heads, mask, attend_=attend_unguarded)


@wrong("multi_head_attention", "projection-swapped")
def swapped(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return batched(X, Wk, Wq, Wv, Wo, heads, mask)


@wrong("multi_head_attention", "no-output-projection", "no-scaling")
def unscaled_without_wo(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return unscaled(X, Wq, Wk, Wv, np.eye(len(Wo)), heads, mask)


@wrong("multi_head_attention", "scaled-by-model-width", "mask-ignored")
def wide_unmasked(X, Wq, Wk, Wv, Wo, heads, mask=None):
    return whole_width(X, Wq, Wk, Wv, Wo, heads)
