"""What a student has done so far, kept on their own machine and nowhere else.

One JSON file, ``progress.json``, in the folder that ``where()`` names. It is replaced whole, so a crash
leaves the old one; one that can't be read is set aside, never overwritten. With nowhere to write, everything
is remembered until the kernel stops; so it is while nbgrader runs a notebook, and no file is read then.
"""

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

_lock = threading.RLock()
_session: dict = {}  # what could not be written, or must not be


@dataclass(frozen=True)
class Best:
    """The best mark so far of one exercise: ``earned`` of ``points``, after ``tries`` marks in all.

    ``filled`` says that once at least every step of it had been filled in, rightly or not.
    """

    earned: float
    points: float
    tries: int
    filled: bool = False


def where() -> Path:
    """The file of the progress: in ROWWISE_HOME if that is set, else where the system keeps such data."""
    if chosen := os.environ.get("ROWWISE_HOME"):
        return Path(chosen) / "progress.json"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(os.path.expanduser(base)) / "rowwise" / "progress.json"


def keep(key: str, value) -> None:
    """Remember ``value`` under ``key``, a prediction for instance: what JSON can hold; arrays become lists."""
    with _lock:
        kept = _read()
        kept["kept"][str(key)] = json.loads(json.dumps(value, default=_plain))
        _write(kept)


def recall(key: str, default=None):
    """What was kept under ``key``, else ``default``."""
    with _lock:
        return _read()["kept"].get(str(key), default)


def record(exercise: str, mark) -> None:
    """Count one more try at ``exercise``; ``mark`` (a Mark) becomes its best if it earned a larger share."""
    with _lock:
        kept = _read()
        old = _best(kept["best"].get(exercise)) or Best(0.0, 0.0, 0)
        earned, points = float(mark), float(mark.points)
        if earned * old.points < old.earned * points:  # the smaller share; points may have changed since
            earned, points = old.earned, old.points
        filled = old.filled or all(step.points or step.mistake for step in mark.steps)
        new = Best(earned, points, old.tries + 1, filled)
        kept["best"][exercise] = dict(vars(new))
        _write(kept)


def best() -> dict[str, Best]:
    """The best mark of every exercise that has been marked at least once, oldest exercise first."""
    with _lock:
        found = {name: _best(raw) for name, raw in _read()["best"].items()}
        return {name: mark for name, mark in found.items() if mark}


def forget() -> None:
    """Forget everything: predictions, best marks, records of practice. The file is deleted."""
    with _lock:
        _session.clear()
        if not _hands_off():
            with contextlib.suppress(OSError):
                where().unlink(missing_ok=True)


def _hands_off() -> bool:
    """Whether nbgrader is running this notebook: an instructor's progress is not a student's."""
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def _read() -> dict:
    data = _session
    if not _session and not _hands_off():
        data = _from_disk()
    return {part: dict(data[part]) if isinstance(data.get(part), dict) else {} for part in ("kept", "best")}


def _from_disk() -> dict:
    path = where()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            return data
    except OSError:
        return {}
    except ValueError:
        pass
    with contextlib.suppress(OSError):
        os.replace(path, path.with_suffix(".unreadable.json"))
    return {}


def _write(data: dict) -> None:
    """Replace the file; where that is not possible, remember in this kernel."""
    _session.clear()
    if _hands_off() or not _to_disk(json.dumps(data, indent=1)):
        _session.update(data)


def _to_disk(text: str) -> bool:
    path, draft = where(), None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".progress-", suffix=".json")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        for wait in (0.02, 0.1, 0.3, None):
            try:
                os.replace(draft, path)
                return True
            except PermissionError:  # on Windows, while another kernel reads it
                if wait is None:
                    raise
                time.sleep(wait)
    except OSError:
        if draft:
            with contextlib.suppress(OSError):
                os.unlink(draft)
    return False


def _best(raw) -> Best | None:
    try:
        return Best(float(raw["earned"]), float(raw["points"]), int(raw["tries"]), bool(raw.get("filled")))
    except (TypeError, KeyError, ValueError, AttributeError):
        return None


def _plain(value):
    """JSON for what NumPy gives: arrays and scalars as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"progress keeps what JSON can hold; this is a {type(value).__name__}")
