"""The style of the static pictures: found by name, and keeping the course's colours for their meaning."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

STYLE = "rowwise.assets.rowwise"
MEANING = ["#0072b2", "#c24e00", "#00795b"]


@pytest.fixture
def plt(monkeypatch):
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    with plt.style.context(STYLE):
        yield plt
    plt.close("all")


def test_the_style_is_found_by_the_name_of_the_package_from_any_folder(tmp_path):
    code = f"import matplotlib.pyplot as plt; plt.style.use({STYLE!r}); print(plt.rcParams['axes.titlelocation'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "left"
    assert "Bad" not in done.stderr and "not" not in done.stderr


def test_lines_never_take_the_hues_that_mean_queries_keys_and_values(plt):
    for line in plt.rcParams["axes.prop_cycle"]:
        assert mpl.colors.to_hex(line["color"]) not in MEANING
    styles = [line["linestyle"] for line in plt.rcParams["axes.prop_cycle"]]
    assert len(set(styles)) == len(styles), "told apart by more than colour"


def contrast(a, b):
    """Contrast ratio by WCAG 2."""

    def luminance(colour):
        c = np.array(mpl.colors.to_rgb(colour))
        c = np.where(c <= 0.03928, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return c @ [0.2126, 0.7152, 0.0722]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_kind_of_text_can_be_read_on_its_ground(plt):
    for name in ("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"):
        assert contrast(plt.rcParams[name], plt.rcParams["figure.facecolor"]) >= 4.5, name
    for colour in MEANING:
        assert contrast(colour, "white") >= 4.5


def test_the_signs_of_the_course_are_all_in_its_font(plt, recwarn):
    figure, axes = plt.subplots()
    axes.set(title="q·k ÷ √d_k, o′ − o, ‖v‖, Σ p ≈ 1, −∞ → 0, Kᵀ", xlim=(-3, 3))
    figure.canvas.draw()
    assert not [str(w.message) for w in recwarn if "Glyph" in str(w.message)]
