"""Chapter 01 as a student does it: a real browser on a real JupyterLab, from Run All to Validate."""

import ast
import re

import pytest
from courses import ROOT

pytestmark = pytest.mark.browser
CHAPTER = "01-dot-product"
TEXT = (ROOT / "solutions" / CHAPTER / f"{CHAPTER}.md").read_text(encoding="utf-8")
Q, K = (ast.literal_eval(re.search(rf"^{name} = np.array\((.+)\)$", TEXT, re.MULTILINE)[1]) for name in "QK")
RIGHT = {
    'dot_product_row = {"scores": [None': 'dot_product_row = {"scores": [3, -1, 2]}',
    "scores_shape = (None": "scores_shape = (3, 4)",
    "def scores(Q, K):": "def scores(Q, K):\n    return Q @ K.T",
    "dot_product_spot_1 = {": 'dot_product_spot_1 = {"mistake": "transposed-scores", "row": 2}',
    "dot_product_spot_2 = {": 'dot_product_spot_2 = {"mistake": "cosine-not-dot", "row": 3}',
}


@pytest.fixture(scope="module")
def page(lab):
    """The chapter as it is handed out, after Run All."""
    return lab.open(ROOT / "notebooks" / CHAPTER / f"{CHAPTER}.ipynb", run=True)


def cell(page, beginning):
    """The code cell whose code begins so."""
    code = re.compile(r"^\s*" + re.escape(beginning))
    return page.locator(".jp-CodeCell").filter(has=page.locator(".jp-InputArea .cm-content", has_text=code)).first


def type_into(page, beginning, code):
    """Types ``code`` in the place of the cell's and runs it."""
    cell(page, beginning).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(code)
    page.keyboard.press("Shift+Enter")


def check(page, name):
    """Runs the check cell of this exercise by keyboard; what it says, once it has run."""
    here = cell(page, f"check.{name}({name})")
    before = here.locator(".jp-InputArea-prompt").inner_text()
    here.locator(".jp-InputArea-prompt").click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(
        "([node, before]) => ![before, '[*]:'].includes(node.innerText)",
        arg=[here.locator(".jp-InputArea-prompt").element_handle(), before],
    )
    return here.locator(".jp-OutputArea").inner_text()


def figure(page):
    """The chapter's first figure, where it can be seen."""
    found = page.locator(".rw-figure.rw-attention").first
    found.scroll_into_view_if_needed()
    return found


def numbers(text):
    """The numbers in what the figure says, a true minus sign read as one."""
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def handle(page, number):
    return figure(page).get_by_role("slider", name=f"key {number}", exact=True)


def key(page, number):
    return numbers(handle(page, number).get_attribute("aria-valuetext"))


def score_labels(page, query):
    cells = figure(page).get_by_label(re.compile(rf"^score of key \d for query {query}"))
    return [each.get_attribute("aria-label") for each in cells.all()]


def shown_scores(page, query):
    return [numbers(label.split(":")[1])[0] for label in score_labels(page, query)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_run_all_shows_no_error_and_asks_nothing_of_the_network(page):
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert page.refused == []


def test_the_figure_asks_for_a_prediction_before_it_shows_a_score(page):
    assert all("hidden until you have answered" in label for label in score_labels(page, 1))
    figure(page).get_by_role("radio", name="key 2").check()
    figure(page).get_by_role("button", name="Commit my answer").click()


def test_the_figure_begins_with_the_scores_of_the_chapters_own_vectors(page):
    for row, q in enumerate(Q, 1):
        assert shown_scores(page, row) == pytest.approx([dot(q, k) for k in K], abs=0.005)


def test_a_key_moved_by_the_arrow_keys_takes_its_column_along_and_no_other(page):
    handle(page, 2).focus()
    for pressed in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(pressed)
    moved = key(page, 2)
    assert moved[0] > K[1][0] and moved[1] < K[1][1]
    for row, q in enumerate(Q, 1):
        expected = [dot(q, K[0]), dot(q, moved), dot(q, K[2])]
        assert shown_scores(page, row) == pytest.approx(expected, abs=0.005)


def test_a_key_that_is_dragged_takes_its_column_along_and_no_other(page):
    before = key(page, 3)
    others = [key(page, 1), key(page, 2)]
    at = handle(page, 3).locator("circle").first.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(x + 8 * step, y - 4 * step)
    page.mouse.up()
    moved = key(page, 3)
    assert moved[0] > before[0] + 0.5 and moved[1] > before[1] + 0.2
    for row, q in enumerate(Q, 1):
        assert shown_scores(page, row) == pytest.approx([dot(q, k) for k in [*others, moved]], abs=0.005)


def test_an_empty_row_gets_a_sentence_and_a_filled_one_its_marks(page):
    assert "0 of 3 points" in check(page, "dot_product_row")
    type_into(page, *next(iter(RIGHT.items())))
    assert "3 of 3 points" in check(page, "dot_product_row")


def test_a_wrong_idea_is_named_with_the_row_that_shows_it_and_then_put_right(page):
    type_into(page, "def scores(Q, K):", "def scores(Q, K):\n    return K @ Q.T")
    said = check(page, "scores")
    assert "one row a key" in said and "transposed-scores" in said and "Traceback" not in said
    type_into(page, "def scores(Q, K):", RIGHT["def scores(Q, K):"])
    assert "3 of 3 points" in check(page, "scores")


def validate(page):
    """Presses Validate and reads the outcome."""
    page.locator(".validate-button").click()
    dialog = page.locator(".jp-Dialog", has_text="Validation Results")
    dialog.wait_for(timeout=120000)
    said = dialog.inner_text()
    dialog.get_by_role("button", name="OK").click()
    dialog.wait_for(state="detached")
    return said


def test_validate_names_the_cells_that_lack_marks_and_no_other(page):
    said = validate(page)
    assert "check.scores_shape(scores_shape)" in said and "check.dot_product_spot_2" in said
    assert "check.scores(scores)" not in said and "check.dot_product_row" not in said
    assert "Traceback" not in said


def test_validate_says_success_when_all_is_answered_and_right(page):
    for beginning, code in RIGHT.items():
        if beginning.startswith(("scores_shape", "dot_product_spot")):
            type_into(page, beginning, code)
    answer = page.locator(".jp-MarkdownCell", has_text="YOUR ANSWER HERE")
    answer.get_by_role("paragraph").dblclick()
    answer.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("Each query asks on its own, so it gets a row with its dot product with every key.")
    page.keyboard.press("Shift+Enter")
    page.get_by_role("paragraph").filter(has_text="asks on its own").wait_for()
    assert "Success! Your notebook passes all the tests." in validate(page)


def test_nothing_went_wrong_in_the_browser_on_the_way(page):
    assert page.errors == []
