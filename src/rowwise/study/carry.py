"""A student's own functions, carried from chapter to chapter in a file beside the notebook.

``keep(scores)`` writes the function into ``mine.py`` in the chapter's folder, once its check gives full marks.
``carry("scores", …)`` brings such functions into a later chapter: from its own ``mine.py``, else from the chapters
beside it, which it then copies into its own. So the file is handed in with the chapter, and the chapter runs where no
other folder can be seen. What is missing or does not pass its check is replaced by a working version, which is said.
"""

import ast
import builtins
import inspect
import os
import tempfile
import textwrap
import types
from collections.abc import Callable
from pathlib import Path

FILE = "mine.py"
HEADER = '"""The functions that I wrote in this course. Chapters that build on them read this file."""\n'


def keep(function: Callable, folder: str | os.PathLike = ".") -> None:
    """Write a function of the student's into ``mine.py``, with what it calls; say what was done.

    Nothing is written while the function's check gives less than full marks, or when its source cannot be read.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(function, types.FunctionType) or name == "<lambda>":
        print("keep takes a function written with `def`, for example keep(scores).")
        return
    if not _passes(name, function):
        print(f"{name} is not kept yet: its check does not give full marks. Run the check above, then this cell.")
        return
    try:
        pieces = pieces_of(function)
    except (OSError, TypeError):
        print(f"{name} is not kept: its source cannot be read. Run the cell that defines it, then this one.")
        return
    if _write(Path(folder), pieces):
        print(f"{name} is kept in {FILE}, beside this notebook.")


def carry(*names: str, folder: str | os.PathLike = ".") -> types.SimpleNamespace:
    """Functions written in earlier chapters, as a namespace: ``mine.scores(Q, K)``.

    For each name the first that passes its check is taken: from this folder's ``mine.py``, then from the chapters
    beside it, the latest first. Says where each came from.
    """
    folder = Path(folder)
    beside = sorted(folder.resolve().parent.glob(f"*/{FILE}"), reverse=True)
    places = [folder / FILE, *(p for p in beside if p.parent != folder.resolve())]
    found, own, stood_in, gathered = {}, [], [], {}
    for name in names:
        for place in places:
            pieces = _read(place)
            function = _load(pieces, name)
            if function is not None and _passes(name, function):
                found[name] = function
                gathered |= {key: text for key, text in pieces.items() if key in _needed(pieces, name)}
                own.append(name)
                break
        else:
            found[name] = _working_version(name)
            stood_in.append(name)
    if gathered:
        _write(folder, gathered)
    if own:
        print(f"Your own: {', '.join(own)}.")
    if stood_in:
        print(
            f"A working version stands in for: {', '.join(stood_in)}. "
            "To use your own, finish it in its chapter, run the `keep` cell there, then this cell again."
        )
    return types.SimpleNamespace(**found)


def _passes(name: str, function: Callable) -> bool:
    from rowwise import exercises
    from rowwise.probe import probe

    known = getattr(exercises, "ALL", {})  # in a graded run there are none, and what was kept is taken as it is
    exercise = known.get(name)
    if exercise is None:
        return True
    return float(exercise.judge(probe(exercise.cases(), function))) == exercise.points


def _working_version(name: str) -> Callable:
    from rowwise import reference

    return getattr(reference, name)


def pieces_of(function: Callable) -> dict[str, str]:
    """Source by name: the function, the functions and constants of the notebook that it uses, and its imports."""
    pieces: dict[str, str] = {}
    waiting = [function]
    while waiting:
        f = waiting.pop()
        pieces[f.__name__] = textwrap.dedent(inspect.getsource(f)).rstrip()
        for name in _global_names(f.__code__):
            value = f.__globals__.get(name)
            if name in pieces or hasattr(builtins, name):
                continue
            if isinstance(value, types.ModuleType):
                pieces[name] = f"import {value.__name__} as {name}"
            elif isinstance(value, types.FunctionType) and value.__module__ == f.__module__:
                waiting.append(value)
            elif isinstance(value, types.FunctionType | type | types.BuiltinFunctionType):
                pieces[name] = f"from {value.__module__} import {value.__name__} as {name}"
            elif isinstance(value, int | float | str | bool):
                pieces[name] = f"{name} = {value!r}"
    return pieces


def _global_names(code: types.CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*(_global_names(c) for c in inner))


def _read(path: Path) -> dict[str, str]:
    """What ``mine.py`` defines, by name; empty where there is none or it is not Python."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return {}
    pieces = {}
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # the header
        for name in _defined(node) or [f"line {node.lineno}"]:
            pieces[name] = ast.get_source_segment(text, node)
    return pieces


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def _needed(pieces: dict[str, str], name: str) -> set[str]:
    needed, waiting = set(), [name]
    while waiting:
        current = waiting.pop()
        needed.add(current)
        used = {n.id for n in ast.walk(ast.parse(pieces[current])) if isinstance(n, ast.Name)}
        waiting += [n for n in used & pieces.keys() if n not in needed]
    return needed


def _load(pieces: dict[str, str], name: str) -> Callable | None:
    if name not in pieces:
        return None
    namespace: dict = {"__name__": "mine"}
    needed = _needed(pieces, name)
    try:
        exec(
            "\n\n".join(text for key, text in pieces.items() if key in needed), namespace
        )  # the student's own file, in the student's own kernel
    except Exception:
        return None
    return namespace.get(name)


def _write(folder: Path, pieces: dict[str, str]) -> bool:
    """Add the pieces to ``mine.py``, a file that is not Python set aside first; False where nothing can be written."""
    path = folder / FILE
    try:
        if path.exists() and not _is_python(path):
            aside = next(p for n in range(1, 1000) if not (p := folder / f"mine-set-aside-{n}.py").exists())
            path.rename(aside)
            print(f"{FILE} was not Python any more. It is now {aside.name}; nothing in it is lost.")
        merged = _read(path) | pieces
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=".mine", delete=False) as new:
            texts = list(dict.fromkeys(merged.values()))
            imports = [t for t in texts if t.startswith(("import ", "from "))]
            rest = [t for t in texts if t not in imports]
            new.write(HEADER + "\n" + "\n".join(imports) + "\n\n\n" + "\n\n\n".join(rest) + "\n")
        os.replace(new.name, path)
    except OSError as problem:
        print(f"{FILE} could not be written here ({problem.strerror}). The chapter goes on without it.")
        return False
    return True


def _is_python(path: Path) -> bool:
    try:
        ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return False
    return True
