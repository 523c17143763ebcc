"""How long each chapter runs from top to bottom, beside a notebook that only imports NumPy, in turn in one run.

python benchmarks/chapters.py            every chapter, solution and release
python benchmarks/chapters.py 05 09      some of them

Times are wall time with a fresh kernel; read the ratios to the bare notebook. The last line is one JSON object.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
ROUNDS = 3


def seconds(notebook: nbformat.NotebookNode, folder: str) -> float:
    """Wall time of one run with a fresh kernel in ``folder``."""
    began = time.perf_counter()
    NotebookClient(notebook, timeout=300, allow_errors=True, resources={"metadata": {"path": folder}}).execute()
    return time.perf_counter() - began


def bare() -> nbformat.NotebookNode:
    """A notebook of one cell."""
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import numpy")])


def main() -> None:
    """Measures each chapter in turn with the bare notebook, prints a line each, and the JSON object last."""
    wanted = sys.argv[1:]
    chapters = sorted(path.name for path in (ROOT / "solutions").iterdir() if path.name[:2].isdigit())
    chapters = [name for name in chapters if not wanted or name[:2] in wanted or name in wanted]
    ratios = {}
    with tempfile.TemporaryDirectory() as work:
        os.environ["ROWWISE_HOME"] = str(Path(work) / "home")
        for name in chapters:
            times: dict[str, list[float]] = {"bare": [], "solutions": [], "notebooks": []}
            for kind in ("solutions", "notebooks"):
                shutil.copytree(ROOT / kind / name, Path(work) / kind / name)
            for _ in range(ROUNDS):
                times["bare"].append(seconds(bare(), work))
                for kind in ("solutions", "notebooks"):
                    folder = Path(work) / kind / name
                    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
                    times[kind].append(seconds(notebook, str(folder)))
            median = {kind: statistics.median(taken) for kind, taken in times.items()}
            ratios[name] = {kind: round(median[kind] / median["bare"], 1) for kind in ("solutions", "notebooks")}
            print(
                f"{name:30} solution {median['solutions']:5.1f} s, release {median['notebooks']:5.1f} s, "
                f"bare notebook {median['bare']:4.1f} s"
            )
    print(json.dumps({"ratio_to_bare_notebook": ratios}))


if __name__ == "__main__":
    main()
