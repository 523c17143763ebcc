"""Runs the pure functions of a figure's module under node, so that they can be held against NumPy."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

LIVE = Path(__file__).parents[1] / "src" / "rowwise" / "live"

# JSON has no infinity and no NaN: both come back as words.
PROGRAM = """
const figure = await import(process.argv[1]);
const word = (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x);
const job = JSON.parse((await import("node:fs")).readFileSync(0));
const run = new Function("figure", "x", `with (figure) { return ${job.expression} }`);
process.stdout.write(JSON.stringify(job.inputs.map((x) => run(figure, x)), word));
"""


def run(module: str, expression: str, inputs: list) -> list:
    """The value of a JavaScript expression for each input `x`, the module's exports being in scope."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine: the JavaScript was not run")
    with tempfile.TemporaryDirectory() as folder:
        # Node knows a module by its file's name; a figure is one module with the parts set before it.
        whole = Path(folder, "figure.mjs")
        whole.write_text("".join((LIVE / name).read_text(encoding="utf-8") for name in ("parts.js", module)))
        done = subprocess.run(
            [node, "--input-type=module", "-e", PROGRAM, whole.as_uri()],
            input=json.dumps({"expression": expression, "inputs": inputs}),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return [_numbers(value) for value in json.loads(done.stdout, parse_int=float)]


def _numbers(value):
    """Words back to numbers, lists all the way down."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: _numbers(item) for name, item in value.items()}
    return float(value) if value in ("Infinity", "-Infinity", "NaN") else value
