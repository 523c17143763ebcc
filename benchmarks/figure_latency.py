"""How fast the live figure answers, beside `interact` with inline matplotlib doing the same job.

    python benchmarks/figure_latency.py

Everything is measured in one JupyterLab in one Chromium, the kinds taking turns, so that a busy machine slows them
alike: the ratios hold where the times do not. The last line is one JSON object.

A latency runs from the key's own time stamp to the frame after the picture changed having been painted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from conftest import CHROMIUM_FLAGS, Lab, browser_path, start_jupyterlab

IMPORTS = """
%matplotlib inline
import time
import numpy as np
import matplotlib.pyplot as plt
import ipywidgets
from rowwise import live, reference
from rowwise.live import figure as _
Q = np.array([[1.2, 0.6], [-0.4, 1.1], [0.3, -1.3]])
K = np.array([[1.4, 0.2], [0.3, 1.3], [-1.0, -0.6], [0.9, -0.7]])
V = np.array([[2.0, 0.0], [0.0, 4.0], [3.0, 3.0], [1.0, 2.0]])
mask = np.array([[1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0]], bool)
"""

# The same picture as a notebook would usually have it: arrows, five matrices with their numbers, labels and row sums,
# the values with their hull, and the outputs joined to them by lines as strong as the weights.
BASELINE = """
def draw(x=1.4):
    keys = K.copy()
    keys[0, 0] = x
    S = reference.scores(Q, keys)
    Z = S / np.sqrt(2)
    M = reference.masked_scores(Z, mask)
    W = reference.softmax_rows(M)
    out = W @ V
    fig, axes = plt.subplots(1, 7, figsize=(16, 2.8), width_ratios=[4, 4, 4, 4, 4, 2, 4])
    for rows, letter, colour in ((Q, "q", "tab:blue"), (keys, "k", "tab:red")):
        axes[0].quiver(0 * rows[:, 0], 0 * rows[:, 0], *rows.T, color=colour, angles="xy", scale_units="xy", scale=1)
        for i, row in enumerate(rows):
            axes[0].text(*row, f"{letter}{i + 1}", color=colour)
    axes[0].set(xlim=(-2, 2), ylim=(-2, 2), title="queries and keys")
    stages = {"scores": S, "scaled": Z, "masked": M, "weights": W, "output": out}
    for ax, (name, X) in zip(axes[1:6], stages.items()):
        ax.imshow(np.where(np.isfinite(X), X, np.nan), cmap="Greys")
        ax.set_title(name)
        ax.set_yticks(range(len(Q)), [f"q{i + 1}" for i in range(len(Q))])
        ax.set_xticks(range(X.shape[1]), [f"{'' if name == 'output' else 'k'}{j + 1}" for j in range(X.shape[1])])
        for (i, j), v in np.ndenumerate(X):
            ax.text(j, i, f"{v:.2f}", ha="center", va="center")
    for i, total in enumerate(W.sum(axis=1)):
        axes[4].text(3.6, i, f"Σ {total:.2f}", va="center")
    axes[6].fill(*V[[0, 3, 2, 1]].T, alpha=0.2)
    for j, value in enumerate(V):
        axes[6].plot(*zip(value, out[0]), linewidth=1 + 7 * W[0, j], color="tab:green")
        axes[6].text(*value, f"v{j + 1}")
    axes[6].plot(*V.T, "s")
    axes[6].plot(*out.T, "o")
    axes[6].set(xlim=(-0.5, 5), ylim=(-0.5, 5), title="outputs")
    plt.show()

ipywidgets.interact(draw, x=ipywidgets.FloatSlider(value=1.4, min=-2, max=2, step=0.05));
"""
OURS = "live.attention(Q, K, V, mask)"
WITH_FN = """
def softmax_rows(S):
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

