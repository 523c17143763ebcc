import subprocess
import sys

import numpy as np

from rowwise.show import show


def unwritten(Q, K): ...


def raises(Q, K):
    return Q @ K


Q, K = np.array([[1, 0]]), np.array([[2.0, 1.0], [-1.0, 3.0], [0.0, -2.0]])


def test_a_functions_result_is_a_labelled_table():
    shown = show(lambda Q, K: Q @ K.T, Q, K, rows="query", columns="key")
    assert shown.text.splitlines()[1:] == ["         key 1  key 2  key 3", "query 1      2     −1      0"]
    assert "shape (1, 3)" in shown.html and "<th scope='col'>key 3</th>" in shown._repr_html_()
    assert "<th scope='row'>query 1</th>" in shown.html


def test_numbers_have_four_decimals_and_excluded_scores_their_sign():
    text = show(np.array([0.66976155, -np.inf, np.nan, -1e30])).text
    assert text.splitlines()[-1].split() == ["row", "1", "0.6698", "−∞", "NaN", "−1e+30"]


def test_an_unwritten_function_gets_a_sentence():
    text = show(unwritten, Q, K).text
    assert text == "unwritten returned None: either it is not written yet, or its last line lacks `return`."


def test_a_function_that_raises_gets_its_own_line_and_no_traceback():
    text = show(raises, Q, K).text
    assert text.startswith("raises stopped at your line ") and "return Q @ K" in text and "ValueError" in text
    assert "Traceback" not in text


def test_what_is_no_matrix_gets_a_sentence():
    assert show(lambda Q: "words", Q).text.startswith("<lambda> returned")
    assert "called with as well: show(unwritten, …)" in show(unwritten).text
    assert "2 arrays rather than one: (1, 2), (3, 2)" in show(lambda Q, K: (Q, K), Q, K).text
    assert "no number in it" in show(np.zeros((0, 3))).text
    assert "nothing here yet" in show(None).text


def test_the_arrays_that_are_passed_stay_as_they_are():
    def writes(Q):
        Q[:] = 7
        return Q

    show(writes, Q)
    assert Q.tolist() == [[1, 0]]


def test_batches_give_a_table_each_and_wide_matrices_are_cut():
    assert show(np.zeros((2, 1, 2))).html.count("<table") == 2
    assert "the first 12 rows and 12 columns" in show(np.zeros((20, 30))).text


def test_names_may_be_given_one_by_one_and_are_escaped():
    shown = show(np.eye(2), rows=["bank", "<river>"], columns=["a"])
    assert (
        "&lt;river&gt;" in shown.html
        and "<river>" not in shown.html
        and shown.text.splitlines()[1].split() == ["a", "2"]
    )


def test_showing_loads_neither_matplotlib_nor_widgets():
    code = "import sys, rowwise.show; print([m for m in ('matplotlib', 'anywidget', 'IPython') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
