"""The mathematics, against the worked example of the course, other libraries and what must hold for every input."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rowwise import reference

# The example that runs through the course, as it stands in the syllabus.
Q, K, V = np.array([[1, 0]]), np.array([[1, 0], [0, 1]]), np.array([[2, 0], [0, 4]])
numbers = st.floats(-30, 30)


def test_the_worked_example_comes_out_as_written():
    assert reference.scores(Q, K).tolist() == [[1, 0]]
    np.testing.assert_allclose(reference.scaled_scores(Q, K), [[0.7071, 0]], atol=5e-5)
    np.testing.assert_allclose(reference.weights(Q, K), [[0.6698, 0.3302]], atol=5e-5)
    np.testing.assert_allclose(reference.attention(Q, K, V), [[1.3395, 1.3210]], atol=5e-5)


def test_the_worked_example_without_a_scale_and_with_the_second_key_excluded():
    W = reference.softmax_rows(reference.scores(Q, K))
    np.testing.assert_allclose(W, [[0.7311, 0.2689]], atol=5e-5)
    np.testing.assert_allclose(W @ V, [[1.4621, 1.0758]], atol=5e-5)
    mask = np.array([[True, False]])
    assert reference.weights(Q, K, mask).tolist() == [[1, 0]]
    assert reference.attention(Q, K, V, mask).tolist() == [[2, 0]]


@given(arrays(float, (3, 4), elements=numbers))
def test_softmax_rows_is_scipys_softmax_along_the_last_axis(S):
    np.testing.assert_allclose(reference.softmax_rows(S), scipy.special.softmax(S, axis=-1), rtol=1e-12)


@given(arrays(float, (2, 3), elements=numbers), st.floats(-1000, 1000))
def test_adding_a_constant_to_a_row_changes_no_weight(S, constant):
    np.testing.assert_allclose(reference.softmax_rows(S + constant), reference.softmax_rows(S), atol=1e-9)


@pytest.mark.parametrize("largest", [1e3, 1e30, 1e300])
def test_softmax_rows_stays_finite_for_huge_scores(largest):
    W = reference.softmax_rows(np.array([[largest, 0, -largest], [-largest, -largest, -largest / 2]]))
    np.testing.assert_allclose(W, [[1, 0, 0], [0, 0, 1]], atol=1e-200)


def test_a_row_with_nothing_permitted_has_no_weights_and_an_output_of_zeros():
    mask = np.array([[False, False]])
    assert reference.weights(Q, K, mask).tolist() == [[0, 0]]
    assert reference.attention(Q, K, V, mask).tolist() == [[0, 0]]


def test_a_causal_mask_looks_back_itself_included():
    assert reference.causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    assert reference.causal_mask(3).dtype == bool


@given(arrays(float, (4, 3), elements=st.floats(-3, 3)), st.permutations(range(4)))
def test_self_attention_shuffles_its_rows_as_the_positions_are_shuffled(X, order):
    rng = np.random.default_rng(0)
    W = [rng.normal(size=(3, d)) for d in (2, 2, 5)]
    np.testing.assert_allclose(
        reference.self_attention(X[list(order)], *W), reference.self_attention(X, *W)[list(order)], atol=1e-9
    )


def test_cross_attention_takes_keys_and_values_from_the_memory():
    rng = np.random.default_rng(1)
    X, M = rng.normal(size=(3, 4)), rng.normal(size=(5, 6))
    Wq, Wk, Wv = rng.normal(size=(4, 2)), rng.normal(size=(6, 2)), rng.normal(size=(6, 7))
    S = np.array([[sum((x @ Wq) * (m @ Wk)) / 2**0.5 for m in M] for x in X])
    np.testing.assert_allclose(
        reference.cross_attention(X, M, Wq, Wk, Wv), scipy.special.softmax(S, axis=1) @ M @ Wv, rtol=1e-9
    )


def test_split_heads_puts_neighbouring_columns_into_one_head_and_merge_heads_undoes_it():
    X = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    split = reference.split_heads(X, 2)
    assert split.shape == (2, 2, 3, 2)
    assert split[0, 0, 1].tolist() == [4, 5] and split[0, 1, 1].tolist() == [6, 7]
    assert np.array_equal(reference.merge_heads(split), X)


def test_one_head_of_multi_head_attention_is_self_attention_times_the_output_matrix():
    rng = np.random.default_rng(2)
    X, Wq, Wk, Wv, Wo = (rng.normal(size=shape) for shape in [(5, 4)] + [(4, 4)] * 4)
    mask = reference.causal_mask(5)
    np.testing.assert_allclose(
        reference.multi_head_attention(X, Wq, Wk, Wv, Wo, 1, mask),
        reference.self_attention(X, Wq, Wk, Wv, mask) @ Wo,
        rtol=1e-10,
    )


def test_content_removal_measures_how_far_the_output_moves():
    # Weights 0.6698 and 0.3302, output [1.3395, 1.3210]: without the second value it would be [1.3395, 0].
    moved = 1.3210 / np.hypot(1.3395, 1.3210)
    assert reference.content_removal(Q, K, V, 0, 1, "zero") == pytest.approx(moved, abs=1e-4)
    # With the mean value [1, 2] in its place the output is [1.6698, 0.6604].
    moved = np.hypot(1.6698 - 1.3395, 0.6604 - 1.3210) / np.hypot(1.3395, 1.3210)
    assert reference.content_removal(Q, K, V, 0, 1, "mean") == pytest.approx(moved, abs=1e-4)
    # Masked, the first key has all the weight and the output is [2, 0].
    moved = np.hypot(2 - 1.3395, 1.3210) / np.hypot(1.3395, 1.3210)
    assert reference.content_removal(Q, K, V, 0, 1, "mask") == pytest.approx(moved, abs=1e-4)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 50])
def test_streaming_attention_is_attention_whatever_the_block(block):
    rng = np.random.default_rng(4)
    A, B, C = rng.normal(size=(5, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    np.testing.assert_allclose(reference.streaming_attention(A * 400, B, C, block), reference.attention(A * 400, B, C))