live.attention(Q, K, V, mask, fn=softmax_rows)
"""
KINDS = {"baseline": 1, "ours": 2, "fn": 3}  # the cell of each

WATCH = """
window.pictures = [];
window.frame = 0;
// Asked for only while a drag is measured: a page that asks for every frame is a busier page.
window.count = () => requestAnimationFrame(() => { window.frame += 1; window.counting && window.count(); });
const painted = (made) => requestAnimationFrame(() => {
  const after = new MessageChannel();
  after.port1.onmessage = () => window.pictures.push([made, performance.now(), window.frame]);
  after.port2.postMessage(0);
});
window.inputs = [];
window.addEventListener("keydown", (event) => { window.pressed = event.timeStamp; }, true);
window.addEventListener("input", () => window.inputs.push([performance.now(), window.frame]), true);
document.addEventListener("load", (event) => {
  if (event.target.tagName === "IMG" && event.target.closest(".jp-OutputArea-output")) painted(performance.now());
}, true);
new MutationObserver((changes) => {
  const ours = (c) => c.target.classList?.contains("rw-number") || [...c.addedNodes].some((n) => n.querySelector?.(".rw-number"));
  if (changes.some(ours)) painted(performance.now());
}).observe(document, { subtree: true, childList: true });
"""


def press(page, key: str) -> float:
    """Milliseconds from the press of a key to the painted picture."""
    page.evaluate("window.pictures.length = 0")
    page.keyboard.press(key)
    page.wait_for_function("window.pictures.length", timeout=20000, polling=10)
    waited = page.evaluate("window.pictures[0][1] - window.pressed")
    page.wait_for_timeout(220)  # the next press finds everything at rest, the kernel's echo included
    return waited


def take_hold(page, cell: int):
    """Scroll to a cell's figure and focus its slider."""
    slider = page.locator(".jp-Cell").nth(cell).locator(".noUi-handle, input[type=range]").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    return slider


def latencies(lab, rounds: int) -> dict[str, list[float]]:
    """Latencies of each kind, taking turns; and what our figure sent over the network per move, in kB."""
    page = lab.open([IMPORTS, BASELINE, OURS, WITH_FN], height=2200)
    traffic = count_traffic(page)
    lab.run_all(page)
    page.wait_for_selector(".jp-Cell .rw-attention >> nth=1")
    page.wait_for_selector(".jp-Cell img")
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    found = {kind: [] for kind in KINDS} | {"kb": []}
    for turn in range(rounds):
        for kind, cell in KINDS.items():
            take_hold(page, cell)
            before = sum(traffic)
            times = [press(page, "ArrowRight" if n % 2 else "ArrowLeft") for n in range(6)]
            found[kind] += times[1:] if turn == 0 else times  # the very first one warms up
            if kind == "ours":
                found["kb"].append((sum(traffic) - before) / 6 / 1000)
    lab.close(page)
    return found


def count_traffic(page) -> list[int]:
    """A list that grows by the size of every message on the page's web sockets, either way."""
    sizes = []

    def follow(socket):
        for event in ("framereceived", "framesent"):
            socket.on(event, lambda data: sizes.append(len(data)))

    page.on("websocket", follow)
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60000)
    page.wait_for_timeout(3000)
    return sizes


def first_pictures(lab, times: int) -> dict[str, list[float]]:
    """Milliseconds from Shift+Enter to the first painted picture, the imports having been done."""
    page = lab.open([IMPORTS, BASELINE, OURS], height=1600)
    page.locator(".jp-Cell").first.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelector('.jp-InputPrompt').innerText.includes('1')", timeout=60000)
    page.evaluate(WATCH)
    found = {"baseline": [], "ours": []}
    for n in range(times + 1):
        for kind in found:
            lab.command(page, "notebook:clear-all-cell-outputs")
            page.wait_for_timeout(400)
            page.locator(".jp-Cell").nth(KINDS[kind]).locator(".cm-content").click()
            page.evaluate("window.pictures.length = 0")
            page.keyboard.press("Control+Enter")
            page.wait_for_function("window.pictures.length", timeout=20000, polling=10)
            if n:
                found[kind].append(page.evaluate("window.pictures[0][1] - window.pressed"))
            page.wait_for_timeout(500)
    lab.close(page)
    return found


