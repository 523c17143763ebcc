"""The live figure on an exported page: no kernel, no network, every width."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from figure_page import START, WHOLE, box, cells, changes

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def exported(lab, tmp_path_factory):
    """The HTML that nbconvert makes of a run notebook: the whole figure, and one of a student's function."""
    import nbformat
    from conftest import notebook_of
    from nbconvert.exporters import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    source = (
        "def softmax_rows(S):\n    return np.exp(S) / np.exp(S).sum(axis=0)\n\nlive.attention(Q, K, V, fn=softmax_rows)"
    )
    nb = notebook_of([START, WHOLE, source])
    with ThreadPoolExecutor(1) as pool:  # nbconvert starts an event loop, and Playwright's own runs in this thread
        run = ExecutePreprocessor(store_widget_state=False, timeout=120)
        pool.submit(run.preprocess, nb, {"metadata": {"path": str(lab.root)}}).result()
    body, _ = HTMLExporter(embed_images=True).from_notebook_node(nbformat.from_dict(nb))
    path = tmp_path_factory.mktemp("exported") / "page.html"
    path.write_text(body, encoding="utf-8")
    return path


def test_an_exported_page_moves_with_no_kernel_and_no_network(browser, exported):
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    asked = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(exported.as_uri(), wait_until="domcontentloaded")
    figure = page.locator(".rw-attention").first
    figure.wait_for()
    assert cells(figure, "weights")[0] == ["0.61", "0.39", "0"]
    figure.locator(".rw-handle.rw-K").nth(1).focus()
    page.keyboard.press("ArrowRight")
    assert cells(figure, "scores")[0][1] == "1.26"
    assert "column 2 of the scores" in changes(figure)
    figure.get_by_role("button", name="Undo").click()
    assert cells(figure, "scores")[0][1] == "1.14"
    theirs = page.locator(".rw-attention").nth(1)
    assert "No kernel runs here" in theirs.locator(".rw-tutor").inner_text()
    theirs.locator(".rw-handle.rw-K").first.focus()
    page.keyboard.press("ArrowRight")
    assert box(theirs, "key 1, first number").input_value() == "1.4"
    assert not [url for url in asked if url.startswith("http") and "127.0.0.1" in url]
    context.close()


@pytest.mark.parametrize("width", [600, 700, 1000, 1400, 2000])
def test_nothing_runs_over_the_edge_at_any_width(browser, exported, width):
    context = browser.new_context(offline=True, viewport={"width": width + 160, "height": 900})
    page = context.new_page()
    page.goto(exported.as_uri(), wait_until="domcontentloaded")
    figure = page.locator(".rw-attention").first
    figure.wait_for()
    figure.evaluate("(e, w) => (e.style.width = w + 'px')", width)
    page.wait_for_timeout(200)
    over = figure.evaluate("""e => {
      const right = e.getBoundingClientRect().right + 0.5;
      const over = (n) => !n.closest(".rw-spoken") && n.getBoundingClientRect().right > right;
      return [...e.querySelectorAll("*")].filter(over)
        .map(n => n.outerHTML.slice(0, 120));
    }""")
    assert over == []
    boxes = figure.evaluate("""e => {
      const texts = [...e.querySelectorAll('.rw-matrices text')].filter(t => t.textContent.trim());
      const rects = texts.map(t => t.getBoundingClientRect());
      const hits = [];
      rects.forEach((a, m) => rects.forEach((b, n) => {
        if (m < n && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          hits.push([texts[m].textContent, texts[n].textContent]);
      }));
      return hits;
    }""")
    assert boxes == []
    context.close()
