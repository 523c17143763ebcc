"""What the browser tests of the live figure share: a notebook's sources, and ways of reading the picture."""

from pathlib import Path

import axe_core_python

AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
START = """
import numpy as np
from rowwise import live
Q, K, V = [[1.2, 0.6], [-0.4, 1.1]], [[1.4, 0.2], [0.3, 1.3], [-1, -0.6]], [[2, 0], [0, 4], [3, 3]]
"""
WHOLE = "fig = live.attention(Q, K, V, mask=[[1, 1, 0], [1, 1, 1]])\nfig"


def cells(figure, stage):
    """The numbers of one matrix as they stand in the picture, row by row."""
    rows = figure.locator(f'[role=grid][aria-label^="{stage}"] [role=row]').all()
    return [row.locator(".rw-number").all_text_contents() for row in rows]


def box(figure, name):
    return figure.get_by_role("textbox", name=name)


def middle(locator):
    b = locator.bounding_box()
    return b["x"] + b["width"] / 2, b["y"] + b["height"] / 2


def changes(figure):
    return figure.locator(".rw-changes").inner_text()


def violations(page, selector=".rw-attention"):
    page.evaluate(AXE.read_text())
    found = page.evaluate(f"axe.run('{selector}').then(r => r.violations)")
    return [(v["id"], v["impact"], [n["html"][:160] for n in v["nodes"]][:3]) for v in found]
