"""live.scaling, live.softmax and live.head in a real JupyterLab: by mouse, by keyboard, in both themes, exported."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
from anywidget import AnyWidget

from rowwise import live

pytestmark = pytest.mark.browser
MAKES = {"scaling": "live.scaling()", "softmax": "live.softmax()", "head": "live.head()"}


CELLS = ["from rowwise import live", *(f"{name} = {make}\n{name}" for name, make in MAKES.items()), "# for questions"]


def open_all(lab, **options):
    """A notebook with the three figures, run."""
    page = lab.open(CELLS, run=True, **options)
    for name in MAKES:
        page.wait_for_selector(f".rw-{name}[data-drawn]")
    return page


@pytest.fixture(scope="module")
def page(lab):
    """One page for the whole file; nothing may have failed in it, nor have been asked of another machine."""
    page = open_all(lab, height=1400)
    yield page
    assert page.errors == [] and page.refused == []
    lab.close(page)


def ask(lab, page, expression):
    """What Python answers, through the notebook's last cell."""
    last = page.locator(".jp-Cell").last
    last.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(f"print('>', {expression}, '<')")
    lab.command(page, "notebook:run-cell")
    said = last.locator(".jp-OutputArea-output", has_text=re.compile("> .* <"))
    said.wait_for()
    return said.inner_text().strip()[2:-2]


@pytest.mark.parametrize("name", MAKES)
def test_axe_finds_nothing_to_complain_of(page, name):
    from axe_core_python.sync_playwright import Axe

    found = Axe().run(page, context=f".rw-{name}")["violations"]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []


@pytest.mark.parametrize("name", MAKES)
def test_every_element_that_takes_the_focus_keeps_its_keys_from_jupyterlab(page, name):
    open_to_shortcuts = page.evaluate(
        "root => [...root.querySelectorAll('input, button, select, [tabindex]')]"
        ".filter(e => e.dataset.lmSuppressShortcuts !== 'true').map(e => e.outerHTML.slice(0, 120))",
        page.query_selector(f".rw-{name}"),
    )
    assert open_to_shortcuts == []


CONTRAST = """root => {
  const light = (c) => { const [r, g, b] = c.map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = text; paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].map((x) => x / 255); };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor);
    if (c[3] > 0.99) return c.slice(0, 3); } return [1, 1, 1]; };
  const low = [];
  for (const e of root.querySelectorAll("*")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
    if (e.closest(":disabled, label:has(:disabled), .rw-spoken, option")) continue;
    const [a, b] = [light(colour(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push([e.className, e.textContent.slice(0, 40), ratio]);
  }
  return low;
}"""


