"""The mistakes of the catalogue as calculations: what somebody who makes one computes instead.

Each list is in order of precedence. The steps that they replace are those of the exercises' models.
"""

import numpy as np

from rowwise import reference
from rowwise.exercises.explain import Slip


def unit(A):
    """Every row divided by its length."""
    return A / np.linalg.norm(A, axis=-1, keepdims=True)


def _sums(Q, K):
    return Q.sum(-1)[..., :, None] + K.sum(-1)[..., None, :]


# Replace the step "product", which takes Q and K.
PRODUCTS = (
    Slip("transposed-scores", "product", lambda Q, K: K @ np.swapaxes(Q, -1, -2)),
    Slip("queries-with-queries", "product", lambda Q, K: reference.scores(Q, Q), "Q"),
    Slip("queries-with-queries", "product", lambda Q, K: reference.scores(K, K), "K"),
    Slip("cosine-not-dot", "product", lambda Q, K: reference.scores(unit(Q), unit(K)), "both"),
    Slip("cosine-not-dot", "product", lambda Q, K: reference.scores(unit(Q), K), "query"),
    Slip("cosine-not-dot", "product", lambda Q, K: reference.scores(Q, unit(K)), "key"),
    Slip("elementwise-not-dot", "product", lambda Q, K: Q[..., :, None, :] * K[..., None, :, :], "unsummed"),
    Slip("elementwise-not-dot", "product", lambda Q, K: Q * K, "pairs"),
    Slip("elementwise-not-dot", "product", lambda Q, K: (Q * K).sum(-1), "pairs summed"),
    Slip("elementwise-not-dot", "product", _sums, "sums"),
    Slip("elementwise-not-dot", "product", lambda Q, K: Q.sum(-1)[:, None] * K.sum(-1)[None, :], "sums multiplied"),
)
