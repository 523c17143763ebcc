"""Runs a notebook's cells in one IPython shell and gives their outputs back as nbformat has them."""

import base64
import io
import json
import os
import signal
import sys
import tempfile

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

TEXT, ALL = 100_000, 3_000_000  # characters a cell may print, and bytes of all its outputs


class CellTimeoutError(BaseException):
    """Not an Exception: `except Exception` in a loop must not swallow it."""


class Outputs:
    """What the running cell has shown so far."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget everything, as clear_output does."""
        self.items, self.shown, self.printed, self.cut = [], 0, 0, False

    def stream(self, name: str, text: str):
        """Append printed text, up to TEXT characters in all."""
        if not text or self.cut:
            return
        room = TEXT - self.printed
        self.printed += len(text)
        if len(text) > room:
            self.cut, text = True, text[:room] + "\n... the rest of what this cell printed is left out ...\n"
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self.items.append({"output_type": "stream", "name": name, "text": text})

    def add(self, item: dict):
        """Append an output, up to ALL bytes in all."""
        self.shown += len(json.dumps(item, default=str))
        if self.shown <= ALL:
            self.items.append(item)


OUT = Outputs()


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a cell."""

    encoding = "utf-8"

    def __init__(self, name: str, number: int):
        self._name, self._number = name, number

    def writable(self):
        """True: it is for writing."""
        return True

    def write(self, text):
        """Take printed text."""
        OUT.stream(self._name, str(text))
        return len(text)

    def fileno(self):
        """The descriptor that programs started by the cell write to."""
        return self._number


def _bundle(data: dict) -> dict:
    return {k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in data.items()}


class Publisher(DisplayPublisher):
    """display(...) inside a cell."""

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **kwargs):
        """Record what is displayed, or change what was displayed under the same id."""
        name = (transient or {}).get("display_id")
        if update:
            for item in OUT.items:
                if name and item.get("_id") == name:
                    item["data"] = _bundle(data)
            return
        item = {"output_type": "display_data", "data": _bundle(data), "metadata": metadata or {}}
        OUT.add(item | ({"_id": name} if name else {}))

    def clear_output(self, wait=False):
        """Forget what the cell has shown."""
        OUT.clear()


class Hook(DisplayHook):
    """The value of a cell's last line."""

    def start_displayhook(self):
        """Nothing to print before it."""

    def write_output_prompt(self):
        """No prompt."""

    def write_format_data(self, format_dict, md_dict=None):
        """Record the value as execute_result."""
        count = self.shell.execution_count
        OUT.add({"output_type": "execute_result", "data": _bundle(format_dict), "metadata": md_dict or {},
                 "execution_count": count})  # fmt: skip

    def finish_displayhook(self):
        """Nothing to print after it."""


class Shell(InteractiveShell):
    """IPython without a terminal, a history or a way to ask."""

    def _showtraceback(self, etype, evalue, stb):
        lines = stb if isinstance(stb, list) else str(stb).split("\n")
        name = getattr(etype, "__name__", str(etype))
        OUT.add({"output_type": "error", "ename": name, "evalue": str(evalue)[:5000],
                 "traceback": [str(line)[:20_000] for line in lines[-60:]]})  # fmt: skip

    def enable_gui(self, gui=None):
        """No event loops of windows here."""

    def ask_exit(self):
        """exit() ends nothing: the cells after it still run."""


def make() -> Shell:
    """The one shell of this process."""
    shell = Shell.instance(display_pub_class=Publisher, displayhook_class=Hook)
    shell.history_manager.enabled = False
    shell.colors = "nocolor"
    return shell


class Capture:
    """Catches what programs started by a cell (os.system, C code) write to descriptors 1 and 2."""

    def __init__(self):
        self.files = {}
        for name in ("stdout", "stderr"):
            with tempfile.TemporaryFile() as file:
                self.files[name] = os.dup(file.fileno())
        os.dup2(self.files["stdout"], 1)
        os.dup2(self.files["stderr"], 2)

    def take(self):
        """Move what was written since the last time into the outputs."""
        for name, file in self.files.items():
            size = os.fstat(file).st_size
            if size:
                OUT.stream(name, os.pread(file, min(size, TEXT + 1), 0).decode("utf-8", "replace"))
                os.ftruncate(file, 0)
                os.lseek(file, 0, os.SEEK_SET)


def no_input(prompt=""):
    """input() has nobody to ask."""
    raise RuntimeError("input() has nobody to ask while a notebook is graded")


class Deadline:
    """Raises CellTimeoutError in the running code after ``seconds``, and again each second until it stops."""

    def __init__(self, seconds: float):
        self.seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._late)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, 1)

    def __exit__(self, *exception):
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _late(self, number, frame):
        raise CellTimeoutError(f"stopped after {self.seconds:g} seconds")


def watched(seconds: float, capture: Capture | None, work) -> list[dict]:
    """Call ``work()`` with a deadline and give back what it showed."""
    OUT.clear()
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Stream("stdout", 1), Stream("stderr", 2)
    try:
        with Deadline(seconds):
            work()
    except CellTimeoutError as late:  # it came between the cell and here
        OUT.add({"output_type": "error", "ename": "CellTimeoutError", "evalue": str(late), "traceback": [str(late)]})
    finally:
        sys.stdout, sys.stderr = kept
    if capture:
        capture.take()
    shown = OUT.items
    OUT.clear()
    for item in shown:
        item.pop("_id", None)
    return shown
