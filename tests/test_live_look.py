"""The look of the figures: contrast in both themes, colours that stay apart for every eye, nothing that moves by itself."""

import re
from itertools import combinations

import numpy as np
import pytest

from rowwise.live.figure import Attention
from rowwise.live.widget import text_of

LIGHT, DARK = (
    dict(re.findall(r"--rw-([a-z]+): (#[0-9a-f]{6})", block)) for block in text_of("look.css").split("}")[:2]
)
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])

# Viénot, Brettel and Mollon (1999): what a dichromat sees, as a matrix on linear RGB; tritan after Brettel (1997).
EYES = {
    "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    "tritan": [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.80500, 0.11911]],
    "typical": np.eye(3),
}


def linear(colour):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """The ratio of WCAG 2.2, from 1 to 21."""
    high, low = sorted((linear(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """CIE L*a*b* of linear sRGB under D65."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    f = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@THEMES
def test_every_text_has_a_contrast_of_four_and_a_half(theme):
    for text in ("ink", "quiet", "query", "key", "value"):
        assert contrast(theme[text], theme["paper"]) >= 4.5, text
    assert contrast(theme["ink"], theme["slate"]) >= 4.5, "the number in the darkest cell"
    assert contrast(theme["query"], theme["band"]) >= 4.5, "the letter of the lit row"


@THEMES
@pytest.mark.parametrize("eye", EYES)
def test_queries_keys_and_values_stay_apart_for_every_eye(theme, eye):
    seen = {name: lab(np.array(EYES[eye]) @ linear(theme[name])) for name in ("query", "key", "value")}
    for a, b in combinations(seen, 2):
        if (eye, a, b) == ("tritan", "query", "value"):
            continue  # One colour to that eye: these two never share a panel, and one is an arrow, the other a square.
        assert np.linalg.norm(seen[a] - seen[b]) > 15, f"{a} and {b} look alike"


def test_nothing_moves_by_itself():
    assert not re.search("transition|animation|@keyframes", str(Attention._css))


def test_every_rule_stays_inside_the_figure():
    css = re.sub(r"/\*.*?\*/", "", text_of("figure.css"), flags=re.S)
    selectors = [s.strip() for block in re.findall(r"([^{}]+)\{", css) for s in block.split(",")]
    assert [s for s in selectors if not s.startswith(".rw-attention")] == []
