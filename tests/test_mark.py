"""A mark is a number to nbgrader, a table to a student, and plain text to print."""

import math
import pickle
import re

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell

from rowwise.mark import Mark, Step


@pytest.fixture
def mark():
    steps = (
        Step("scores", 1.0, 1.0),
        Step("weights", 0.0, 1.5, "overflow", message="Row <2> is NaN.\nLook there."),
    )
    return Mark(1.0, 2.5, ("overflow",), "First line.\nSecond & last.", steps)


def plain_output(mark, shell=None):
    formatter = shell.display_formatter if shell else DisplayFormatter()
    return formatter.format(mark)[0]["text/plain"]


def test_a_mark_is_a_float_whose_text_is_the_plain_number(mark):
    assert isinstance(mark, float)
    assert (repr(mark), plain_output(mark)) == ("1.0", "1.0")
    assert mark + 1 == 2.0 and type(mark + 1) is float


@pytest.mark.parametrize("precision", ["0", "2", "%.0f", "%e"])
def test_the_precision_that_a_student_sets_does_not_change_it(mark, precision):
    shell = InteractiveShell.instance()
    shell.run_line_magic("precision", precision)
    try:
        assert plain_output(mark, shell) == "1.0"
        assert plain_output(Mark(1.5, 1.5), shell) == "1.5"
    finally:
        shell.run_line_magic("precision", "")
        InteractiveShell.clear_instance()


def test_a_formatter_that_a_student_registers_for_floats_does_not_change_it(mark):
    formatter = DisplayFormatter()
    formatter.formatters["text/plain"].for_type(float, lambda x, p, cycle: p.text("99"))
    assert formatter.format(mark)[0]["text/plain"] == "1.0"
    assert formatter.format(1.0)[0]["text/plain"] == "99"


@pytest.mark.parametrize(("earned", "points"), [(-1, 2), (3, 2), (math.nan, 2), (0, math.inf), (0, math.nan)])
def test_a_mark_outside_its_range_cannot_be_made(earned, points):
    with pytest.raises(ValueError, match="between 0 and its points"):
        Mark(earned, points)


def test_thirds_add_up_to_no_more_than_the_points():
    mark = Mark(sum([2 / 3] * 3), 2)
    assert float(mark) == 2.0 and repr(Mark(2 / 3, 2)) == "0.6667"


def test_a_mark_from_numpy_is_still_a_python_float():
    assert type(float(Mark(np.float64(1.5), np.float32(2)))) is float
    assert repr(Mark(np.float64(1.5), np.float32(2))) == "1.5"


def test_printing_gives_the_points_each_step_and_the_message(mark):
    text = str(mark)
    assert text.splitlines()[0] == "1 of 2.5 points"
    assert "scores: 1 of 1" in text and "Row <2> is NaN." in text
    assert text.endswith("First line.\nSecond & last.\nIn this course it is called overflow.")
    assert f"{mark}" == text and f"{mark:.2f}" == "1.00"


def test_the_table_has_headings_that_a_screen_reader_follows_and_escapes_what_it_shows(mark):
    shown = mark._repr_html_()
    assert shown.count("scope='col'") == 3 and shown.count("scope='row'") == 2
    assert "Row &lt;2&gt; is NaN.<br>Look there." in shown and "Second &amp; last." in shown
    assert not re.search(r"<script| on\w+=", shown)


def test_a_mark_without_steps_shows_no_empty_table():
    assert "<table" not in Mark(1, 1, message="fine")._repr_html_()


def test_a_mark_survives_pickling_with_everything_in_it(mark):
    again = pickle.loads(pickle.dumps(mark))
    assert (float(again), again.points, again.mistakes, again.message, again.steps) == (
        float(mark),
        mark.points,
        mark.mistakes,
        mark.message,
        mark.steps,
    )
