"""live.softmax: its steps are NumPy's, with and without the maximum taken away, by rows and by columns."""

import numpy as np
import pytest
from javascript import run

from rowwise import live, reference

RNG = np.random.default_rng(11)
ROWS = [RNG.normal(size=n) * scale for n in range(1, 9) for scale in (0.1, 1, 10, 300, 900) for _ in range(14)]


def test_javascript_and_the_reference_agree_on_560_rows_to_twelve_digits():
    found = run("softmax_figure.js", "steps(x).weights", [row.tolist() for row in ROWS])
    assert len(ROWS) == 560
    for ours, row in zip(found, ROWS, strict=True):
        np.testing.assert_allclose(ours, reference.softmax_rows(row), atol=1e-12, rtol=0)


def test_without_the_maximum_taken_away_javascript_overflows_where_numpy_does():
    found = run("softmax_figure.js", "steps(x, 0, false)", [row.tolist() for row in ROWS])
    for ours, row in zip(found, ROWS, strict=True):
        with np.errstate(all="ignore"):
            e = np.exp(row)
            weights = e / e.sum()
        np.testing.assert_allclose(ours["e"], e, rtol=1e-12)
        np.testing.assert_allclose(ours["weights"], weights, atol=1e-12, rtol=0)


@pytest.mark.parametrize("shift", [-1000, -3, 0.5, 1000])
def test_a_constant_added_to_the_row_leaves_the_weights_where_they_were(shift):
    row = [1.8, 1.14, -1.56, 0.2]
    (found,) = run("softmax_figure.js", "steps(x[0], x[1]).weights", [[row, shift]])
    np.testing.assert_allclose(found, reference.softmax_rows(np.array(row)), atol=1e-12)


def test_scores_of_a_thousand_give_nan_and_words_only_while_the_maximum_is_not_taken_away():
    says = "overflow(steps(x[0], x[1], x[2]), 0)"
    cases = [[[1, 2], 1000, False], [[1, 2], -1000, False], [[1, 2], 1000, True], [[1, 2], 0, False]]
    high, low, stable, ordinary = run("softmax_figure.js", says, cases)
    assert "more than a float can hold" in high and "Take the row's own maximum away first" in high
    assert "less than a float can hold" in low and "0 / 0 is no number" in low
    assert stable == ordinary == ""


def test_rows_and_columns_are_the_two_axes_of_one_matrix():
    matrices = [RNG.normal(size=(n, k)) * 3 for n in range(1, 7) for k in range(1, 9)]
    for ours, S in zip(run("softmax_figure.js", "both(x)", [S.tolist() for S in matrices]), matrices, strict=True):
        np.testing.assert_allclose(ours["rows"], reference.softmax_rows(S), atol=1e-12)
        np.testing.assert_allclose(ours["columns"], reference.softmax_rows(S.T).T, atol=1e-12)


@pytest.mark.parametrize(
    ("S", "says"),
    [
        ([[1, 2], [3]], "rows of unequal length"),
        (np.zeros((2, 3, 4)), r"S has shape \(2, 3, 4\): expected \(n_q, n_k\)"),
        (np.zeros((7, 3)), r"S has shape \(7, 3\): at most 6 queries and 8 keys .* S\[:6, :8\]"),
        (np.zeros((0, 3)), r"S has shape \(0, 3\)"),
        (np.array([[1j]]), "S has dtype complex128"),
        ([["a"]], "expected real numbers"),
        ([[0.0, np.nan]], "row 0 holds .*nan"),
        ([[0.0, -np.inf]], "drawn by live.attention"),
        ([[0.0], [1e7]], "row 1 holds"),
    ],
)
def test_scores_that_cannot_be_drawn_are_refused_with_their_shape_and_a_way_out(S, says):
    with pytest.raises(ValueError, match=says):
        live.softmax(S)


@pytest.mark.parametrize(
    "S", [[1, 2, 3], [[1, 2, 3]], np.array([[1, 2, 3]], np.float32), np.array([[1, 2, 3]], np.int8)]
)
def test_lists_integers_and_float32_are_taken_and_never_changed(S):
    before = np.array(S)
    figure = live.softmax(S)
    figure.S = [[9, 9, 9]]
    assert figure.S == [[9.0, 9.0, 9.0]]
    np.testing.assert_array_equal(S, before)


def test_a_row_or_a_shape_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="row is 3: expected a whole number from 0 to 2"):
        live.softmax(row=3)
    with pytest.raises(ValueError, match=r"S has shape \(1, 1\): this figure was made for \(3, 4\)"):
        live.softmax().S = [[1.0]]


def test_the_text_that_stands_in_for_the_picture_has_both_axes():
    words = live.softmax([[0.0, 0.0], [0.0, 0.0]]).alt()
    assert "Row 1 has weights 0.50, 0.50" in words and "down the columns" in words
