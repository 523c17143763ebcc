"""paper.practice() in a real JupyterLab: by keyboard alone, in both themes, announced, and kept."""

import json
import math
import re

import pytest

from rowwise import paper, progress

pytestmark = pytest.mark.browser
STEPS = ["scores", "scaled", "exponentials", "weights", "output"]
ROOT = ".rowwise-practice"


@pytest.fixture(scope="module")
def page(lab, tmp_path_factory):
    """A notebook with one practice row, number 3, and an empty record."""
    home = tmp_path_factory.mktemp("progress")
    cells = [f"import os; os.environ['ROWWISE_HOME'] = {str(home)!r}\nfrom rowwise import paper", "paper.practice(3)"]
    page = lab.open(cells, run=True, height=1300)
    page.wait_for_selector(f"{ROOT} input")
    page.home = home
    yield page
    assert page.errors == [] and page.refused == []
    lab.close(page)


@pytest.fixture
def fresh(page):
    """The same page on row 3 with nothing typed, and nothing known of the student."""
    (page.home / "progress.json").unlink(missing_ok=True)
    for number in ("9", "3"):
        box = page.locator(f"{ROOT} [aria-label='row number']")
        box.fill(number)
        box.press("Enter")
        page.wait_for_function("n => document.querySelector('.rowwise-said').textContent === `Row ${n}.`", arg=number)
    return page


def numbers(page, kind):
    """The vectors of a line of the question, as the page shows them."""
    cells = page.locator(f"{ROOT} tr.rowwise-{kind} td").all_inner_texts()
    return [json.loads(cell.replace("−", "-")) for cell in cells if cell]


def worked(page):
    """The row's right lines, worked from what the page shows."""
    q = json.loads(page.locator(f"{ROOT} .rowwise-query").inner_text()[4:].replace("−", "-"))
    K, V = numbers(page, "key"), numbers(page, "value")
    scores = [sum(a * b for a, b in zip(q, k, strict=True)) for k in K]
    scaled = [s / math.sqrt(len(q)) for s in scores]
    e = [math.exp(s) for s in scaled]
    weights = [x / sum(e) for x in e]
    output = [sum(w * v for w, v in zip(weights, column, strict=True)) for column in zip(*V, strict=True)]
    return {"scores": scores, "scaled": scaled, "exponentials": e, "weights": weights, "output": output}


def boxes(page, step):
    return page.locator(f"{ROOT} input[aria-label^='{step}, ']")


def type_line(page, line):
    """Types a line by keyboard from where the focus is, and presses Enter."""
    for i, x in enumerate(line):
        if i:
            page.keyboard.press("Tab")
        page.keyboard.type(x if isinstance(x, str) else f"{x:.5g}")
    page.keyboard.press("Enter")


def said(page, words):
    page.wait_for_function(
        "w => document.querySelector('.rowwise-said').textContent.includes(w)", arg=words, timeout=15000
    )
    return page.locator(f"{ROOT} .rowwise-said").inner_text()


def test_a_whole_row_can_be_worked_by_keyboard_alone_and_is_explained_at_last(fresh):
    lines = worked(fresh)
    assert boxes(fresh, "scores").first.evaluate("e => e === document.activeElement")
    for step in STEPS:
        type_line(fresh, lines[step])
        said(fresh, f"{step}: agrees.")
    assert "The row is complete" in fresh.locator(f"{ROOT} .rowwise-said").inner_text()
    explained = fresh.locator(f"{ROOT} .rowwise-worked > li")
    assert explained.count() == 6
    assert explained.nth(0).locator("li").count() == 3
    kept = json.loads((fresh.home / "progress.json").read_text())["kept"]["practice"]
    assert kept == {step: [1, 0] for step in STEPS}


def test_a_mistake_is_named_announced_and_counted_once(fresh):
    lines = worked(fresh)
    type_line(fresh, lines["scores"])
    said(fresh, "scores: agrees")
    type_line(fresh, lines["scores"])
    text = said(fresh, "scaled: look again")
    assert "√d_k" in text
    first = boxes(fresh, "scaled").first
    assert first.get_attribute("aria-invalid") == "true"
    assert boxes(fresh, "scores").first.get_attribute("aria-invalid") == "false"
    note = fresh.locator(f"id={first.get_attribute('aria-describedby')}")
    assert "Divide them by √d_k" in note.inner_text()
    for box, x in zip(boxes(fresh, "scaled").all(), lines["scaled"], strict=True):
        box.fill(f"{x:g}")
    boxes(fresh, "scaled").last.press("Enter")
    said(fresh, "scaled: agrees")
    kept = json.loads((fresh.home / "progress.json").read_text())["kept"]["practice"]
    assert kept == {"scores": [1, 0], "scaled": [0, 1]}
    record = fresh.locator(f"{ROOT} .rowwise-record tbody tr").all_inner_texts()
    assert [re.split(r"\s+", row.strip()) for row in record] == [["scores", "1", "0"], ["scaled", "0", "1"]]


def test_a_step_that_is_filled_in_is_checked_when_the_focus_leaves_it(fresh):
    lines = worked(fresh)
    for box, x in zip(boxes(fresh, "scores").all(), lines["scores"], strict=True):
        box.fill(str(x))
    boxes(fresh, "weights").first.focus()
    said(fresh, "scores: agrees")
    assert boxes(fresh, "weights").first.evaluate("e => e === document.activeElement")


