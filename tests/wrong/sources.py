"""self_attention and cross_attention."""

import numpy as np

from wrong import right, wrong
from wrong.attentions import masked, plain, softmax

# ---- right


@right("self_attention")
def projected(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, X @ Wv, mask)


@right("self_attention")
def written_out(X, Wq, Wk, Wv, mask=None):
    Q, K, V = (np.einsum("nd,de->ne", X, W) for W in (Wq, Wk, Wv))
    W = softmax(masked(Q @ K.T / np.sqrt(K.shape[1]), mask))
    return W @ V


@right("self_attention")
def one_matrix(X, Wq, Wk, Wv, mask=None):
    d = Wq.shape[1]
    P = X @ np.hstack([Wq, Wk, Wv])
    return plain(P[:, :d], P[:, d : 2 * d], P[:, 2 * d :], mask)


@right("self_attention")
def values_projected_last(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, X, mask) @ Wv


@right("cross_attention")
def two_sources(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, M @ Wk, M @ Wv, mask)


@right("cross_attention")
def single_precision(X, M, Wq, Wk, Wv, mask=None):
    X, M, Wq, Wk, Wv = (A.astype(np.float32) for A in (X, M, Wq, Wk, Wv))
    return plain(X @ Wq, M @ Wk, M @ Wv, mask)


@right("cross_attention")
def position_by_position(X, M, Wq, Wk, Wv, mask=None):
    K, V = M @ Wk, M @ Wv
    return [plain((x @ Wq)[None], K, V, None if mask is None else mask[i : i + 1])[0] for i, x in enumerate(X)]


# ---- self_attention, wrong


@wrong("self_attention", "projection-swapped")
def query_and_key_swapped(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wk, X @ Wq, X @ Wv, mask)


@wrong("self_attention", "projection-swapped")
def key_and_value_swapped(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wv, X @ Wk, mask)


@wrong("self_attention", "projection-swapped")
def query_matrix_twice(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wq, X @ Wv, mask)


@wrong("self_attention", "no-projection")
def all_raw(X, Wq, Wk, Wv, mask=None):
    return plain(X, X, X, mask)


@wrong("self_attention", "no-projection")
def raw_values(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, X, mask)


@wrong("self_attention", "no-projection")
def raw_keys(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X, X @ Wv, mask)


@wrong("self_attention", "keys-as-values")
def keys_mixed(X, Wq, Wk, Wv, mask=None):
    K = X @ Wk
    return plain(X @ Wq, K, K, mask)


@wrong("self_attention", "keys-as-values")
def keys_mixed_by_hand(X, Wq, Wk, Wv, mask=None):
    Q, K = X @ Wq, np.matmul(X, Wk)
    return softmax(masked(Q @ K.T / np.sqrt(Q.shape[1]), mask)) @ K


@wrong("self_attention", "scaled-by-wrong-size")
def by_model_width(X, Wq, Wk, Wv, mask=None):
    return softmax(masked((X @ Wq) @ (X @ Wk).T / np.sqrt(X.shape[1]), mask)) @ (X @ Wv)


@wrong("self_attention", "scaled-by-wrong-size")
def by_positions(X, Wq, Wk, Wv, mask=None):
    return softmax(masked((X @ Wq) @ (X @ Wk).T / len(X) ** 0.5, mask)) @ (X @ Wv)


@wrong("self_attention", "no-scaling")
def unscaled(X, Wq, Wk, Wv, mask=None):
    return softmax(masked((X @ Wq) @ (X @ Wk).T, mask)) @ (X @ Wv)


@wrong("self_attention", "mask-ignored")
def mask_not_handed_on(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, X @ Wv)


@wrong("self_attention", "extra-output")
def weights_too(X, Wq, Wk, Wv, mask=None):
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    W = softmax(masked(Q @ K.T / np.sqrt(Q.shape[1]), mask))
    return W @ V, W


@wrong("self_attention", "inputs-changed")
def centres_in_place(X, Wq, Wk, Wv, mask=None):
    Wq *= 1 / np.sqrt(Wq.shape[1])
    return softmax(masked((X @ Wq) @ (X @ Wk).T, mask)) @ (X @ Wv)


@wrong("self_attention", "raised")
def forgotten_argument(X, Wq, Wk, Wv):
    return plain(X @ Wq, X @ Wk.T, X @ Wv)


@wrong("self_attention", "nothing-permitted-nan")
def unguarded(X, Wq, Wk, Wv, mask=None):
    S = masked((X @ Wq) @ (X @ Wk).T / np.sqrt(Wq.shape[1]), mask)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ (X @ Wv)


@wrong("self_attention", "softmax-down-columns")
def columns(X, Wq, Wk, Wv, mask=None):
    S = masked((X @ Wq) @ (X @ Wk).T / np.sqrt(Wq.shape[1]), mask)
    return softmax(S.T).T @ (X @ Wv)


@wrong("self_attention", "projection-swapped", "no-scaling")
def swapped_unscaled(X, Wq, Wk, Wv, mask=None):
    return softmax(masked((X @ Wk) @ (X @ Wq).T, mask)) @ (X @ Wv)


@wrong("self_attention", "no-projection", "mask-ignored")
def raw_unmasked(X, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, X)


# ---- cross_attention, wrong


@wrong("cross_attention", "keys-from-queries")
def self_instead(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, X @ Wv, mask)


@wrong("cross_attention", "keys-from-queries")
def only_keys_from_x(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, X @ Wk, M @ Wv, mask)


@wrong("cross_attention", "keys-from-queries")
def only_values_from_x(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, M @ Wk, X @ Wv, mask)


@wrong("cross_attention", "queries-from-memory")
def sources_swapped(X, M, Wq, Wk, Wv, mask=None):
    return plain(M @ Wq, X @ Wk, X @ Wv, mask)


@wrong("cross_attention", "queries-from-memory")
def memory_alone(X, M, Wq, Wk, Wv, mask=None):
    return plain(M @ Wq, M @ Wk, M @ Wv, mask)


@wrong("cross_attention", "projection-swapped")
def query_and_key_matrices(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wk, M @ Wq, M @ Wv, mask)


@wrong("cross_attention", "projection-swapped")
def key_and_value_matrices(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, M @ Wv, M @ Wk, mask)


@wrong("cross_attention", "no-projection")
def raw_memory(X, M, Wq, Wk, Wv, mask=None):
    return plain(X, M, M, mask)


@wrong("cross_attention", "no-projection")
def raw_values_of_memory(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, M @ Wk, M, mask)


@wrong("cross_attention", "keys-as-values")
def memory_keys_mixed(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, M @ Wk, M @ Wk, mask)


@wrong("cross_attention", "scaled-by-wrong-size")
def by_memory_length(X, M, Wq, Wk, Wv, mask=None):
    return softmax(masked((X @ Wq) @ (M @ Wk).T / np.sqrt(len(M)), mask)) @ (M @ Wv)


@wrong("cross_attention", "mask-inverted")
def opposite_convention(X, M, Wq, Wk, Wv, mask=None):
    return plain(X @ Wq, M @ Wk, M @ Wv, None if mask is None else np.logical_not(mask))


@wrong("cross_attention", "keys-from-queries", "no-scaling")
def self_unscaled(X, M, Wq, Wk, Wv, mask=None):
    return softmax(masked((X @ Wq) @ (X @ Wk).T, mask)) @ (X @ Wv)