def drag(page, seconds: float) -> tuple[float, float]:
    """Share of the inputs that were drawn before the next one came, and how many frames later the last one was painted."""
    slider = take_hold(page, 1)
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.evaluate("window.pictures.length = window.inputs.length = 0; window.counting = true; window.count()")
    start = time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        swing = abs((passed * 0.9) % 2 - 1)
        page.mouse.move(box["x"] + 5 + swing * (box["width"] - 10), y)
        time.sleep(max(0, 0.016 - (time.monotonic() - start - passed)))
    page.mouse.up()
    page.wait_for_timeout(1500)
    inputs, pictures = page.evaluate("window.counting = false, [window.inputs, window.pictures]")
    times = [t for t, _ in inputs] + [float("inf")]
    drawn = sum(any(t <= made <= end for made, *_ in pictures) for t, end in pairwise(times))
    return drawn / len(inputs), next(frame for made, _, frame in pictures if made >= times[-2]) - inputs[-1][1]


def drags(lab) -> tuple[float, float]:
    """The worse of two drags: with an idle kernel, and while it sleeps."""
    page = lab.open([IMPORTS, OURS, "time.sleep(5)"], run=False, height=1600)
    page.locator(".jp-Cell").first.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".rw-attention")
    page.evaluate(WATCH)
    idle = drag(page, 3)
    page.locator(".jp-Cell").nth(2).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    busy = drag(page, 3)
    lab.close(page)
    return min(idle[0], busy[0]), max(idle[1], busy[1])


def tenth(lab, rounds: int) -> dict[str, list[float]]:
    """Latencies of the first and the tenth of ten figures on one page."""
    page = lab.open([IMPORTS] + [OURS] * 10, run=True, height=1600)
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    found = {1: [], 10: []}
    for turn in range(rounds):
        for cell, times in found.items():
            take_hold(page, cell)
            page.wait_for_timeout(600)
            new = [press(page, "ArrowRight" if n % 2 else "ArrowLeft") for n in range(6)]
            times += new[1:] if turn == 0 else new
    lab.close(page)
    return found


def imports(times: int) -> tuple[float, float]:
    """`import rowwise` over `import numpy`: time, and the process's largest memory."""
    program = (
        "import time; t = time.perf_counter(); import {}; t = time.perf_counter() - t; "
        "import resource; print(t, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    found = {"rowwise": [], "numpy": []}
    for _ in range(times):
        for name, rows in found.items():
            done = subprocess.run(
                [sys.executable, "-c", program.format(name)], capture_output=True, text=True, check=True
            )
            rows.append([float(x) for x in done.stdout.split()])
    ours, theirs = ([statistics.median(column) for column in zip(*rows, strict=True)] for rows in found.values())
    return ours[0] / theirs[0], ours[1] / theirs[1]


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="turns of each kind, six moves a turn")
    rounds = parser.parse_args().rounds
    executable = browser_path()
    if executable is None:
        sys.exit("No Chromium was found: install one to measure the figure.")
    from playwright.sync_api import sync_playwright

    flags = CHROMIUM_FLAGS + (["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])
    with tempfile.TemporaryDirectory() as folder:
        server, url, root = start_jupyterlab(Path(folder))
        try:
            with sync_playwright() as p:
                chromium = p.chromium.launch(executable_path=executable, args=flags)
                lab = Lab(url, root, chromium)
                moves, first = latencies(lab, rounds), first_pictures(lab, 5)
                (share, lag), many = drags(lab), tenth(lab, rounds)
                chromium.close()
        finally:
            server.terminate()
            server.wait(20)
    import_time, import_memory = imports(7)
    for kind in KINDS:
        times = moves[kind]
        print(
            f"{kind:9} {statistics.median(times):7.1f} ms median, {percentile(times, 0.95):7.1f} ms p95, {len(times)} moves"
        )
    for kind, times in first.items():
        print(f"{kind:9} {statistics.median(times):7.1f} ms to the first picture")
    base = statistics.median(moves["baseline"])
    result = {
        "latency_ratio": base / statistics.median(moves["ours"]),
        "latency_p95_over_baseline_median": percentile(moves["ours"], 0.95) / base,
        "fn_latency_ratio": base / statistics.median(moves["fn"]),
        "drag_drawn_share": share,
        "drag_lag_frames": lag,
        "first_picture_ratio": statistics.median(first["ours"]) / statistics.median(first["baseline"]),
        "kb_per_move": statistics.median(moves["kb"]),
        "tenth_figure_ratio": statistics.median(many[10]) / statistics.median(many[1]),
        "import_time_ratio": import_time,
        "import_memory_ratio": import_memory,
    }
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))


if __name__ == "__main__":
    main()
