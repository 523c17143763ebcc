"""Predictions and handing in, as a student meets them: in a real JupyterLab, with a mouse and with a keyboard."""

import pytest

pytestmark = pytest.mark.browser

ASK = 'from rowwise import study\nstudy.predict("turns", "What turns?", ["nothing", "one", "all"])'
TOLD = 'study.outcome("turns", "one turns")'


def test_a_prediction_is_committed_by_keyboard_alone_and_kept_for_the_next_time(lab):
    page = lab.open([ASK, TOLD], run=True)
    page.wait_for_selector(".rw-predict button")
    page.locator(".rw-predict input").first.focus()
    page.keyboard.press("ArrowDown")  # JupyterLab's own shortcut for this key would leave the question
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=You committed to: one")
    assert page.locator(".rw-predict input:checked").input_value() == "one"

    lab.run_all(page)
    page.wait_for_selector("text=one turns")
    assert page.locator(".rw-predict button").is_hidden()
    assert not page.errors


def test_committing_without_a_choice_says_what_to_do(lab):
    page = lab.open([ASK.replace("turns", "other")], run=True)
    page.locator(".rw-predict button").click()
    page.wait_for_selector("text=Choose an answer, then commit to it.")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_here_hinders_somebody_who_uses_a_screen_reader(lab, theme):
    from axe_core_python.sync_playwright import Axe

    cells = [
        ASK.replace("turns", "third"),
        'study.strip("scores", minutes=3)',
        'study.hints("scores")',
        'study.broken("dot_product_spot_1")',
        'study.hand_in("01-dot-product")',
        "study.progress_table()",
        "study.check_installation()",
    ]
    page = lab.open(cells, run=True, theme=theme)
    page.wait_for_selector(".rw-predict button")
    found = Axe().run(page, context=".jp-OutputArea-output", options={"resultTypes": ["violations"]})
    assert not [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found["violations"]]


def test_handing_in_tells_an_answer_that_was_run_but_not_saved(lab):
    page = lab.open(["from rowwise import study", "scores_shape = (None, None)", 'study.hand_in("01-dot-product")'])
    path = lab.root / page.notebook
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata["nbgrader"] = {"grade_id": "scores_shape"}
    lab.close(page)
    nbformat.write(notebook, path)

    page = lab.open(page.notebook, run=True)
    page.wait_for_selector("text=not filled in")
    cell = page.locator(".jp-CodeCell").nth(1).locator(".cm-content")
    cell.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("scores_shape = 3, 4")
    lab.run_all(page)
    page.wait_for_selector("text=differs from what you ran last")
    lab.command(page, "docmanager:save")
    lab.run_all(page)
    page.wait_for_selector("text=differs from what you ran last", state="detached")
    assert "complete" in page.locator(".jp-OutputArea").last.inner_text()
    assert "collected only under the name 01-dot-product.ipynb" in page.locator(".jp-OutputArea").last.inner_text()
