"""A check of the installation that says what is missing and how to mend it."""

import os
import re
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from rowwise import progress
from rowwise.study.shown import Shown, table

_PIP = "%pip install --upgrade"


def check_installation() -> Shown:
    """What the course needs from this machine, a row each: what was found, and how to mend it."""
    rows = [
        _python(),
        *map(_package, ("numpy", "matplotlib", "ipywidgets", "anywidget")),
        _widgets(),
        _validate(),
    ]
    rows += [_folder(), _progress()]
    to_mend = sum(row[1] != "fine" for row in rows)
    caption = "Everything is in place." if not to_mend else f"{to_mend} of {len(rows)} need a look."
    return table(caption, ("what", "state", "found", "how to mend it"), rows)


def _python():
    found = ".".join(map(str, sys.version_info[:3]))
    if tuple(sys.version_info) >= (3, 11):  # a hub's kernel need not be the one that installed the course
        return ("Python", "fine", found, "")
    return ("Python", "too old", found, "Install Python 3.11 or newer, then start the course again.")


def _package(name: str):
    least = _least(name)
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        return (name, "missing", "", f"Run `{_PIP} {name}` in a cell, then restart the kernel.")
    if _numbers(found) < _numbers(least):
        return (name, "too old", found, f'Run `{_PIP} "{name}>={least}"` in a cell, then restart the kernel.')
    return (name, "fine", found, "")


def _least(name: str) -> str:
    """The oldest version of ``name`` that the course's own metadata asks for."""
    try:
        needs = metadata.requires("rowwise") or []
    except metadata.PackageNotFoundError:
        return "0"
    for need in needs:
        if match := re.match(rf"{name}\s*>=\s*([\d.]+)", need):
            return match[1]
    return "0"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _extension(*names: str) -> bool:
    """Whether JupyterLab beside this Python has one of these extensions."""
    return any((Path(sys.prefix) / "share/jupyter/labextensions" / name).exists() for name in names)


def _widgets():
    if _extension("@jupyter-widgets/jupyterlab-manager") and _extension("anywidget"):
        return ("figures in JupyterLab", "fine", "widget extensions found", "")
    return (
        "figures in JupyterLab",
        "not found here",
        "",
        "If the figure further down this page moves, all is well: JupyterLab runs from elsewhere. "
        f"If not, run `{_PIP} ipywidgets anywidget`, stop JupyterLab and start it again.",
    )


def _validate():
    try:
        found = f"nbgrader {metadata.version('nbgrader')}"
    except metadata.PackageNotFoundError:
        found = ""
    if found and _extension("@jupyter/nbgrader", "nbgrader"):
        return ("Validate button", "fine", found, "")
    return (
        "Validate button",
        "not found here",
        found,
        "Every check cell works without it: run the cell and read what it says. For the button, "
        f"run `{_PIP} nbgrader`, stop JupyterLab and start it again.",
    )


def _folder():
    try:
        with tempfile.TemporaryFile(dir=os.getcwd()):
            return ("this folder", "fine", "can be written to", "")
    except OSError as error:
        return (
            "this folder",
            "read-only",
            error.strerror or "",
            "Your work could not be saved. Copy the course to a folder of your own and open it there.",
        )


def _progress():
    home = progress.where().parent
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            return ("place for progress", "fine", str(home), "")
    except OSError as error:
        return (
            "place for progress",
            "read-only",
            f"{home}: {error.strerror}",
            "The course works, but forgets your best marks when the kernel stops. "
            "Set ROWWISE_HOME to a folder of your own before you start JupyterLab.",
        )