def test_what_follows_from_a_wrong_line_of_ones_own_agrees(fresh):
    scores = [x + 1 + i for i, x in enumerate(worked(fresh)["scores"])]
    type_line(fresh, scores)
    said(fresh, "scores: look again")
    for box, x in zip(boxes(fresh, "scaled").all(), scores, strict=True):
        box.fill(f"{x}/2")
    boxes(fresh, "scaled").last.press("Enter")
    assert "follows from your own" in said(fresh, "scaled: agrees")


def test_hints_go_further_each_time_and_at_last_fill_the_line_in(fresh):
    hint = fresh.locator(f"{ROOT} [aria-label='Hint for scores']")
    note = fresh.locator(f"id={boxes(fresh, 'scores').first.get_attribute('aria-describedby')}")
    assert note.locator("p").count() == 1  # shown unasked to somebody new
    hint.focus()
    fresh.keyboard.press("Enter")
    said(fresh, "The first sum is key 1")
    fresh.keyboard.press("Space")
    said(fresh, "The line is filled in")
    shown = [float(box.input_value()) for box in boxes(fresh, "scores").all()]
    assert shown == worked(fresh)["scores"]
    assert not hint.is_visible()


def test_the_first_hint_fades_once_a_step_has_been_right_twice(fresh):
    for number in ("4", "5", "6"):
        box = fresh.locator(f"{ROOT} [aria-label='row number']")
        box.fill(number)
        box.press("Enter")
        said(fresh, f"Row {number}.")
        note = fresh.locator(f"id={boxes(fresh, 'scores').first.get_attribute('aria-describedby')}")
        assert note.locator("p").count() == (0 if number == "6" else 1)
        type_line(fresh, worked(fresh)["scores"])
        said(fresh, "scores: agrees")


def test_the_row_number_brings_the_same_row_back_and_the_next_row_is_another(fresh):
    before = worked(fresh)
    fresh.locator(f"{ROOT} button", has_text="Next row").click()
    said(fresh, "Row 4.")
    assert worked(fresh) != before
    box = fresh.locator(f"{ROOT} [aria-label='row number']")
    assert box.input_value() == "4"
    box.fill("3")
    box.press("Enter")
    said(fresh, "Row 3.")
    assert worked(fresh) == before


def test_the_explanation_can_be_asked_for(fresh):
    fresh.locator(f"{ROOT} button", has_text="Work the row through").click()
    said(fresh, "worked through below")
    assert fresh.locator(f"{ROOT} .rowwise-worked > li").count() == 6


def test_every_element_that_takes_the_focus_keeps_its_keys_from_jupyterlab(fresh):
    bare = fresh.locator(f"{ROOT} :is(input, button, summary, a, [tabindex]):not([data-lm-suppress-shortcuts])")
    assert bare.count() == 0
    boxes(fresh, "scores").first.focus()
    fresh.keyboard.type("b1d2")  # b and dd are JupyterLab's own in command mode
    assert boxes(fresh, "scores").first.input_value() == "b1d2"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(lab, theme, tmp_path):
    from axe_core_python.sync_playwright import Axe

    cells = [
        f"import os; os.environ['ROWWISE_HOME'] = {str(tmp_path)!r}\nfrom rowwise import paper",
        "paper.practice(3)",
        "paper.Row(q=[1, 2], K=[[3, 1], [2, 2]], V=[[1, 2], [3, 4]], mask=[True, False])",
        "paper.Row(q=[1, 2], K=[[3, 1], [2, 2]], V=[[1, 2], [3, 4]], mask=[True, False]).explain()",
        "paper.worksheet(seed=2, rows=1)",
    ]
    page = lab.open(cells, run=True, theme=theme, height=1300)
    page.wait_for_selector(f"{ROOT} input")
    boxes(page, "scores").first.fill("1")
    boxes(page, "scores").first.press("Enter")
    said(page, "scores: look again")
    page.locator(f"{ROOT} button", has_text="Work the row through").click()
    said(page, "worked through below")
    for root in page.locator(".rowwise-row").all():
        root.evaluate("(e, n) => (e.id = n)", "under-test")
        found = Axe().run(page, context="#under-test")["violations"]
        root.evaluate("e => e.removeAttribute('id')")
        assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []
    lab.close(page)


def test_axe_finds_nothing_to_complain_of_in_a_worksheet(browser, tmp_path):
    from axe_core_python.sync_playwright import Axe

    page = browser.new_page()
    page.goto(paper.worksheet(seed=7, rows=2).save(tmp_path / "rows.html").as_uri())
    found = Axe().run(page)["violations"]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []
    assert page.locator("section").count() == 4
    page.close()


def test_practice_without_a_seed_draws_one_and_leaves_numpys_random_numbers_alone(monkeypatch, tmp_path):
    import numpy as np

    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path))
    progress._session.clear()
    np.random.seed(5)
    before = np.random.get_state()[1].copy()
    seeds = {paper.practice(asks=("scores",)).view["seed"] for _ in range(5)}
    assert len(seeds) > 1
    assert np.array_equal(np.random.get_state()[1], before)
