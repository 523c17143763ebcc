"""scores and scaled_scores."""

import math

import numpy as np

from wrong import right, wrong

# ---- scores, right


@right("scores")
def at(Q, K):
    return Q @ K.T


@right("scores")
def inner(Q, K):
    return np.inner(Q, K)


@right("scores")
def einsum(Q, K):
    return np.einsum("id,jd->ij", Q, K)


@right("scores")
def loops(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for d in range(Q.shape[1]):
                S[i, j] += Q[i, d] * K[j, d]
    return S


@right("scores")
def comprehension(Q, K):
    return [[float(q @ k) for k in K] for q in Q]


@right("scores")
def mirrored_twice(Q, K):
    return (K @ Q.T).T


@right("scores")
def broadcast(Q, K):
    return (Q[:, None, :] * K[None, :, :]).sum(axis=-1)


@right("scores")
def single_precision(Q, K):
    return Q.astype(np.float32) @ K.astype(np.float32).T


@right("scores")
def tensordot(Q, K):
    return np.tensordot(Q, K, axes=(1, 1))


@right("scores")
def talkative(Q, K):
    import warnings

    print("shapes", Q.shape, K.shape)
    warnings.warn("thinking", stacklevel=1)
    np.log(np.zeros(3))
    np.random.seed(0)
    return np.dot(Q, K.transpose())


# ---- scores, wrong


@wrong("scores", "transposed-scores")
def keys_first(Q, K):
    return K @ Q.T


@wrong("scores", "transposed-scores")
def turned(Q, K):
    return (Q @ K.T).T


@wrong("scores", "transposed-scores")
def einsum_letters(Q, K):
    return np.einsum("id,jd->ji", Q, K)


@wrong("scores", "transposed-scores")
def loops_swapped(Q, K):
    S = np.zeros((len(K), len(Q)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            S[j, i] = np.dot(q, k)
    return S


@wrong("scores", "queries-with-queries")
def queries_twice(Q, K):
    return Q @ Q.T


@wrong("scores", "queries-with-queries")
def keys_twice(Q, K):
    return np.inner(K, K)


@wrong("scores", "queries-with-queries")
def loop_forgets_the_key(Q, K):
    return np.array([[np.sum(q * r) for r in Q] for q in Q])


@wrong("scores", "cosine-not-dot")
def both_normalised(Q, K):
    Qn = Q / np.linalg.norm(Q, axis=1, keepdims=True)
    Kn = K / np.linalg.norm(K, axis=1, keepdims=True)
    return Qn @ Kn.T


@wrong("scores", "cosine-not-dot")
def divided_by_norms(Q, K):
    return (Q @ K.T) / (np.sqrt((Q**2).sum(1))[:, None] * np.sqrt((K**2).sum(1))[None, :] + 1e-12)


@wrong("scores", "cosine-not-dot")
def only_keys_normalised(Q, K):
    return Q @ (K / np.linalg.norm(K, axis=1)[:, None]).T


@wrong("scores", "cosine-not-dot")
def only_queries_normalised(Q, K):
    return np.array([[q @ k / math.sqrt(q @ q) for k in K] for q in Q])


@wrong("scores", "elementwise-not-dot")
def not_summed(Q, K):
    return Q[:, None, :] * K[None, :, :]


@wrong("scores", "elementwise-not-dot")
def star(Q, K):
    return Q * K


@wrong("scores", "elementwise-not-dot")
def sums_only(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            S[i, j] = (Q[i] + K[j]).sum()
    return S


@wrong("scores", "elementwise-not-dot")
def sums_multiplied(Q, K):
    return np.outer(Q.sum(axis=1), K.sum(axis=1))


@wrong("scores", "inputs-changed")
def in_place(Q, K):
    Q *= 2
    return Q @ K.T / 2


@wrong("scores", "inputs-changed")
def clears_afterwards(Q, K):
    S = Q @ K.T
    K[:] = 0
    return S


@wrong("scores", "fitted-to-the-example")
def numbers_of_the_example(Q, K):
    return np.array([[0.0, 2, 5], [6, 3, 5]])


@wrong("scores", "fitted-to-the-example")
def sizes_of_the_example(Q, K):
    S = np.zeros((2, 3))
    for i in range(2):
        for j in range(3):
            S[i, j] = Q[i] @ K[j]
    return S


@wrong("scores", "extra-output")
def with_shape(Q, K):
    S = Q @ K.T
    return S, S.shape


@wrong("scores", "integer-truncation")
def integer_store(Q, K):
    S = np.zeros((len(Q), len(K)), dtype=int)
    for i in range(len(Q)):
        for j in range(len(K)):
            S[i, j] = Q[i] @ K[j]
    return S


@wrong("scores", "raised")
def no_transpose(Q, K):
    return Q @ K


@wrong("scores", "raised")
def misspelt(Q, K):
    return Q @ k.T  # noqa: F821


@wrong("scores", "wrong-type")
def forgot_return(Q, K):
    Q @ K.T


@wrong("scores", "wrong-type")
def yields(Q, K):
    yield Q @ K.T


@wrong("scores", "wrong-shape")
def flat(Q, K):
    return (Q @ K.T).ravel()


@wrong("scores", "wrong-shape")
def one_query_only(Q, K):
    return K @ Q[0]


@wrong("scores", "differs")
def zeros(Q, K):
    return np.zeros((len(Q), len(K)))


@wrong("scores", "differs")
def distance(Q, K):
    return ((Q[:, None] - K[None]) ** 2).sum(-1)


@wrong("scores", "differs")
def scaled_already(Q, K):
    return Q @ K.T / np.sqrt(K.shape[1])


# ---- scaled_scores, right


@right("scaled_scores")
def after(Q, K):
    return Q @ K.T / np.sqrt(K.shape[-1])


@right("scaled_scores")
def queries_first(Q, K):
    return (Q / math.sqrt(Q.shape[1])) @ K.T


@right("scaled_scores")
def half_each(Q, K):
    d = Q.shape[1] ** 0.25
    return np.einsum("ik,jk->ij", Q / d, K / d)


@right("scaled_scores")
def power(Q, K):
    return np.matmul(Q, K.T) * len(K[0]) ** -0.5


@right("scaled_scores")
def loop_scaled(Q, K):
    S = np.empty((Q.shape[0], K.shape[0]))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            S[i, j] = sum(a * b for a, b in zip(q, k, strict=True)) / Q.shape[1] ** 0.5
    return S


@right("scaled_scores")
def own_helper(Q, K):
    return at(Q, K) / np.sqrt(np.shape(Q)[1])


@right("scaled_scores")
def in_place_on_a_new_array(Q, K):
    S = (Q @ K.T).astype(float)
    S /= np.sqrt(K.shape[1])
    return S


# ---- scaled_scores, wrong


@wrong("scaled_scores", "transposed-scores")
def scaled_keys_first(Q, K):
    return K @ Q.T / np.sqrt(Q.shape[1])


@wrong("scaled_scores", "transposed-scores")
def scaled_turned(Q, K):
    return np.transpose(Q @ K.T) / K.shape[1] ** 0.5


@wrong("scaled_scores", "cosine-not-dot")
def scaled_cosine(Q, K):
    unit = [A / np.linalg.norm(A, axis=1, keepdims=True) for A in (Q, K)]
    return unit[0] @ unit[1].T / np.sqrt(Q.shape[1])


@wrong("scaled_scores", "cosine-not-dot")
def scaled_unit_keys(Q, K):
    return Q @ (K.T / np.linalg.norm(K, axis=1)) / np.sqrt(Q.shape[1])


@wrong("scaled_scores", "no-scaling")
def unscaled(Q, K):
    return Q @ K.T


@wrong("scaled_scores", "no-scaling")
def computes_but_forgets(Q, K):
    S = np.einsum("ik,jk->ij", Q, K)
    S / np.sqrt(K.shape[1])
    return S


@wrong("scaled_scores", "scaled-by-width")
def by_width(Q, K):
    return Q @ K.T / K.shape[1]


@wrong("scaled_scores", "scaled-by-width")
def root_twice(Q, K):
    d = np.sqrt(K.shape[1])
    return (Q / d) @ (K / d).T


@wrong("scaled_scores", "scaled-by-width")
def mean_of_products(Q, K):
    return (Q[:, None] * K[None]).mean(-1)


@wrong("scaled_scores", "scaled-wrong-way")
def times_root(Q, K):
    return Q @ K.T * np.sqrt(K.shape[1])


@wrong("scaled_scores", "scaled-wrong-way")
def power_sign(Q, K):
    return np.inner(Q, K) / Q.shape[1] ** -0.5


@wrong("scaled_scores", "scaled-by-wrong-size")
def by_number_of_keys(Q, K):
    return Q @ K.T / np.sqrt(len(K))


@wrong("scaled_scores", "scaled-by-wrong-size")
def by_number_of_queries(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[0])


@wrong("scaled_scores", "scaled-by-wrong-size")
def by_eight(Q, K):
    return Q @ K.T / 8


@wrong("scaled_scores", "scaled-by-wrong-size")
def by_root_of_512(Q, K):
    return np.float32(Q @ K.T) / np.sqrt(np.float32(512))


@wrong("scaled_scores", "inputs-changed")
def writes_into_keys(Q, K):
    K[:] = K / np.sqrt(K.shape[1])
    return Q @ K.T


@wrong("scaled_scores", "inputs-changed")
def divides_in_place(Q, K):
    Q /= np.sqrt(Q.shape[1])
    return Q @ K.T


@wrong("scaled_scores", "integer-truncation")
def stored_like_the_query(Q, K):
    S = np.zeros((len(Q), len(K)), dtype=Q.dtype)
    for i in range(len(Q)):
        for j in range(len(K)):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


@wrong("scaled_scores", "integer-truncation")
def whole_numbers(Q, K):
    return (Q @ K.T / np.sqrt(Q.shape[1])).astype(int)


@wrong("scaled_scores", "fitted-to-the-example")
def width_of_the_example_only(Q, K):
    return np.array([[np.dot(Q[i], K[j]) / 2 for j in (0, 1, 2)] for i in (0, 1)])


@wrong("scaled_scores", "fitted-to-the-example")
def remembered(Q, K):
    return np.array([[0, 1, 2.5], [3, 1.5, 2.5]])
