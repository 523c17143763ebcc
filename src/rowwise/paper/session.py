"""Practice without end, without its picture: a row from a seed, what was typed, what was said, and the record."""

import numpy as np

from rowwise import progress
from rowwise.paper.explain import Explanation
from rowwise.paper.page import TITLES, givens, title_html, vector
from rowwise.rows.draw import draw
from rowwise.rows.exercise import rounded_line
from rowwise.rows.judge import Verdict, judge_lines
from rowwise.rows.lines import read_line
from rowwise.rows.notes import LOOK, tell
from rowwise.rows.task import Task
from rowwise.rows.worked import work

KEPT = "practice"
ENOUGH = 2  # right answers after which a step's first hint is no longer shown unasked


class Session:
    """One student's practice. ``seed`` names the row; ``sizes`` are those of `draw`.

    A step's first check on each row counts in the record, which is kept with the student's progress.
    """

    def __init__(self, seed: int, asks, sizes: dict):
        self.asks, self.sizes = asks, sizes
        self.new(seed)

    def new(self, seed: int) -> None:
        """Start on another row."""
        self.seed = seed
        self.task: Task = draw(seed, self.asks, **self.sizes)
        self.entries = {step: [""] * int(np.prod(self.task.shape(step))) for step in self.task.asks}
        self.checked: dict[str, str] = {}  # step -> "typed" or "shown"
        self.verdicts: dict[str, Verdict] = {}
        self.messages: dict[str, str] = {}
        record = self.record()
        self.hints = {step: int(record.get(step, (0, 0))[0] < ENOUGH) for step in self.task.asks}
        self.counted: set[str] = set()
        self.explained = False

    def record(self) -> dict[str, list[int]]:
        """How many times each step was right and wrong at its first check, over all rows."""
        kept = progress.recall(KEPT, {})
        return {
            step: [int(count) for count in counts]
            for step, counts in (kept.items() if isinstance(kept, dict) else ())
            if step in TITLES and isinstance(counts, list) and len(counts) == 2
        }

    def type(self, entries: dict) -> None:
        """Take over what stands in the boxes; anything that does not fit is left aside."""
        for step, boxes in entries.items():
            if step in self.entries and isinstance(boxes, list) and len(boxes) == len(self.entries[step]):
                self.entries[step] = [str(box) for box in boxes]

    def check(self, step: str) -> str:
        """Check one step, and again those that were checked before; returns what is to be said aloud."""
        if step not in self.entries:
            return ""
        self.checked.setdefault(step, "typed")
        self._judge()
        if all(self.entries[step]) and not self.explained:
            self._count(step, self.verdicts[step].right)
        verdict = "agrees" if self.verdicts[step].right else "look again"
        said = f"{step}: {verdict}. {self.messages[step]}"
        return said + (" The row is complete; it is worked through below." if self.done else "")

    def hint(self, step: str) -> str:
        """One more hint for a step: a sentence, then the first sum, then the whole line, which counts as wrong."""
        if step not in self.hints or self.hints[step] >= 3:
            return ""
        self.hints[step] += 1
        if self.hints[step] == 3:
            self.entries[step] = [str(x) for x in np.ravel(np.array(rounded_line(self.task, step), dtype=object))]
            self.checked[step] = "shown"
            self._count(step, False)
            self._judge()
        return f"Hint for {step}: {self._hints(step)[-1]}"

    def explain(self) -> str:
        """Work the whole row through."""
        self.explained = True
        return "The row is worked through below."

    @property
    def done(self) -> bool:
        """Whether every step is right, or was shown."""
        return all(step in self.verdicts and self.verdicts[step].right for step in self.task.asks)

    def view(self) -> dict:
        """All that the page shows, as plain data."""
        record = self.record()
        query = None if self.task.q is None else f"q = {vector(self.task.q)}"
        scales = "scaled" in self.task.chain and self.task.asks != ("scores",)
        width = f"d<sub>k</sub> = {self.task.width}, " if scales else ""
        return {
            "seed": self.seed,
            "query": query,
            "about": f"{width}to {self.task.decimals} decimals",
            "keys": self.task.n_k,
            "givens": [{"title": title, "kind": kind, "cells": cells} for (title, kind), cells in givens(self.task)],
            "steps": [self._step(step) for step in self.task.asks],
            "record": [
                {"step": step, "right": record[step][0], "wrong": record[step][1]} for step in TITLES if step in record
            ],
            "explanation": Explanation(self.task).html() if self.explained or self.done else "",
        }

    def _step(self, step: str) -> dict:
        verdict, status = self.verdicts.get(step), ""
        if verdict:
            status = "right" if verdict.right else "wrong"
            status = "shown" if self.checked[step] == "shown" and verdict.right else status
        return {
            "name": step,
            "title": title_html(step),
            "numbers": 1 if len(self.task.shape(step)) == 1 else self.task.shape(step)[1],
            "entries": self.entries[step],
            "status": status,
            "agrees": [] if verdict is None or verdict.agrees is None else verdict.agrees.ravel().tolist(),
            "message": self.messages.get(step, ""),
            "hints": [hint for hint in self._hints(step) if hint not in self.messages.get(step, "")],
            "more": self.hints[step] < 3 and status not in ("right", "shown"),
        }

    def _hints(self, step: str) -> list[str]:
        done = next(each for each in work(self.task) if each.step == step)
        first = done.sums[0] if done.sums else done.says
        return [LOOK[step], f"The first sum is {first}.", "The line is filled in. Check that you can make it."][
            : self.hints[step]
        ]

    def _judge(self) -> None:
        lines = {}
        for step, boxes in self.entries.items():
            whole = boxes[0] if sum(map(bool, boxes)) == 1 and boxes[0] and len(boxes) > 1 else boxes
            lines[step] = read_line(whole, self.task.shape(step), self.task.decimals)
        with np.errstate(all="ignore"):
            verdicts = judge_lines(self.task, lines)
        for verdict in verdicts:
            if verdict.step in self.checked:
                self.verdicts[verdict.step] = verdict
                self.messages[verdict.step] = tell(self.task, verdict)

    def _count(self, step: str, right: bool) -> None:
        if step in self.counted:
            return
        self.counted.add(step)
        record = self.record()
        counts = record.setdefault(step, [0, 0])
        counts[0 if right else 1] += 1
        progress.keep(KEPT, record)
