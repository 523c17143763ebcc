"""Take figure.png, the picture on the front page: the live figure in a real JupyterLab, after one key was moved.

    python assets/rebuild_figure.py

Needs Chromium and what the tests need. The picture is the course's own, under CC BY 4.0 as its text is.
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from playwright.sync_api import sync_playwright

ASSETS = Path(__file__).resolve().parent
sys.path.insert(0, str(ASSETS.parent / "tests"))
import conftest  # noqa: E402  (the tests know how to start JupyterLab and where Chromium is)

CELL = """from rowwise import live

Q = [[2, 1], [-1, 2]]
K = [[1.5, 1], [-1, 1], [1, -1.5]]
V = [[2, 0], [0, 3], [-2, -1]]
mask = [[True, True, False], [True, True, True]]
live.attention(Q, K, V, mask)"""


def take(target: Path) -> None:
    """Draw the figure, move key 2 up by one step, and keep what the window shows as a PNG."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server, url, root = conftest.start_jupyterlab(Path(folder))
        try:
            flags = [*conftest.CHROMIUM_FLAGS, "--no-sandbox"]
            browser = playwright.chromium.launch(executable_path=conftest.browser_path(), args=flags)
            notebook = root / "attention.ipynb"
            nbformat.write(conftest.notebook_of([CELL]), notebook)
            page = conftest.Lab(url, root, browser).open(notebook, run=True, width=1400, height=950)
            key = page.get_by_label("key 2, second number").first
            key.focus()
            key.press("ArrowUp")
            page.wait_for_timeout(1500)
            page.screenshot(path=target)
            browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    take(ASSETS / "figure.png")
