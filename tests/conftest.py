"""Fixtures that several test files share: a real JupyterLab, and a real browser that looks at it.

``lab`` starts JupyterLab once for the whole run. Where no Chromium is installed the tests that use it are
skipped and say so; with CI=true or ROWWISE_REQUIRE_BROWSER=1 a missing browser is a failure instead.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from pathlib import Path

import nbformat
import pytest

CHROMIUM_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The tests look at figures, not at JupyterLab's own first-start questions.
QUIET = {"fetchNews": "false", "checkForUpdates": False}

KERNEL_READY = """async () => {
  const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
  if (!context) return false;
  await context.ready;
  const kernel = context.session?.kernel;
  if (!kernel) return false;
  await kernel.info;
  return kernel.connectionStatus === "connected" && kernel.status === "idle";
}"""


def browser_path() -> str | None:
    """The Chromium to drive: an installed one, else the one that Playwright downloaded, else None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
    found = next(filter(None, map(shutil.which, names)), None)
    if found:
        return found
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as p:
        return p.chromium.executable_path if os.path.exists(p.chromium.executable_path) else None


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_jupyterlab(folder: Path) -> tuple[subprocess.Popen, str, Path]:
    """JupyterLab on a free port, with settings, kernels and home folder of its own under `folder`.

    Returns the process, its address (no slash at the end) and the folder that it serves.
    """
    root, home, settings = folder / "root", folder / "home", folder / "settings"
    for d in (root, home, settings / "@jupyterlab" / "apputils-extension"):
        d.mkdir(parents=True)
    quiet = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.write_text(json.dumps(QUIET))
    env = os.environ | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "OPENBLAS_NUM_THREADS": "1",
    }
    port = free_port()
    options = [
        "--no-browser",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
    ]
    options += ["--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
    options += ["--expose-app-in-browser", f"--ServerApp.root_dir={root}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    log = (folder / "server.log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env=env,
        cwd=root,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/api/status", timeout=5).close()
            return server, url, root
        except OSError:
            time.sleep(0.2)
    server.kill()
    raise RuntimeError("JupyterLab did not start:\n" + (folder / "server.log").read_text()[-3000:])


def notebook_of(cells: list[str]) -> nbformat.NotebookNode:
    """A notebook of code cells with the given sources."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nb.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nb


class Lab:
    """A running JupyterLab and a browser. `url` is its address, `root` the folder that it serves."""

    def __init__(self, url: str, root: Path, browser):
        self.url, self.root, self.browser = url, Path(root), browser
        self.pages = []

    def open(self, notebook, *, run=False, theme="light", width=1400, height=1000, sidebar=False, **context):
        """Open a notebook and return its Playwright page once the kernel is ready.

        notebook: a path (inside root, or anywhere: then it is copied in), a NotebookNode, or a list of cell
        sources. run: run every cell first. theme: "light" or "dark". context: more options for the browser
        context. `page.notebook` is its path below root; `page.errors` collects uncaught JavaScript errors,
        `page.refused` the requests that would have left this machine (none was let out).
        """
        path = self._place(notebook)
        page = self.browser.new_context(viewport={"width": width, "height": height}, **context).new_page()
        page.errors, page.refused, page.notebook = [], [], path
        page.on("pageerror", lambda e: page.errors.append(str(e)))
        page.route(lambda u: not u.startswith((self.url, "data:", "blob:")), lambda r: self._refuse(page, r))
        self.pages.append(page)
        workspace = f"{self.url}/lab/workspaces/{uuid.uuid4().hex[:8]}"
        page.goto(f"{workspace}/tree/{path}", wait_until="domcontentloaded")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60000)
        # The indicator says idle before the kernel can be asked anything; cells run then never come back.
        page.wait_for_function(KERNEL_READY, timeout=60000)
        page.wait_for_selector("#jupyterlab-splash", state="hidden")
        name = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}[theme]
        if page.evaluate("document.body.dataset.jpThemeName") != name:
            self.command(page, "apputils:change-theme", theme=name)
            page.wait_for_function("n => document.body.dataset.jpThemeName === n", arg=name)
        if not sidebar and page.locator("#jp-left-stack").is_visible():
            self.command(page, "application:toggle-left-area")
        if run:
            self.run_all(page)
        return page

    def command(self, page, name: str, **args):
        """Carry out one of JupyterLab's own commands, such as "docmanager:save"; wait a minute at most."""
        page.evaluate(
            "([n, a]) => { window.done = false;"
            " window.jupyterapp.commands.execute(n, a).finally(() => { window.done = true; }); }",
            [name, args],
        )
        page.wait_for_function("window.done", timeout=60000)

    def run_all(self, page):
        """Run every cell, to the end."""
        self.command(page, "notebook:run-all-cells")

    def close(self, page):
        """Close a page and shut down its kernel."""
        self.pages.remove(page)
        page.context.close()
        with urllib.request.urlopen(f"{self.url}/api/sessions") as r:
            mine = [s["id"] for s in json.load(r) if s["path"] == page.notebook]
        for session in mine:
            gone = urllib.request.Request(f"{self.url}/api/sessions/{session}", method="DELETE")
            urllib.request.urlopen(gone).close()

    def _place(self, notebook) -> str:
        if isinstance(notebook, list):
            notebook = notebook_of(notebook)
        if isinstance(notebook, nbformat.NotebookNode):
            path = self.root / f"{uuid.uuid4().hex[:8]}.ipynb"
            nbformat.write(notebook, path)
        else:
            path = self.root / notebook
            if not path.resolve().is_relative_to(self.root.resolve()):
                path = Path(shutil.copy(notebook, self.root))
        return path.relative_to(self.root).as_posix()

    @staticmethod
    def _refuse(page, route):
        page.refused.append(route.request.url)
        route.abort()


@pytest.fixture(scope="session")
def browser_executable():
    """Path of the Chromium to drive; skips, or fails where one is required, when there is none."""
    path = browser_path()
    if path is None:
        reason = "no Chromium found (install chromium, or run `playwright install chromium`)"
        if os.environ.get("CI") == "true" or os.environ.get("ROWWISE_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def jupyterlab(browser_executable, tmp_path_factory):
    """(address, folder) of a JupyterLab that runs for the whole session."""
    server, url, root = start_jupyterlab(tmp_path_factory.mktemp("lab"))
    yield url, root
    server.terminate()
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        server.kill()


@pytest.fixture(scope="module")
def browser(browser_executable):
    """A headless Chromium, one a test file: its event loop gets in the way of tests that run their own."""
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = CHROMIUM_FLAGS + (["--no-sandbox"] if root else [])
    with sync_playwright() as p:
        chromium = p.chromium.launch(executable_path=browser_executable, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def lab(jupyterlab, browser):
    """A `Lab`: its open(notebook) gives a Playwright page of a real JupyterLab, closed when the file ends."""
    lab = Lab(*jupyterlab, browser)
    yield lab
    for page in list(lab.pages):
        lab.close(page)
