"""Attention as most people first write it: naive exponentials, no guard for empty rows, and one mistake besides."""

import numpy as np
import pytest

from rowwise import exercises
from rowwise.probe import probe


def stable(S):
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def naive(S):
    e = np.exp(S)
    return e / e.sum(axis=-1, keepdims=True)


def patched(S):
    return np.nan_to_num(stable(S))


def unit(A):
    return A / np.linalg.norm(A, axis=-1, keepdims=True)


def scaled(Q, K):
    return Q @ K.T / np.sqrt(K.shape[-1])


def masked(S, mask):
    return S if mask is None else np.where(mask, S, -np.inf)


def renormalised(W, mask):
    if mask is None:
        return W
    W = W * mask
    return W / W.sum(axis=-1, keepdims=True)


# Each takes the softmax, then what attention takes.
MISTAKES = {
    "no-scaling": lambda f, Q, K, V, m: f(masked(Q @ K.T, m)) @ V,
    "scaled-by-width": lambda f, Q, K, V, m: f(masked(Q @ K.T / K.shape[1], m)) @ V,
    "scaled-wrong-way": lambda f, Q, K, V, m: f(masked(Q @ K.T * np.sqrt(K.shape[1]), m)) @ V,
    "scaled-by-wrong-size": lambda f, Q, K, V, m: f(masked(Q @ K.T / np.sqrt(V.shape[1]), m)) @ V,
    "scaled-output": lambda f, Q, K, V, m: f(masked(Q @ K.T, m)) @ V / np.sqrt(K.shape[1]),
    "queries-with-queries": lambda f, Q, K, V, m: f(masked(scaled(Q, Q), m)) @ V,
    "transposed-scores": lambda f, Q, K, V, m: f(masked(scaled(K, Q), m)) @ V,
    "values-in-scores": lambda f, Q, K, V, m: f(masked(Q @ V.T / np.sqrt(K.shape[1]), m)) @ V,
    "cosine-not-dot": lambda f, Q, K, V, m: f(masked(unit(Q) @ unit(K).T, m)) @ V,
    "keys-as-values": lambda f, Q, K, V, m: f(masked(scaled(Q, K), m)) @ K,
    "transposed-mix": lambda f, Q, K, V, m: f(masked(scaled(Q, K), m)).T @ V,
    "argmax": lambda f, Q, K, V, m: V[f(masked(scaled(Q, K), m)).argmax(axis=1)],
    "mask-after-softmax": lambda f, Q, K, V, m: (f(scaled(Q, K)) * (1 if m is None else m)) @ V,
    "mask-then-renormalise": lambda f, Q, K, V, m: renormalised(f(scaled(Q, K)), m) @ V,
    "mask-zeroes-scores": lambda f, Q, K, V, m: f(scaled(Q, K) * (1 if m is None else m)) @ V,
    "mask-too-weak": lambda f, Q, K, V, m: f(scaled(Q, K) + (0 if m is None else ~m * -10.0)) @ V,
    "mask-times-infinity": lambda f, Q, K, V, m: f(scaled(Q, K) + (0 if m is None else (1 - m) * -np.inf)) @ V,
    "mask-added": lambda f, Q, K, V, m: f(scaled(Q, K) + (0 if m is None else m)) @ V,
    "mask-inverted": lambda f, Q, K, V, m: f(masked(scaled(Q, K), None if m is None else ~m)) @ V,
    "mask-transposed": lambda f, Q, K, V, m: f(masked(scaled(Q, K), None if m is None else m.T)) @ V,
    "mask-ignored": lambda f, Q, K, V, m: f(scaled(Q, K)) @ V,
}
# What else is wrong with each softmax, and may be named too: a cosine scores too little to overflow, for one.
BESIDES = {stable: {"nothing-permitted-nan"}, naive: {"nothing-permitted-nan", "overflow"}, patched: set()}
SEEN_THROUGH_ALL = {"cosine-not-dot": {"no-scaling"}}


@pytest.mark.parametrize("softmax", BESIDES, ids=lambda softmax: softmax.__name__)
@pytest.mark.parametrize("slug", MISTAKES)
def test_the_mistake_is_named_beside_what_is_missing_anyway(slug, softmax):
    exercise = exercises.ALL["attention"]
    wrong = MISTAKES[slug]
    mark = exercise.judge(probe(exercise.cases(), lambda Q, K, V, mask=None: wrong(softmax, Q, K, V, mask)))
    assert slug in mark.mistakes
    assert set(mark.mistakes) <= {slug} | BESIDES[softmax] | SEEN_THROUGH_ALL.get(slug, set())


@pytest.mark.parametrize(
    ("softmax", "named"),
    [
        (stable, {"nothing-permitted-nan"}),
        (naive, {"overflow", "nothing-permitted-nan"}),
        (patched, set()),
    ],
)
def test_without_any_other_mistake_only_what_is_missing_is_named(softmax, named):
    exercise = exercises.ALL["attention"]
    answers = probe(exercise.cases(), lambda Q, K, V, mask=None: softmax(masked(scaled(Q, K), mask)) @ V)
    assert set(exercise.judge(answers).mistakes) == named
