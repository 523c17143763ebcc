"""A course of two tiny chapters, for the tests of what builds and grades chapters."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat

ROOT = Path(__file__).resolve().parent.parent
NAMES = ["00-start-here", "01-dot-product"]

WARM_UP = """---
kernelspec:
  name: python3
---

# Start here

Go on with [the dot product](../01-dot-product/01-dot-product.md#keys), or read [elsewhere](https://example.org/a.md).

```{code-cell}
:exercise: warm_up
warm_up = {"scores": [None, None]}
### BEGIN SOLUTION
warm_up = {"scores": [3, -1]}
### END SOLUTION
```

```{code-cell}
:check: warm_up
check.warm_up(warm_up)
```
"""

DOT_PRODUCT = """---
kernelspec:
  name: python3
---

# The dot product

One query, two keys: $q \\cdot k$.

![A query and its keys](keys.svg)

+++

## In code

```{code-cell}
:tags: [hide-input]

import numpy as np
from rowwise import check
```

```{code-cell}
:exercise: scores
def scores(Q, K):
    "Scores, shape (n_q, n_k)."
    ### BEGIN SOLUTION
    return Q @ K.T
    ### END SOLUTION
```

```{code-cell}
:check: scores
check.scores(scores)
```

+++ {"written": "why-rows, 2 points"}

Why does each query have a row of its own?

### BEGIN SOLUTION
Each query asks its own question.
### END SOLUTION

+++

Next: [start again](../00-start-here/00-start-here.md).
"""


def exercise(name, chapter, points, kind):
    """As much of an exercise as the build looks at."""
    return SimpleNamespace(name=name, chapter=chapter, points=points, kind=kind)


REGISTRY = {
    "warm_up": exercise("warm_up", "00-start-here", 2, "row"),
    "scores": exercise("scores", "01-dot-product", 3.0, "function"),
}


def make_course(root: Path, dot_product: str = DOT_PRODUCT) -> Path:
    """Writes the course at ``root``, with the real settings of nbgrader, and returns it."""
    for name, text in (("00-start-here", WARM_UP), ("01-dot-product", dot_product)):
        folder = root / "solutions" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (root / "solutions/01-dot-product/keys.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (root / "autograder").mkdir(exist_ok=True)
    shutil.copy(ROOT / "autograder/nbgrader_config.py", root / "autograder")
    return root


def contents(folder: Path) -> dict:
    """Every file below ``folder`` by its path."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def chapter_of_registry(name: str, registry) -> str:
    """A chapter that asks for every exercise which the registry has for it, and nothing else."""
    cells = [f"# {name}"]
    for each in registry.values():
        if each.chapter == name:
            above = f"def {each.name}(*args):" if each.kind == "function" else f"{each.name} = None"
            indent, answer = ("    ", "return 1") if each.kind == "function" else ("", f"{each.name} = 1")
            lines = [above, f"{indent}### BEGIN SOLUTION", f"{indent}{answer}", f"{indent}### END SOLUTION"]
            cells.append("\n".join(["```{code-cell}", f":exercise: {each.name}", *lines, "```"]))
            cells.append(f"```{{code-cell}}\n:check: {each.name}\ncheck.{each.name}({each.name})\n```")
    return "---\nkernelspec: {name: python3}\n---\n\n" + "\n\n".join(cells) + "\n"


def notebook(course, name="01-dot-product", of="notebooks"):
    return nbformat.read(course / of / name / f"{name}.ipynb", as_version=4)


def cell(notebook, grade_id):
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)