TOO_WIDE = """root => [...root.querySelectorAll("table, svg, p, h3")]
  .filter((e) => e.getBoundingClientRect().right > root.getBoundingClientRect().right + 1)
  .map((e) => e.className.baseVal ?? e.className)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_has_a_contrast_of_four_and_a_half_and_nothing_overflows(lab, theme):
    page = open_all(lab, theme=theme, width=760)
    for name in MAKES:
        root = page.query_selector(f".rw-{name}")
        root.scroll_into_view_if_needed()
        assert page.evaluate(CONTRAST, root) == []
        for width in (2000, 1400, 760):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(100)
            assert page.evaluate(TOO_WIDE, root) == [], (name, width)
    assert page.errors == []
    lab.close(page)


def test_d_k_moves_by_arrow_keys_and_python_hears_of_it(lab, page):
    slider = page.get_by_role("slider", name="d_k, in powers of two")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "d_k = 32"
    assert page.locator(".rw-scaling").get_attribute("data-drawn") == "32"
    assert ask(lab, page, "scaling.d_k") == "32"
    page.get_by_role("slider", name="d_k, in powers of two").focus()
    page.keyboard.press("End")
    finding = page.locator(".rw-scaling .rw-finding").inner_text()
    assert "d_k = 1024" in finding and "largest weight is 1.00" in finding


def test_d_k_can_be_typed_and_what_is_no_width_is_said_and_changes_nothing(page):
    box = page.get_by_role("textbox", name="d_k, a whole number from 1 to 1024")
    box.fill("100")
    assert page.locator(".rw-scaling").get_attribute("data-drawn") == "100"
    for nonsense in ("", "1e308", "NaN", "2.5", "0", "4096", "-3", "cat"):
        box.fill(nonsense)
        assert box.get_attribute("aria-invalid") == "true", nonsense
        assert page.locator(".rw-scaling").get_attribute("data-drawn") == "100"
    page.wait_for_function(
        "() => document.querySelector('.rw-scaling .rw-spoken').textContent.includes('d_k stays 100')"
    )
    box.fill("64")


def test_d_k_can_be_dragged_and_every_input_is_drawn(page):
    slider = page.get_by_role("slider", name="d_k, in powers of two")
    slider.scroll_into_view_if_needed()
    at = slider.bounding_box()
    y = at["y"] + at["height"] / 2
    page.mouse.move(at["x"] + 3, y)
    page.mouse.down()
    for step in range(21):
        page.mouse.move(at["x"] + 3 + (at["width"] - 6) * step / 20, y)
    page.mouse.up()
    assert page.locator(".rw-scaling").get_attribute("data-drawn") == "1024"


def test_mean_1_triples_the_variance(page):
    page.get_by_role("textbox", name="d_k, a whole number from 1 to 1024").fill("64")
    page.get_by_role("radio", name="mean 1").check()
    caption = page.locator(".rw-scaling .rw-histogram .rw-caption").first.inner_text()
    assert "3 d_k = 192" in caption
    assert 150 < float(caption.split()[1]) < 235
    page.get_by_role("radio", name="mean 0").check()


def test_a_cell_tells_its_arithmetic_when_the_arrow_keys_reach_it(page):
    grid = page.get_by_role("grid", name="With √d_k: one row")
    grid.locator(".rw-cell").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    line = page.locator(".rw-scaling .rw-arithmetic").inner_text()
    assert line.startswith("e") and "/" in line
    shown = grid.locator(".rw-cell").nth(5).inner_text()
    assert float(line.split("=")[-1].split(",")[0]) == pytest.approx(float(shown), abs=0.006)


def test_a_number_set_in_python_moves_the_picture(lab, page):
    ask(lab, page, "setattr(scaling, 'd_k', 7)")
    page.wait_for_selector(".rw-scaling[data-drawn='7']")


def test_a_constant_added_to_the_row_moves_the_exponentials_and_no_weight(page):
    table = page.get_by_role("grid", name="the chosen row, step by step")
    cell = table.get_by_role("row", name=re.compile("^weight")).locator(".rw-cell")
    page.get_by_role("checkbox", name="take the row's maximum away first").uncheck()
    before = cell.all_inner_texts()
    powers = table.get_by_role("row", name=re.compile("^e to that")).locator(".rw-cell").all_inner_texts()
    slider = page.get_by_role("slider", name="c, added to each score of the row")
    slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "c = 3.00"
    assert cell.all_inner_texts() == before
    after = table.get_by_role("row", name=re.compile("^e to that")).locator(".rw-cell").all_inner_texts()
    for small, large in zip(powers, after, strict=True):
        assert float(large) == pytest.approx(float(small) * 20.0855, rel=0.03)
    assert "the weights stand still" in page.locator(".rw-softmax .rw-finding").inner_text()


def test_scores_near_1000_overflow_until_the_maximum_is_taken_away(page):
    subtract = page.get_by_role("checkbox", name="take the row's maximum away first")
    subtract.uncheck()
    page.get_by_role("button", name="c = 1000", exact=True).click()
    finding = page.locator(".rw-softmax .rw-finding")
    assert "Row 1 has NaN in it" in finding.inner_text() and "Take the row's own maximum away" in finding.inner_text()
    subtract.focus()
    page.keyboard.press("Space")
    assert "NaN" not in finding.inner_text()
    page.get_by_role("button", name="Reset").click()


def test_a_typed_score_moves_its_own_row_and_the_column_sums_of_the_wrong_axis(lab, page):
    box = page.get_by_role("textbox", name="score of query 2 with key 1")
    across = page.get_by_role("grid", name=re.compile("^Along each row")).locator(".rw-cell")
    before = across.all_inner_texts()
    box.fill("5")
    after = across.all_inner_texts()
    assert [i for i in range(12) if before[i] != after[i]] == [4, 5, 6, 7]
    for nonsense in ("", "1e308", "NaN", "--"):
        box.fill(nonsense)
        assert box.get_attribute("aria-invalid") == "true"
        assert across.all_inner_texts() == after
    sums = page.locator(".rw-softmax .rw-axes section").nth(1).locator("tbody tr .rw-total").all_inner_texts()
    assert any("not 1" in text for text in sums)
    assert ask(lab, page, "(softmax.S[1][0], softmax.row)") == "(5.0, 1)"
    page.get_by_role("button", name="Reset").click()


def test_a_clicked_cell_shows_its_edit_beside_a_control(page):
    weights = page.get_by_role("grid", name=re.compile("^Attention weight"))
    weights.get_by_role("row", name=re.compile("^film")).locator(".rw-cell").first.click()
    page.get_by_role("radio", name="zero").check()
    result = page.get_by_role("grid", name="relative change").locator(".rw-cell")
    numbers = result.all_inner_texts()
    assert float(numbers[4]) == pytest.approx(0.0029, abs=0.0001), "layer's row, content gone"
    page.get_by_role("radio", name="mask").check()
    assert float(result.all_inner_texts()[4]) == pytest.approx(0.175, abs=0.001), "layer's row, share given away"
    assert "[SEP]" in page.locator(".rw-head").inner_text()


def test_the_arrow_keys_walk_the_map_and_python_hears_of_it(lab, page):
    weights = page.get_by_role("grid", name=re.compile("^Attention weight"))
    weights.get_by_role("row", name=re.compile("^not")).locator(".rw-cell").nth(4).focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".rw-head").get_attribute("data-drawn").startswith("4 5")
    chosen = page.locator(".rw-head [aria-selected=true]").all_inner_texts()
    assert chosen == ["0.93", "4.84"], "the same cell in both maps"
    assert ask(lab, page, "(head.query, head.key)") == "(4, 5)"


def test_another_sentence_offers_no_swap_where_it_has_no_donor(page):
    page.get_by_role("radio", name="swap").check()
    page.get_by_role("combobox", name="sentence").select_option(label="She sat on the bank of the river.")
    page.get_by_role("combobox", name="head").select_option(label="layer 0, head 10")
    assert page.get_by_role("radio", name="swap").is_disabled()
    assert "bank" in page.locator(".rw-head .rw-finding").inner_text()
    page.get_by_role("combobox", name="sentence").select_option(label="The film was not good.")
    page.get_by_role("combobox", name="head").select_option(label="layer 2, head 1")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A page made by `nbconvert --to html`, without widget state."""
    folder = tmp_path_factory.mktemp("exported")
    nb = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(c) for c in ["from rowwise import live", *MAKES.values()]]
    )
    nbformat.write(nb, folder / "page.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "page.ipynb"]
    command.append("--ExecutePreprocessor.store_widget_state=False")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "page.html"


def test_an_exported_page_moves_with_no_kernel_and_no_network(browser, exported):
    page = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True).new_page()
    errors = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.goto(exported.as_uri())
    page.wait_for_selector(".rw-head[data-drawn]")
    page.get_by_role("slider", name="d_k, in powers of two").focus()
    page.keyboard.press("End")
    assert page.locator(".rw-scaling").get_attribute("data-drawn") == "1024"
    page.get_by_role("button", name="c = 1000", exact=True).click()
    page.get_by_role("checkbox", name="take the row's maximum away first").uncheck()
    assert "NaN" in page.locator(".rw-softmax .rw-finding").inner_text()
    weights = page.get_by_role("grid", name=re.compile("^Attention weight"))
    weights.get_by_role("row", name=re.compile("^film")).locator(".rw-cell").first.click()
    assert page.locator(".rw-head").get_attribute("data-drawn") == "2 0 zero"
    assert page.evaluate(CONTRAST, page.query_selector(".rw-scaling")) == []
    assert errors == []
    page.context.close()


@pytest.mark.parametrize("name", MAKES)
def test_a_closed_figure_leaves_nothing_listening(page, name):
    """`render` hands back its own undoing: after it, a change of the model draws nothing."""
    left = page.evaluate(
        """async (source) => {
          const heard = {}, state = JSON.parse(source.state);
          const model = { get: (n) => state[n], set(n, v) { state[n] = v; }, save_changes() {},
            on: (e, f) => (heard[e] ??= new Set()).add(f), off: (e, f) => heard[e].delete(f) };
          const el = document.createElement("div");
          const url = URL.createObjectURL(new Blob([source.module], { type: "text/javascript" }));
          const leave = (await import(url)).default.render({ model, el });
          const during = Object.values(heard).reduce((n, s) => n + s.size, 0);
          leave();
          return [during, Object.values(heard).reduce((n, s) => n + s.size, 0)];
        }""",
        source_of(name),
    )
    assert left[0] >= 4 and left[1] == 0


def source_of(name):
    """The figure's module, and its state as JSON."""
    figure = getattr(live, name)()
    own = [trait for trait in figure.keys if trait not in AnyWidget().keys]
    return {"module": str(figure._esm), "state": json.dumps({trait: getattr(figure, trait) for trait in own})}
