"""live.scaling: the draws are what theory says of them, and JavaScript and Python see the same ones."""

import numpy as np
import pytest
from javascript import run
from scipy import stats

from rowwise import live, reference
from rowwise.live.scaling_figure import components, jacobian, scores, summary, uniform

WIDTHS = [1, 2, 3, 31, 32, 33, 64, 100, 512, 1023, 1024]


def test_javascript_and_python_make_the_same_uniform_draws():
    places = [0, 1, 2, 1249, 1_279_999]
    for seed in (0, 1, 7, 2**31 + 5):
        drawn = run("scaling-math.js", "uniform(x[0], x[1])", [[seed, n] for n in places])
        np.testing.assert_array_equal(drawn, uniform(seed, np.array(places)))


def test_uniform_draws_are_those_of_mulberry32_written_out_with_whole_numbers():
    """The generator as its author gives it, in Python's unbounded integers."""
    word = 0xFFFFFFFF
    state = 5 * 0x9E3779B9 & word
    for n in range(200):
        state = state + 0x6D2B79F5 & word
        t = (state ^ state >> 15) * (state | 1) & word
        t ^= t + ((t ^ t >> 7) * (t | 61) & word) & word
        assert uniform(5, np.array([n]))[0] == ((t ^ t >> 14) + 0.5) / 2**32


@pytest.mark.parametrize("mean", [0, 1])
def test_javascript_and_python_agree_on_every_score_to_twelve_digits(mean):
    found = run("scaling-math.js", "new Draws(x[0]).scores(x[1], x[2])", [[3, d, mean] for d in WIDTHS])
    for d_k, ours in zip(WIDTHS, found, strict=True):
        np.testing.assert_allclose(np.reshape(ours, (250, 4)), scores(3, d_k, mean), rtol=1e-12, atol=1e-12 * d_k)


def test_the_way_to_a_width_does_not_change_its_scores():
    """Up, down and up again, through the sums that are kept, gives what a fresh start gives."""
    there = "((draws) => { x.forEach((d) => draws.scores(d)); return draws.scores(100); })(new Draws(0))"
    wandering, straight = run("scaling-math.js", there, [[1024, 5, 64, 700, 96], []])
    assert wandering == straight


def test_javascript_and_python_agree_on_what_the_picture_shows_of_the_scores():
    found = run("scaling-math.js", "compute(new Draws(0), x)", WIDTHS)
    for d_k, ours in zip(WIDTHS, found, strict=True):
        S = scores(0, d_k)
        for name, row_scores in (("plain", S), ("scaled", S / np.sqrt(d_k))):
            for part, value in summary(row_scores).items():
                assert ours[name][part] == pytest.approx(value, rel=1e-9, abs=1e-12), (d_k, name, part)
            np.testing.assert_allclose(ours[name]["weights"], reference.softmax_rows(row_scores), atol=1e-12)


def test_the_jacobian_is_how_softmax_answers_to_a_small_change_of_each_score():
    row, step = np.array([0.3, -1.2, 2.0, 0.9]), 1e-6
    measured = np.stack(
        [
            (reference.softmax_rows(row + step * e) - reference.softmax_rows(row - step * e)) / (2 * step)
            for e in np.eye(4)
        ],
        axis=-1,
    )
    p = reference.softmax_rows(row)
    np.testing.assert_allclose(jacobian(p), measured, atol=1e-9)
    np.testing.assert_allclose(
        run("scaling-math.js", "jacobian(x)", [p.tolist()])[0], np.diag(p) - np.outer(p, p), atol=1e-15
    )


def test_components_are_normal_with_mean_0_and_variance_1():
    Q, K = components(0, 256)
    drawn = np.concatenate([Q.ravel(), K.ravel()])
    assert stats.kstest(drawn, "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(Q.T) - np.eye(256)).max() < 0.35, "features do not repeat one another"


@pytest.mark.parametrize(("mean", "factor"), [(0, 1), (1, 3)])
def test_the_variance_of_a_dot_product_is_d_k_with_mean_0_and_three_times_that_with_mean_1(mean, factor):
    for d_k in (1, 16, 256):
        variances = [scores(seed, d_k, mean).var() for seed in range(8)]
        assert np.mean(variances) == pytest.approx(factor * d_k, rel=0.09), d_k
        means = [scores(seed, d_k, mean).mean() for seed in range(8)]
        assert np.mean(means) == pytest.approx(mean * d_k, abs=0.07 * np.sqrt(factor * d_k))


def test_without_scaling_a_typical_row_saturates_and_its_jacobian_vanishes_and_with_it_neither_happens():
    for seed in range(3):
        narrow, wide = summary(scores(seed, 2)), summary(scores(seed, 512))
        assert narrow["largest"] < 0.6 and narrow["jacobian"] > 0.4
        assert wide["largest"] > 0.999 and wide["jacobian"] < 1e-3
        scaled = summary(scores(seed, 512) / np.sqrt(512))
        assert scaled["largest"] < 0.55 and scaled["jacobian"] > 0.4


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"d_k": 0}, "d_k is 0: expected a whole number from 1 to 1024"),
        ({"d_k": 1025}, "d_k is 1025"),
        ({"d_k": 2.5}, "d_k is 2.5"),
        ({"mean": 2}, "mean is 2: expected a whole number from 0 to 1"),
        ({"seed": -1}, "seed is -1: expected a whole number from 0 to 4294967295"),
        ({"seed": "cat"}, "seed is 'cat'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(given, says):
    with pytest.raises(ValueError, match=says):
        live.scaling(**given)


def test_a_width_set_in_python_is_held_to_the_same_limits():
    figure = live.scaling(d_k=np.int64(64))
    figure.d_k = 1024
    with pytest.raises(ValueError, match="d_k is 0"):
        figure.d_k = 0
    assert figure.d_k == 1024


def test_the_text_that_stands_in_for_the_picture_has_its_numbers():
    words = live.scaling(d_k=512).alt()
    S = scores(0, 512)
    assert f"spread {S.std():.2f}" in words and "largest weight 1.00" in words
    assert f"{summary(S / np.sqrt(512))['largest']:.2f}" in words


def test_the_module_is_small_plain_text():
    for figure in (live.scaling(), live.softmax(), live.head()):
        assert len(str(figure._esm).encode()) < 48_000
        assert "import(" not in str(figure._esm) and "http://www.w3.org" in str(figure._esm)
        assert str(figure._esm).count("http") == 1, "the SVG namespace is the only address in it"
