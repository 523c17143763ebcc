"""Runs a notebook's steps in the sandbox, and goes on after a cell that ends or blocks the process."""

import os
import signal
import time

from rowwise.grading.notebook import Note
from rowwise.grading.sandbox import Lost, Sandbox

TRIES = 4  # processes for one notebook: the first, and one more after each of three cells that end it


class Execution:
    """One notebook's way through the sandbox: what happened on it is in ``notes`` and ``usage``."""

    def __init__(self, sandbox: Sandbox, files: dict[str, bytes], inputs: dict, trace: list | None = None):
        """``files`` lie in the notebook's folder; ``inputs`` are the coded cases of the chapter's exercises."""
        self.sandbox, self.files, self.inputs, self.trace = sandbox, files, inputs, trace
        self.notes: list[Note] = []
        self.usage: list[dict] = []

    def run(self, steps: list[dict]) -> list[dict]:
        """A reply a step, in order. A step is a cell's ``source`` or a ``subject`` with ``cases`` (and what runs ``before``).

        A step that ends the process gets {"lost": why}; the notebook is then run once more without it.
        """
        deadly: dict[int, str] = {}
        until = time.monotonic() + self.sandbox.limits.total_seconds
        for left in reversed(range(TRIES)):
            replies, reason = self._attempt(steps, deadly, until)
            if len(replies) == len(steps):
                break
            deadly[len(replies)] = reason
            where = steps[len(replies)]["name"]
            self.notes.append(Note("ended the process", f"{where}: {reason}. The rest was run without it.", where))
            if not left or time.monotonic() > until:
                rest = len(steps) - len(replies) - 1
                why = (
                    "not run, since the cells before it took all the time"
                    if left
                    else "not run, after three such cells"
                )
                replies += [{"lost": reason}, *[{"lost": why}] * rest]
                break
        return replies

    def _attempt(self, steps: list[dict], deadly: dict[int, str], until: float) -> tuple[list[dict], str]:
        """Replies up to the first step that ends the process, and why it did."""
        replies: list[dict] = []
        session = self.sandbox.open(self.files, self.inputs)
        reason = ""
        try:
            for number, step in enumerate(steps):
                if number in deadly:
                    replies.append({"lost": deadly[number]})
                    continue
                if time.monotonic() > until:
                    raise Lost("the time for the whole notebook ran out")
                replies.append(self._step(session, step))
        except Lost as lost:
            reason = str(lost)
        end = session.end(gone=reason == "ended")
        self.usage.append({name: end.get(name) for name in ("cpu", "memory_mb", "why")})
        return replies, self._why(reason, end) if reason else ""

    def _step(self, session, step: dict) -> dict:
        if "source" in step:
            outputs, _ = session.run(step["source"])
            return {"outputs": outputs}
        before = []
        if step["before"]:
            before, _ = session.run(step["before"])
        reply = session.ask(step["subject"], step["cases"])
        return reply | {"outputs": [*(before or []), *(reply.get("outputs") or [])]}

    def _why(self, said: str, end: dict) -> str:
        """In words, how the process came to its end."""
        limits, status = self.sandbox.limits, end.get("status")
        why = {
            "memory": f"it took more than {limits.memory_mb} MB of memory",
            "cpu": f"it computed for more than {limits.cpu_seconds} seconds",
            "time": f"the notebook took more than {limits.total_seconds:g} seconds",
        }.get(end.get("why"), "")
        if why or not isinstance(status, int) or end.get("why") == "stopped":
            return why or {"did not answer in time": "it did not stop when its time was over"}.get(said, said)
        if os.WIFEXITED(status):
            return f"it ended the Python process (exit status {os.WEXITSTATUS(status)})"
        number = os.WTERMSIG(status)
        if number == signal.SIGKILL and self.sandbox.memory_by == "cgroup":
            return f"it was stopped by the system, as happens above {limits.memory_mb} MB of memory"
        return f"it ended the Python process ({signal.Signals(number).name})"
