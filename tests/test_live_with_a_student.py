"""The live figure with a student: predictions that are kept, functions that are drawn, notebooks that come back."""

import pytest
from figure_page import START, WHOLE, box, cells, violations

pytestmark = pytest.mark.browser

ASK = """
ask = dict(question="Key 2 turns towards query 1. Its weight on key 1?", stage="weights", choices=["rises", "falls"],
           finding="It falls, though key 1's score stands still.", key="browser-test")
fig = live.attention(Q, K, V, predict=ask)
fig
"""


def test_a_prediction_unlocks_its_stage_and_is_there_again_after_a_restart(lab):
    page = lab.open([START, ASK, "print('answer:', fig.prediction)"], run=True)
    figure = page.locator(".rw-attention")
    assert cells(figure, "weights")[0] == ["?", "?", "?"]
    assert cells(figure, "masked")[0][0] == "1.27"
    assert figure.get_by_role("button", name="Commit").is_disabled()
    assert violations(page) == []
    figure.get_by_label("falls").check()
    figure.get_by_role("button", name="Commit").click()
    assert cells(figure, "weights")[0][0] == "0.58"
    said = figure.locator(".rw-said").inner_text()
    assert "falls" in said and "though key 1's score stands still" in said
    page.wait_for_timeout(500)
    lab.command(page, "notebook:run-all-cells")
    page.wait_for_selector("text=answer: falls")
    lab.close(page)
    again = lab.open([START, ASK], run=True)
    again.wait_for_selector(".rw-said:not([hidden])")
    assert cells(again.locator(".rw-attention"), "weights")[0][0] == "0.58"
    lab.close(again)


FUNCTIONS = {
    "right": ("    e = np.exp(S - S.max(axis=1, keepdims=True))\n    return e / e.sum(axis=1, keepdims=True)", ""),
    "wrong axis": ("    e = np.exp(S)\n    return e / e.sum(axis=0)", "Each of your columns sums to 1"),
    "raising": ("    return np.exp(S) @ S", "stopped at `return np.exp(S) @ S` with ValueError"),
    "wrong shape": ("    return np.exp(S).sum(axis=1)", "returned shape (2,)"),
    "unwritten": ("    ...", "either it is not written yet, or its last line lacks"),
}


@pytest.fixture(scope="module")
def functions(lab):
    """One notebook with a figure for each way of writing softmax_rows."""
    sources = [START]
    for body, _ in FUNCTIONS.values():
        sources.append(f"def softmax_rows(S):\n{body}\n\nlive.attention(Q, K, V, fn=softmax_rows)")
    page = lab.open(sources, run=True)
    page.wait_for_function("n => document.querySelectorAll('.rw-attention').length === n", arg=len(FUNCTIONS))
    return page


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_students_function_is_drawn_and_the_figure_lives_on(functions, kind):
    figure = functions.locator(".rw-attention").nth(list(FUNCTIONS).index(kind))
    words = FUNCTIONS[kind][1]
    figure.scroll_into_view_if_needed()
    assert words in figure.locator(".rw-tutor").inner_text()
    assert (figure.locator(".rw-tutor").inner_text() == "") == (kind == "right")
    weights = cells(figure, "weights")
    if kind in ("raising", "wrong shape", "unwritten"):
        assert weights == [["–"] * 3] * 2
    if kind == "wrong axis":
        assert figure.locator(".rw-sum-words").all_text_contents() == ["not 1", "not 1"]
        columns = [sum(float(row[j]) for row in weights) for j in range(3)]
        assert columns == pytest.approx([1, 1, 1], abs=0.011)
    before = cells(figure, "scores")
    box(figure, "key 2, first number").fill("0.9")
    functions.keyboard.press("Enter")
    functions.wait_for_timeout(400)
    after = cells(figure, "scores")
    assert before[0][1] == "1.14" and after[0][1] == "1.86"
    if kind in ("right", "wrong axis"):
        assert cells(figure, "weights") != weights
    assert not functions.errors


def test_the_right_numbers_are_laid_beside_only_once_that_is_allowed(lab):
    source = (
        "def softmax_rows(S):\n    e = np.exp(S)\n    return e / e.sum(axis=0)\n\n"
        "fig = live.attention(Q, K, V, fn=softmax_rows)\nfig"
    )
    page = lab.open([START, source, "fig.allow_difference = True"])
    figure = page.locator(".rw-attention")
    toggle = figure.get_by_label("difference from the right numbers")
    page.locator(".jp-Cell").first.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    figure.wait_for()
    assert not toggle.is_visible()
    page.keyboard.press("Shift+Enter")
    toggle.check()
    under = figure.locator('[role=grid][aria-label^="weights"] .rw-under').all_text_contents()
    assert under[0] == "+0.24", under
    lab.close(page)


def test_a_saved_notebook_comes_back_with_what_was_moved(lab):
    page = lab.open([START, WHOLE], run=True)
    figure = page.locator(".rw-attention")
    box(figure, "key 2, first number").fill("0.9")
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    lab.command(page, "docmanager:save")
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector(".rw-attention", timeout=60000)
    assert cells(page.locator(".rw-attention"), "scores")[0][1] == "1.86"
    box(page.locator(".rw-attention"), "key 2, first number").fill("0.3")
    page.keyboard.press("Enter")
    assert cells(page.locator(".rw-attention"), "scores")[0][1] == "1.14"
    lab.close(page)
