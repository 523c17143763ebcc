"""What a student types is read as the numbers it may stand for, and never run."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_things import ANYTHING

from rowwise.rows.lines import read_line
from rowwise.rows.typed import Unreadable, read


@pytest.mark.parametrize(
    "typed, low, high",
    [
        ("0.6698", 0.66975, 0.66985),
        ("0.670", 0.6695, 0.6705),
        ("0.67", 0.6695, 0.6705),
        ("1,5", 1.495, 1.505),
        ("12,34", 12.335, 12.345),
        ("3", 2.995, 3.005),
        ("123", 122.5, 123.5),
        ("1100", 1095, 1105),
        ("1096.6", 1096.55, 1096.65),
        ("0.0003", 0.00025, 0.00035),
        ("0", -0.00005, 0.00005),
        ("-0.5", -0.5005, -0.4995),
        ("−0.5", -0.5005, -0.4995),
        ("6.70e-1", 0.6695, 0.6705),
        ("67.0 %", 0.6695, 0.6705),
        (".5", 0.4995, 0.5005),
        (0.67, 0.6695, 0.6705),
        (np.float32(0.67), 0.6695, 0.6705),
        (Decimal("0.670"), 0.6695, 0.6705),
        (3, 2.995, 3.005),
    ],
)
def test_a_number_stands_for_half_a_unit_of_its_last_place_on_either_side(typed, low, high):
    number = read(typed)
    assert (number.low, number.high) == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize(
    "typed, value",
    [
        ("2/3", 2 / 3),
        ("e**2", math.e**2),
        ("e^2", math.e**2),
        ("e^-1", 1 / math.e),
        ("sqrt(2)", math.sqrt(2)),
        ("√2", math.sqrt(2)),
        ("1/√2", math.sqrt(0.5)),
        ("exp(1)/(exp(1)+1)", math.e / (math.e + 1)),
        ("np.exp(2)", math.e**2),
        ("2·3 + 3·(−1)", 3),
        ("-2**2", -4),
        ("ln(2)", math.log(2)),
        ("2 × 3 ÷ 4", 1.5),
        (Fraction(2, 3), 2 / 3),
    ],
)
def test_fractions_powers_and_roots_are_worked_out_exactly(typed, value):
    number = read(typed)
    assert number.low == pytest.approx(value, rel=1e-12)
    assert number.high == pytest.approx(value, rel=1e-12)


def test_a_whole_number_of_thousands_of_digits_is_refused():
    with pytest.raises(Unreadable):
        read(10**5000)


def test_decimals_inside_an_expression_stay_intervals():
    number = read("2.72/3.72")
    assert number.low == pytest.approx(2.715 / 3.725)
    assert number.high == pytest.approx(2.725 / 3.715)


@pytest.mark.parametrize("typed", ["-inf", "−∞", "-∞", "masked", " Masked ", "-np.inf", float("-inf"), -np.inf])
def test_an_excluded_score_may_be_typed_in_several_ways(typed):
    assert read(typed).value == -math.inf


@pytest.mark.parametrize("typed", ["", "   ", None, ...])
def test_nothing_typed_is_not_a_number_and_no_mistake(typed):
    assert read(typed) is None


@pytest.mark.parametrize(
    "typed",
    [
        "abc", "nan", float("nan"), "inf", float("inf"), True, "1/0", "0**-1", "e**1000", "1e999", "(1", "1)", "1 2",
        "__import__('os')", "[].__class__", "lambda: 1", "exit()", "2e", "²", "x", "1;2", [1], {}, 3j, "1" * 200,
        "9" * 500, "(" * 100, "-" * 119, b"1", object(),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_in_a_sentence(typed):
    with pytest.raises(Unreadable, match=r"\w"):
        read(typed)


@given(ANYTHING)
def test_reading_one_number_raises_nothing_but_unreadable(item):
    try:
        number = read(item)
    except Unreadable:
        return
    assert number is None or number.low <= number.value <= number.high


@given(ANYTHING, st.sampled_from([(1,), (2,), (3,), (2, 2), (3, 1)]))
def test_reading_a_line_never_raises(value, shape):
    line = read_line(value, shape)
    assert line.blank or line.problem or line.box[0].shape == shape


@given(st.floats(-1e6, 1e6), st.integers(3, 12))
def test_the_interval_holds_every_number_that_rounds_to_what_was_typed(x, figures):
    number = read(f"{x:.{figures}g}")
    slack = 1e-12 * abs(x) + 5e-5 * (x == 0)
    assert number.low - slack <= x <= number.high + slack


@pytest.mark.parametrize(
    "typed, numbers",
    [
        ("0.67, 0.33", [0.67, 0.33]),
        ("0,67; 0,33", [0.67, 0.33]),
        ("0,67, 0,33", [0.67, 0.33]),
        ("0,67 0,33", [0.67, 0.33]),
        ("0.67,0.33", [0.67, 0.33]),
        ("[0.67, 0.33]", [0.67, 0.33]),
        ("(1,2)", [1, 2]),
        ("1,5", [1, 5]),
        ("2/3 1/3", [2 / 3, 1 / 3]),
        ("2 / 3, 1 / 3", [2 / 3, 1 / 3]),
        ("1 -2", [1, -2]),
        (["2/3", "1,5"], [2 / 3, 1.5]),
        (("2/3", 0.5), [2 / 3, 0.5]),
        (np.array([1.5, 2]), [1.5, 2]),
        (["1, 2"], [1, 2]),
    ],
)
def test_two_numbers_may_come_in_one_box_or_in_two(typed, numbers):
    assert read_line(typed, (2,)).middle == pytest.approx(numbers)


def test_a_comma_is_a_decimal_point_where_one_number_is_asked_for():
    assert read_line("1,5", (1,)).middle == pytest.approx([1.5])


@pytest.mark.parametrize(
    "typed", [[[1, 2], [3, 4]], [1, 2, 3, 4], ["1, 2", "3, 4"], "[[1, 2], [3, 4]]", "1 2; 3 4", np.arange(1, 5)]
)
def test_products_may_come_in_rows_or_one_after_the_other(typed):
    assert read_line(typed, (2, 2)).middle.tolist() == [[1, 2], [3, 4]]


def test_a_line_of_another_length_says_how_many_are_asked_for():
    line = read_line([1, 2, 3], (2,))
    assert (line.slug, line.problem) == ("wrong-shape", "This line holds 3 numbers; it takes 2 numbers.")


def test_what_was_understood_is_shown():
    assert read_line("2/3; 1,5; −∞; e^2", (4,)).shown == "0.6667, 1.5, −∞, 7.389"
