"""Results of submissions as files: written whole or not at all, so that what is there can be trusted."""

import json
import os
import tempfile
from pathlib import Path


def write(path: Path, body: bytes) -> None:
    """Put ``body`` at ``path`` in one step; a crash or a full disk leaves what was there before. Raises OSError.

    After a power cut a file can be empty; `summary` then finds no result, and the submission is graded again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        if os.path.exists(draft):
            os.unlink(draft)
        raise


def summary(path: Path) -> dict | None:
    """The first line of a result: marks, reasons and what it depends on. None where there is no whole result."""
    try:
        with open(path, "rb") as file:
            found = json.loads(file.readline())
            return found if file.readline().endswith(b"}\n") and found.get("format") == 1 else None
    except (OSError, ValueError, AttributeError):
        return None


def notebooks(path: Path) -> dict:
    """The notebooks of a result as they were graded, by name."""
    with open(path, "rb") as file:
        file.readline()
        return json.loads(file.readline())


def failed(assignment: str, key: dict, why: str, level: str) -> bytes:
    """The result of a submission of which nothing could be graded, through no fault that could be named better."""
    found = {"format": 1, "assignment": assignment, "key": key, "level": level, "notebooks": {}, "notes": [],
             "usage": [], "reason": why, "seconds": 0.0}  # fmt: skip
    return json.dumps(found, sort_keys=True).encode() + b"\n{}\n"
