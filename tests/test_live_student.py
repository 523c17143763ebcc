"""fn=: the figure draws the student's own numbers, and says what a tutor would say of them."""

import numpy as np
import pytest

from rowwise import live, reference
from rowwise.live import student

Q = np.array([[1.2, 0.6], [-0.4, 1.1]])
K = np.array([[1.4, 0.2], [0.3, 1.3], [-1.0, -0.6]])
V = np.array([[2.0, 0.0], [0.0, 4.0], [3.0, 3.0]])
EVERY = np.ones((2, 3), bool)


def drawn(fn, mask=EVERY, exercise=None, Q=Q, K=K, V=V):
    return student.trace(fn, exercise or fn.__name__, Q, K, V, mask)


def test_the_right_function_draws_the_references_numbers_and_no_words():
    for name in student.STAGE_OF:
        trace = drawn(getattr(reference, name))
        assert trace["words"] == [], name
        np.testing.assert_allclose(trace["stages"]["output"], reference.attention(Q, K, V))
        np.testing.assert_allclose(trace["stages"]["weights"], reference.weights(Q, K))


def test_the_stages_after_the_students_follow_from_its_numbers():
    def scores(Q, K):
        return np.zeros((len(Q), len(K)))

    np.testing.assert_allclose(drawn(scores)["stages"]["weights"], np.full((2, 3), 1 / 3))


def test_a_softmax_over_the_wrong_axis_is_named_by_its_sums():
    def softmax_rows(S):
        e = np.exp(S)
        return e / e.sum(axis=0)

    (words,) = drawn(softmax_rows)["words"]
    total = softmax_rows(reference.scaled_scores(Q, K)).sum(axis=1)[0]
    assert words.startswith(f"Each of your columns sums to 1; row 1 sums to {total:.2f}.")


def test_a_softmax_over_everything_is_named_by_its_sums():
    def softmax_rows(S):
        return np.exp(S) / np.exp(S).sum()

    assert drawn(softmax_rows)["words"][0].startswith("All your weights together sum to 1; row 1 sums to")


def test_an_attention_shows_its_own_weights():
    def attention(Q, K, V, mask=None):
        e = np.exp(Q @ K.T / np.sqrt(2))
        return e / e.sum(axis=0) @ V

    trace = drawn(attention)
    np.testing.assert_allclose(np.sum(trace["stages"]["weights"], axis=0), 1)
    assert "columns" in trace["words"][0]


def test_turned_scores_are_told_by_their_shape():
    def scores(Q, K):
        return K @ Q.T

    trace = drawn(scores)
    assert trace["stages"]["scores"] is None
    assert "(3, 2)" in trace["words"][0] and "2 queries" in trace["words"][0] and "transpose" in trace["words"][0]


def test_a_function_that_stops_is_told_with_its_line_and_its_shapes():
    def scores(Q, K):
        return Q @ K

    (words,) = drawn(scores)["words"]
    assert "`return Q @ K`" in words and "Q (2, 2), K (3, 2)" in words and "Traceback" not in words


def test_nothing_returned_is_not_written_yet():
    def softmax_rows(S): ...

    trace = drawn(softmax_rows)
    assert trace["words"] == [
        "softmax_rows returned None: either it is not written yet, or its last line lacks `return`."
    ]
    assert trace["stages"]["weights"] is None and trace["stages"]["output"] is None
    assert trace["stages"]["scores"] is not None


def test_an_overflow_is_told_by_the_size_of_the_scores():
    def softmax_rows(S):
        return np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)

    (words,) = drawn(softmax_rows, Q=Q * 2000)["words"]
    assert "is NaN" in words and "more than a float can hold" in words and "maximum" in words


def test_a_row_with_nothing_permitted_is_told_apart_from_an_overflow():
    def softmax_rows(S):
        e = np.exp(S - S.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    mask = np.array([[False, False, False], [True, True, True]])
    assert "nothing is permitted" in drawn(softmax_rows, mask=mask)["words"][0]


def test_a_mask_that_leaks_is_told_by_its_key():
    def masked_scores(S, mask):
        return np.where(mask, S, -10)

    def attention(Q, K, V, mask):
        return reference.softmax_rows(masked_scores(reference.scaled_scores(Q, K), mask)) @ V

    mask = np.array([[True, True, False], [True, True, True]])
    assert drawn(attention, mask=mask)["words"][0].startswith("Key 3 is excluded for query 1, and yet it gets")


def test_a_function_that_changes_what_it_was_given_is_told_so_and_changes_nothing():
    def softmax_rows(S):
        S -= S.max(axis=1, keepdims=True)
        return np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)

    trace = drawn(softmax_rows)
    assert "changed S itself" in trace["words"][0]
    np.testing.assert_allclose(trace["stages"]["scaled"], reference.scaled_scores(Q, K))


def test_what_is_printed_stays_out_of_the_notebook(capsys):
    def scores(Q, K):
        print("here")
        return Q @ K.T

    drawn(scores)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("value", ["weights", {"a": 1}, [[1], [2, 3]]])
def test_what_is_no_matrix_is_told_so(value):
    def scores(Q, K):
        return value

    assert "no matrix can be made of" in drawn(scores)["words"][0]


def test_every_move_is_computed_by_the_students_function():
    def scores(Q, K):
        return 2 * Q @ K.T

    fig = live.attention(Q, K, V, fn=scores)
    fig.set_state({"state": fig.state | {"K": (K + 1).tolist(), "n": 1, "by": "browser"}})
    np.testing.assert_allclose(fig.trace["stages"]["scores"], 2 * Q @ (K + 1).T)


def test_a_function_of_another_name_is_taken_by_fn_stage():
    fig = live.attention(Q, K, V, fn=lambda S: S, fn_stage="softmax_rows")
    assert fig.options["fn"]["stage"] == "weights"
