"""The live figure in a real JupyterLab: every way of moving it, by mouse and by keyboard, and what it says then."""

import re

import pytest
from figure_page import START, WHOLE, box, cells, changes, middle, violations

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(lab):
    """One notebook with the whole figure; each test starts from Reset."""
    page = lab.open([START, WHOLE, "print(fig.K.tolist(), fig.mask.tolist())"], run=True)
    page.wait_for_selector(".rw-attention")
    return page


@pytest.fixture
def figure(page):
    figure = page.locator(".rw-attention")
    figure.get_by_role("button", name="Reset").click()
    return figure


def test_it_starts_with_the_numbers_of_the_paper(figure):
    assert cells(figure, "scores") == [["1.80", "1.14", "−1.56"], ["−0.34", "1.31", "−0.26"]]
    assert cells(figure, "masked")[0] == ["1.27", "0.81", "−∞"]
    assert cells(figure, "weights") == [["0.61", "0.39", "0"], ["0.19", "0.61", "0.20"]]
    assert figure.locator(".rw-sum").all_text_contents() == ["Σ 1.00 ✓", "Σ 1.00 ✓"]


def test_dragging_a_key_moves_its_column_and_says_so(page, figure):
    before = cells(figure, "scores")
    x, y = middle(figure.locator(".rw-handle.rw-K").nth(1).locator("circle"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 20, steps=5)
    page.mouse.up()
    after = cells(figure, "scores")
    assert [[a == b for a, b in zip(r, s, strict=True)] for r, s in zip(before, after, strict=True)] == [
        [True, False, True],
        [True, False, True],
    ]
    assert "column 2 of the scores, every permitted weight, both outputs." in changes(figure)
    figure.get_by_role("button", name="Undo").click()
    assert cells(figure, "scores") == before, "one drag is one step of undo"


def test_dragging_a_value_moves_only_outputs(page, figure):
    x, y = middle(figure.locator(".rw-handle.rw-V").nth(1).locator("rect"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    assert changes(figure).startswith("Your last move changed both outputs.")
    assert "Not changed: queries, keys, the mask, scores, weights" in changes(figure)
    marks = figure.locator(".rw-moved[visibility=visible]")
    assert marks.count() == 4, "two outputs of two numbers"


def test_a_finger_drags_too(lab):
    page = lab.open([START, WHOLE], run=True, has_touch=True)
    figure = page.locator(".rw-attention")
    x, y = middle(figure.locator(".rw-handle.rw-K").first.locator("circle"))
    touch = page.context.new_cdp_session(page)
    points = [("touchStart", x, y), ("touchMove", x + 20, y), ("touchMove", x + 40, y), ("touchEnd", 0, 0)]
    for kind, px, py in points:
        at = [] if kind == "touchEnd" else [{"x": px, "y": py}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})
    assert float(box(figure, "key 1, first number").input_value()) > 1.6
    lab.close(page)


def test_arrow_keys_move_a_key_and_stay_out_of_jupyterlabs_way(page, figure):
    handle = figure.locator(".rw-handle.rw-K").first
    handle.focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    assert box(figure, "key 1, first number").input_value() == "1.5"
    assert box(figure, "key 1, second number").input_value() == "0.3"
    assert handle.evaluate("e => e === document.activeElement"), "the focus stays where it was"


def test_a_handle_can_be_reached_in_command_mode_by_tab_alone(lab, page, figure):
    page.locator(".jp-Notebook").press("Escape")
    box(figure, "query 1, first number").focus()
    page.keyboard.press("Shift+Tab")
    on = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(on).startswith("value 3")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(on).startswith("value 3")
    assert box(figure, "value 3, first number").input_value() == "2.9"


@pytest.mark.parametrize("key", ["a", "b", "d", "x", "j", "k", "Enter", "0"])
def test_letters_typed_into_the_figure_do_nothing_to_the_notebook(page, figure, key):
    count = page.locator(".jp-Cell").count()
    for label in ("key 1", "key 1, first number"):
        figure.get_by_label(label, exact=True).first.focus()
        page.keyboard.press(key)
    figure.locator(".rw-range").focus()
    page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == count
    assert page.locator(".jp-Dialog").count() == 0


def test_the_slider_moves_the_chosen_number_by_keyboard_and_by_mouse(page, figure):
    box(figure, "key 2, second number").focus()
    slider = figure.get_by_role("slider", name="key 2, second number")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert box(figure, "key 2, second number").input_value() == "1.35"
    b = slider.bounding_box()
    page.mouse.click(b["x"] + b["width"] * 0.9, b["y"] + b["height"] / 2)
    assert float(box(figure, "key 2, second number").input_value()) > 1.5
    assert "column 2 of the scores" in changes(figure)


def test_a_typed_number_moves_the_picture(page, figure):
    box(figure, "key 2, first number").fill("-0.5")
    page.keyboard.press("Enter")
    assert cells(figure, "scores")[0][1] == "0.18"
    field = box(figure, "query 2, first number")
    field.fill("0,5")
    page.keyboard.press("Tab")
    assert "row 2" in changes(figure) and "output 2" in changes(figure)
    assert field.input_value() == "0.5"


@pytest.mark.parametrize("typed", ["", "NaN", "abc", "1e999"])
def test_what_is_no_number_is_said_to_be_none_and_changes_nothing(page, figure, typed):
    before = cells(figure, "weights")
    field = box(figure, "key 1, first number")
    field.fill(typed)
    page.keyboard.press("Enter")
    assert "is no number to compute with: 1.4 stays." in figure.locator(".rw-note").nth(1).inner_text()
    assert field.input_value() == "1.4"
    assert cells(figure, "weights") == before
    assert not page.errors


def test_a_number_too_large_for_its_products_breaks_nothing(page, figure):
    box(figure, "key 1, first number").fill("1e308")
    page.keyboard.press("Enter")
    box(figure, "query 1, first number").fill("1e308")
    page.keyboard.press("Enter")
    assert cells(figure, "scores")[0][0] == "∞"
    assert figure.locator(".rw-sum-words").first.text_content() == "not a number"
    assert not page.errors
    figure.get_by_role("button", name="Undo").click()
    assert cells(figure, "scores")[0][0] == "1e308"


def test_a_mask_cell_is_toggled_by_click_and_by_space(page, figure):
    cell = figure.locator('[role=grid][aria-label^="masked"] [role=gridcell]').nth(2)
    cell.click()
    assert cells(figure, "masked")[0][2] == "−1.10"
    assert "the masked score of key 3 for query 1, every weight of row 1, output 1." in changes(figure)
    page.keyboard.press(" ")
    assert cells(figure, "masked")[0][2] == "−∞"
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    assert cells(figure, "masked")[1][2] == "−∞"
    tick = figure.get_by_role("checkbox", name="query 1 may attend to key 1")
    tick.click()
    assert cells(figure, "masked")[0][0] == "−∞"
    tick.press(" ")
    assert cells(figure, "masked")[0][0] == "1.27"


def test_a_row_with_nothing_permitted_is_zero_and_said_so(figure):
    for key in (1, 2):
        figure.get_by_role("checkbox", name=f"query 1 may attend to key {key}").click()
    assert cells(figure, "weights")[0] == ["0", "0", "0"]
    assert cells(figure, "output")[0] == ["0.00", "0.00"]
    assert figure.locator(".rw-sum-words").first.text_content() == "none permitted"


def test_presets_and_scaling(figure):
    figure.get_by_role("button", name="causal").click()
    assert cells(figure, "weights")[0] == ["1.00", "0", "0"]
    figure.get_by_role("button", name="no mask").click()
    assert "0" not in cells(figure, "weights")[0]
    figure.get_by_role("button", name="padding").click()
    assert [row[2] for row in cells(figure, "weights")] == ["0", "0"]
    figure.get_by_label("divide by √d_k").uncheck()
    assert cells(figure, "scaled") == cells(figure, "scores")


def test_pin_keeps_the_old_numbers_in_brackets(page, figure):
    figure.get_by_role("button", name="Pin").click()
    box(figure, "key 2, first number").fill("0.9")
    page.keyboard.press("Enter")
    under = figure.locator('[role=grid][aria-label^="scores"] .rw-under').all_text_contents()
    assert under == ["", "(1.14)", "", "", "(1.31)", ""]
    figure.get_by_role("button", name="Unpin").click()
    assert "".join(figure.locator(".rw-under").all_text_contents()) == ""


def test_pointing_at_a_cell_shows_its_own_arithmetic(page, figure):
    figure.locator('[role=grid][aria-label^="weights"] [role=gridcell]').nth(1).hover()
    line = figure.locator(".rw-arithmetic").inner_text().replace("\n", " ")
    assert "weight of key 2 for query 1" in line and "2.239 / 5.811 = 0.385" in line
    figure.locator('[role=grid][aria-label^="output"] [role=gridcell]').nth(3).focus()
    figure.locator(".rw-side").first.hover()
    assert "output 2, second number" in figure.locator(".rw-arithmetic").inner_text()


def test_what_python_reads_is_what_is_on_the_screen(lab, page, figure):
    box(figure, "key 3, first number").fill("-0.25")
    page.keyboard.press("Enter")
    page.wait_for_timeout(400)
    page.locator(".jp-Cell").nth(2).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelectorAll('.jp-Cell')[2].innerText.includes('-0.25, -0.6')")


def test_the_picture_is_saved_as_svg_and_png(page, figure, tmp_path):
    figure.locator('[role=grid][aria-label^="weights"] [role=gridcell]').first.click()
    for kind, head in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            figure.get_by_role("button", name=f"Save {kind}").click()
        path = tmp_path / f"picture.{kind.lower()}"
        download.value.save_as(path)
        assert path.read_bytes().startswith(head)
    svg = (tmp_path / "picture.svg").read_text()
    for word in ("1.80", "0.615", "Which"):
        assert word in svg
    assert "var(" not in svg and "color(" not in svg, "drawing programs must be able to read it"


def test_the_module_asked_for_nothing_and_nothing_went_wrong(page, figure):
    assert page.errors == []
    assert page.refused == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_either_theme(lab, page, figure, theme):
    name = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}[theme]
    lab.command(page, "apputils:change-theme", theme=name)
    page.wait_for_function("n => document.body.dataset.jpThemeName === n", arg=name)
    page.wait_for_timeout(200)
    ink, paper = figure.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    lights = [sum(map(int, re.findall(r"\d+", c)[:3])) for c in (ink, paper)]
    assert (lights[0] < lights[1]) == (theme == "light")
    assert violations(page) == []
    lab.command(page, "apputils:change-theme", theme="JupyterLab Light")


def test_a_screen_reader_is_told_what_the_picture_shows(page, figure):
    figure.get_by_role("button", name="causal").click()
    account = figure.locator(".rw-spoken")
    page.wait_for_function(
        "document.querySelector('.rw-spoken').textContent.includes('key 1 1.00, key 2 excluded, key 3 excluded')"
    )
    assert account.get_attribute("role") == "status"


def test_every_focusable_element_keeps_jupyterlabs_shortcuts_away(figure):
    bare = figure.evaluate(
        "e => [...e.querySelectorAll('input, button, [tabindex]')]"
        ".filter(n => !n.hasAttribute('data-lm-suppress-shortcuts')).map(n => n.outerHTML)"
    )
    assert bare == []
