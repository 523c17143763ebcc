"""The live figure for a batch and heads: one item is drawn, its moves are its own, and the others stand still."""

import json
import shutil
import subprocess
from pathlib import Path

import axe_core_python
import numpy as np
import pytest

from rowwise import live
from rowwise.live.batch_figure import module

AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
Q = np.arange(24.0).reshape(2, 2, 3, 2) / 8 - 1
K = Q[..., ::-1] + 0.5
V = np.arange(12.0).reshape(2, 2, 3, 1)
CELLS = [
    "import numpy as np\nfrom rowwise import live\n"
    "Q = np.arange(24.0).reshape(2, 2, 3, 2) / 8 - 1\nK = Q[..., ::-1] + 0.5\n"
    "V = np.arange(12.0).reshape(2, 2, 3, 1)",
    "fig = live.attention(Q, K, V)\nfig",
    "print(np.abs(fig.K - K).max(axis=(2, 3)).tolist())",
]


def node(expression: str, cases: list) -> list:
    """What the module's expression of x is for each case."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed, so the JavaScript can't be run without a browser")
    program = f"""
const url = "data:text/javascript;base64," + Buffer.from({json.dumps(module())}).toString("base64");
const {{ itemOf, largestChange, whereOf }} = await import(url);
const fs = await import("node:fs");
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0)).map((x) => {expression})));
"""
    command = ["node", "--input-type=module", "-e", program]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_items_are_counted_as_numpy_counts_them():
    sizes = (3, 4)
    places = [[int(i) for i in np.unravel_index(n, sizes)] for n in range(12)]
    assert node("whereOf(x, [3, 4])", list(range(12))) == places
    assert node("itemOf(x, [3, 4])", places) == list(range(12))


def test_the_largest_change_is_that_of_the_weights_and_outputs():
    fig = live.attention(Q[0], K[0], V[0])
    before, after = fig.states, json.loads(json.dumps(fig.states))
    after[1]["V"][2][0] += 3.0
    after[1]["K"][0][0] += 1.0

    def numbers(state):
        S = np.array(state["Q"]) @ np.array(state["K"]).T / np.sqrt(2)
        W = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
        return np.concatenate([W.ravel(), (W @ np.array(state["V"])).ravel()])

    expected = max(np.abs(numbers(b) - numbers(a)).max() for a, b in zip(before, after, strict=True))
    changed, still = node("largestChange(x[0], x[1])", [[before, after], [before, before]])
    assert changed == pytest.approx(expected, abs=1e-12)
    assert still == 0


def test_the_arrays_come_back_with_their_axes():
    fig = live.attention(Q, K, V, mask=np.tri(3, dtype=bool))
    for name, given in (("Q", Q), ("K", K), ("V", V), ("mask", np.broadcast_to(np.tri(3, dtype=bool), (2, 2, 3, 3)))):
        np.testing.assert_array_equal(getattr(fig, name), given)
    assert live.attention(Q[0], K[0], stages=("scores", "weights")).V is None


def test_a_mask_may_differ_from_item_to_item():
    masks = np.ones((2, 2, 3, 3), dtype=bool)
    masks[1, 0, 2, 0] = False
    np.testing.assert_array_equal(live.attention(Q, K, V, mask=masks).mask, masks)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"V": V[:1]}, ["V has shape (1, 2, 3, 1)", "(2, 2) in front"]),
        ({"K": K[:1]}, ["K has shape (1, 2, 3, 2)", "(2, 2) in front"]),
        ({"mask": np.ones((2, 4), bool)}, ["mask has shape (2, 4)", "(3, 3)"]),
        ({"fn": lambda Q, K: Q, "fn_stage": "scores"}, ["fn draws one item", "Q[0]"]),
        ({"Q": Q[..., :1]}, ["same width"]),
        (
            {"Q": np.ones((9, 2, 3, 2)), "K": np.ones((9, 2, 3, 2)), "V": None, "stages": "scores"},
            ["from 1 to 8 items"],
        ),
    ],
)
def test_what_does_not_fit_is_said_with_its_shape(arguments, words):
    with pytest.raises(ValueError) as said:
        live.attention(**({"Q": Q, "K": K, "V": V} | arguments))
    assert all(word in str(said.value) for word in words), said.value


def test_the_text_alternative_names_the_item_and_hides_what_is_not_answered():
    question = {"question": "Which weights move?", "stage": "weights", "key": "test-batch"}
    fig = live.attention(Q, K, V, stages=("scores", "weights"), predict=question)
    fig.chosen = 2
    assert "drawn is batch item 1, head 0" in fig.alt()
    assert "scores" in fig.alt() and "weights" not in fig.alt()


@pytest.mark.browser
def test_a_move_in_one_item_moves_no_other_and_says_so(lab):
    page = lab.open(CELLS, run=True)
    batch = page.locator(".rw-batch")
    shown = batch.locator(".rw-item:not([hidden])")
    weights = '[role=grid][aria-label^="weights"] .rw-number'
    here = shown.locator(weights).all_text_contents()
    batch.get_by_label("batch item").select_option("1")
    there = shown.locator(weights).all_text_contents()
    batch.get_by_label("batch item").select_option("0")
    handle = shown.locator(".rw-handle.rw-K").first
    handle.focus()
    page.keyboard.press("ArrowRight")
    told = batch.locator(".rw-others").inner_text()
    assert told.startswith("You moved batch item 0, head 0. The 3 other items: nothing moved;")
    assert told.endswith("the largest change of a weight or output there is 0.")
    assert shown.locator(weights).all_text_contents() != here
    moved = shown.locator(weights).all_text_contents()
    batch.get_by_label("batch item").select_option("1")
    assert shown.locator(weights).all_text_contents() == there
    batch.get_by_label("head").select_option("1")
    assert "Drawn: batch item 1, head 1" in batch.locator(".rw-others").inner_text()
    batch.get_by_label("batch item").select_option("0")
    batch.get_by_label("head").select_option("0")
    assert shown.locator(weights).all_text_contents() == moved, "an item keeps what was done to it"
    last = page.locator(".jp-Cell").last
    last.locator(".cm-content").click()
    lab.command(page, "notebook:run-cell")
    last.locator(".jp-OutputArea-output", has_text="]]").wait_for()
    in_python = json.loads(last.locator(".jp-OutputArea-output").inner_text())
    assert in_python[0][0] > 0 and in_python[0][1] == in_python[1][0] == in_python[1][1] == 0
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run('.rw-batch').then((r) => r.violations.map((v) => v.id))")
    assert found == []
    lab.close(page)
