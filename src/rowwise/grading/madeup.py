"""A made-up class: right and untouched work, every mistake of the catalogue, and the files that a real class hands in."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rowwise import exercises
from rowwise.exercises.seeded import Sitting
from rowwise.grading.notebook import read

TABLE = """import base64
import hashlib
import numpy as np

KNOWN = {known!r}


def {name}(*args, **kwargs):
    given = [np.asarray(a) for a in [*args, *kwargs.values()] if a is not None]
    key = hashlib.sha256(b"".join(repr((a.shape, a.dtype.str)).encode() + a.tobytes() for a in given)).hexdigest()
    kind, shape, raw = KNOWN[key]
    return np.frombuffer(base64.b64decode(raw), kind).reshape(shape).copy()
"""
VARIANTS = 3  # of one mistake in one exercise: some can be made in hundreds of ways
HOSTILE = {
    "exit": "import os\nos._exit(0)",
    "crash": "import ctypes\nctypes.string_at(0)",
    "loop": "while True:\n    pass",
    "deaf-loop": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass",
    "print": "print('x' * 50_000_000)",
    "memory": "held = [bytearray(10**9) for _ in range(20)]",
    "fork-bomb": "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
    "kill-all": "import os\nos.kill(-1, 9)",
    "read-secrets": "print(open('/etc/shadow').read())",
    "network": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:8888').read()",
    "gradebook": "import glob, sqlite3\nfor f in glob.glob('/**/gradebook.db', recursive=True):\n    sqlite3.connect(f)",
    "patch-checks": "from rowwise import check\nimport IPython\nIPython.core.interactiveshell.InteractiveShell.run_code = None",
    "always-equal": "class Sly(float):\n    __eq__ = lambda a, b: True\n    __hash__ = None\nimport numpy as np\n"
    "np.allclose = np.array_equal = lambda *a, **k: True\nnp.testing.assert_allclose = lambda *a, **k: None",
    "formatter": "get_ipython().display_formatter.formatters['text/plain'].for_type(float, lambda v, p, c: p.text('99'))",
    "stderr": "import sys\nprint('careful', file=sys.stderr)",
    "input": "input('name? ')",
}
# What leaves later cells of the same process without what they need may cost them; these must cost nothing.
HARMLESS = frozenset(HOSTILE) - {"patch-checks"}


@dataclass(frozen=True)
class Made:
    """One made-up submission. ``mark`` is what it deserves: "full", "none" (0 everywhere), "no mark", or a cell to lose in."""

    student: str
    files: dict[str, bytes]
    mark: str
    slug: str = ""
    cell: str = ""
    notes: tuple[str, ...] = field(default=())


def made_up(name: str, source: bytes, release: bytes) -> Iterator[Made]:
    """The class of one chapter with one notebook: ``source`` with its solutions, ``release`` as students got it."""
    untouched = read(release)
    solved = {cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"]) for cell in read(source)["cells"]
              if cell["metadata"].get("nbgrader", {}).get("solution")}  # fmt: skip
    right = _answered(untouched, solved)
    file = f"{name}.ipynb"
    yield Made("right", {file: _bytes(right)}, "full")
    yield Made("untouched", {file: _bytes(untouched)}, "none")
    for exercise in _exercises(untouched):
        for number, (slug, answer) in enumerate(mistakes(exercise)):
            made = _bytes(_answered(right, {exercise.name: answer}))
            yield Made(
                f"mistake-{exercise.name}-{number:02}-{slug or 'choice'}",
                {file: made},
                "less",
                slug,
                f"check-{exercise.name}",
            )
    yield from _broken(file, right)
    first = next(iter(_exercises(untouched)), None)
    for what, code in HOSTILE.items() if first else ():
        made = json.loads(_bytes(right))
        made["cells"].insert(_place(made, first.name), _code(code))
        yield Made(f"hostile-{what}", {file: _bytes(made)}, "full" if what in HARMLESS else "any")


def _broken(file: str, right: dict) -> Iterator[Made]:
    body = _bytes(right)
    yield Made("file-empty", {file: b""}, "no mark")
    yield Made("file-cut", {file: body[: len(body) // 2]}, "no mark")
    yield Made("file-web-page", {file: b"<!doctype html><title>Log in</title>"}, "no mark")
    yield Made("file-merge", {file: body.replace(b'"cells"', b'<<<<<<< mine\n"cells"', 1)}, "no mark")
    yield Made("file-renamed", {"Untitled (1).ipynb": body}, "full", notes=("renamed",))
    yield Made("file-only-a-picture", {"photo.jpg": b"\xff\xd8\xff"}, "none")
    twice = {**right, "cells": [*right["cells"], *right["cells"][-3:], *right["cells"][:3]]}
    yield Made("cells-copied", {file: _bytes(twice)}, "full")
    graded = [c for c in right["cells"] if not _about(c).get("grade") or _about(c).get("solution")]
    yield Made("cells-deleted", {file: _bytes({**right, "cells": graded})}, "full", notes=("deleted cell",))
    forged = json.loads(body)
    for cell in forged["cells"]:
        if _about(cell).get("grade") and not _about(cell).get("solution"):
            cell["source"] = "99.0"
            cell["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "99.0"}, "metadata": {},
                                "execution_count": 1}]  # fmt: skip
    yield Made("cells-forged", {file: _bytes(forged)}, "full", notes=("changed cell",))
    odd = {**right, "cells": [3, *right["cells"], {"cell_type": "pizza"}]}
    yield Made("cells-odd", {file: _bytes(odd)}, "full", notes=("odd cell",))
    bare = json.loads(body)
    for cell in bare["cells"]:
        if cell["cell_type"] == "code":
            cell["metadata"] = {}
    yield Made("cells-without-metadata", {file: _bytes(bare)}, "full")
    yield Made("no-timestamp", {file: body, "timestamp.txt": b"some day in May"}, "full")


def mistakes(exercise) -> Iterator[tuple[str, str]]:
    """Answers that make each mistake of an exercise's catalogue: (slug, the text of the answer cell).

    The slug is "" for a wrong choice, which is no mistake of the catalogue.
    """
    if hasattr(exercise, "bind"):  # its numbers come from a seed; the made-up class sits the practice paper
        exercise = exercise.bind(Sitting())
    if exercise.kind == "function":
        seen: Counter = Counter()
        for slip in getattr(exercise, "slips", ()):
            seen[slip.slug] += 1
            known = _table(exercise, slip) if seen[slip.slug] <= VARIANTS else None
            if known:
                yield slip.slug, TABLE.format(name=exercise.name, known=known)
    elif hasattr(exercise, "row"):
        from rowwise.rows.slips import wrong_lines

        for slip, step, line in wrong_lines(exercise.row):
            typed = [f"{number:.4f}" for number in np.asarray(line, float).ravel()]
            yield slip.slug, f"{exercise.name} = {exercise.solution() | {step: typed}!r}"
    elif exercise.kind == "value":
        for wrong, (slug, _) in getattr(exercise, "tells", {}).items():
            yield slug, f"{exercise.name} = {wrong!r}"
    elif hasattr(exercise, "answer") and hasattr(exercise, "options"):
        for option in exercise.options:
            if option != exercise.answer:
                yield "", f'{exercise.name} = {{"mistake": {option!r}, "row": {min(exercise.rows)}}}'


def _table(exercise, slip) -> dict | None:
    """What a slip answers to each case, by what the case looks like; None where it cannot be computed."""
    known = {}
    for trial in exercise.trials:
        with np.errstate(all="ignore"):
            try:
                wrong = np.asarray(exercise.model(*trial.case.args, *trial.case.kwargs.values(), **slip.steps), float)
            except Exception:  # a slip that does not fit these shapes: its maker's function would raise as well
                continue
        given = [np.asarray(a) for a in (*trial.case.args, *trial.case.kwargs.values()) if a is not None]
        looks = b"".join(repr((a.shape, a.dtype.str)).encode() + a.tobytes() for a in given)
        known[hashlib.sha256(looks).hexdigest()] = (
            wrong.dtype.str,
            wrong.shape,
            base64.b64encode(wrong.tobytes()).decode(),
        )
    return known or None


def _exercises(release: dict) -> list:
    names = [_about(cell).get("grade_id") for cell in release["cells"]]
    return [exercises.ALL[name] for name in names if name in exercises.ALL]


def _about(cell: dict) -> dict:
    return cell.get("metadata", {}).get("nbgrader", {})


def _place(nb: dict, name: str) -> int:
    return next(i for i, cell in enumerate(nb["cells"]) if _about(cell).get("grade_id") == name)


def _code(source: str) -> dict:
    return {
        "cell_type": "code",
        "id": "made-up",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def _answered(nb: dict, answers: dict[str, str]) -> dict:
    copy = json.loads(json.dumps(nb))
    for cell in copy["cells"]:
        if _about(cell).get("grade_id") in answers:
            cell["source"] = answers[_about(cell)["grade_id"]]
    return copy


def _bytes(nb: dict) -> bytes:
    return json.dumps(nb, indent=1).encode()
