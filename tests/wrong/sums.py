"""mix_values."""

import numpy as np

from wrong import right, wrong


@right("mix_values")
def product(W, V):
    return W @ V


@right("mix_values")
def einsum(W, V):
    return np.einsum("ij,jd->id", W, V)


@right("mix_values")
def loops(W, V):
    out = np.zeros((W.shape[0], V.shape[1]))
    for i in range(W.shape[0]):
        for j in range(V.shape[0]):
            out[i] += W[i, j] * V[j]
    return out


@right("mix_values")
def broadcast_sum(W, V):
    return (W[:, :, None] * V).sum(axis=1)


@right("mix_values")
def averages(W, V):
    return np.array([np.average(V, axis=0, weights=w) for w in W])


@right("mix_values")
def list_of_rows(W, V):
    return [w @ V for w in W]


@right("mix_values")
def transposes(W, V):
    return (V.T @ W.T).T


@right("mix_values")
def single_precision(W, V):
    return W.astype("float32") @ V.astype("float32")


# ---- wrong


@wrong("mix_values", "argmax")
def the_largest(W, V):
    return V[W.argmax(axis=1)]


@wrong("mix_values", "argmax")
def one_hot(W, V):
    return (W.max(axis=1, keepdims=True) == W).astype(float) @ V


@wrong("mix_values", "transposed-mix")
def turned(W, V):
    return W.T @ V


@wrong("mix_values", "transposed-mix")
def einsum_letters(W, V):
    return np.einsum("ji,jd->id", W, V)


@wrong("mix_values", "transposed-mix")
def loop_indices(W, V):
    out = np.zeros((W.shape[0], V.shape[1]))
    for i in range(W.shape[0]):
        for j in range(V.shape[0]):
            out[i] += W[j, i] * V[j]
    return out


@wrong("mix_values", "mean-of-values")
def mean(W, V):
    return np.tile(V.mean(axis=0), (len(W), 1))


@wrong("mix_values", "mean-of-values")
def equal_weights(W, V):
    return np.full(W.shape, 1 / W.shape[1]) @ V


@wrong("mix_values", "mean-of-values")
def plain_sum(W, V):
    return np.ones_like(W) @ V


@wrong("mix_values", "weights-not-summed")
def three_axes(W, V):
    return W[:, :, None] * V[None, :, :]


@wrong("mix_values", "weights-not-summed")
def einsum_kept(W, V):
    return np.einsum("ij,jd->ijd", W, V)


@wrong("mix_values", "weights-not-summed")
def star(W, V):
    return W * V


@wrong("mix_values", "inputs-changed")
def writes_into_values(W, V):
    V *= 2
    return W @ V / 2


@wrong("mix_values", "inputs-changed")
def renormalises_in_place(W, V):
    W /= W.sum(axis=1, keepdims=True) * 2
    return 2 * W @ V


@wrong("mix_values", "integer-truncation")
def stored_like_values(W, V):
    out = np.zeros((len(W), V.shape[1]), dtype=V.dtype)
    for i, w in enumerate(W):
        out[i] = w @ V
    return out


@wrong("mix_values", "integer-truncation")
def whole(W, V):
    return (W @ V).astype(np.int64)


@wrong("mix_values", "softmax-twice")
def softmax_again(W, V):
    E = np.exp(W)
    return E / E.sum(axis=1, keepdims=True) @ V


@wrong("mix_values", "extra-output")
def both(W, V):
    return W @ V, W


@wrong("mix_values", "differs")
def divided_again(W, V):
    return W @ V / V.shape[0]


@wrong("mix_values", "wrong-shape")
def single_number(W, V):
    return (W @ V).sum()


@wrong("mix_values", "inputs-changed", "transposed-mix")
def turned_in_place(W, V):
    W[:] = W / 2
    return 2 * W.T @ V
