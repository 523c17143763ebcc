"""Grading a class: `rowwise grade` beside `nbgrader autograde`, on this machine, in one run.

    python benchmarks/grading.py [--large 2000] [--chapter 01-dot-product]

`rowwise grade` grades 20 submissions, nbgrader the same 20 with its own settings, then `rowwise grade` the large class,
with its sandbox and its judge outside it. Times are of whole commands, start
included. The last line is one JSON object with the ratios; they hold from machine to machine, the seconds do not.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SMALL = 20


def new_course(folder: Path, chapter: str, ours: bool) -> Path:
    """A course with one released chapter; without ``ours`` nbgrader grades as it comes."""
    (folder / "autograder").mkdir(parents=True)
    for step in ("solutions", "notebooks"):
        shutil.copytree(ROOT / step / chapter, folder / step / chapter)
    config = (ROOT / "autograder" / "nbgrader_config.py").read_text()
    if not ours:
        config = re.sub(r"(?s)\nc\.Autograde\.\w+ = (\[.*?\n\]|[^\n]*)", "", config)
    (folder / "autograder" / "nbgrader_config.py").write_text(config)
    release = folder / "notebooks" / chapter / f"{chapter}.ipynb"
    kept = release.read_bytes()
    command(folder, "nbgrader", "generate_assignment", chapter, "--force")
    release.write_bytes(kept)
    return folder


def command(course: Path, program: str, *words: str) -> float:
    """Run a command in the course; gives its seconds."""
    began = time.perf_counter()
    done = subprocess.run(
        [BIN / program, *words], cwd=course / "autograder", capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(
            f"{program} {' '.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
        )
    return time.perf_counter() - began


def class_of(chapter: str) -> list[bytes]:
    """Honest notebooks in turn: right, untouched, and with the chapter's mistakes."""
    from rowwise.grading.madeup import made_up

    file = f"{chapter}.ipynb"
    source, release = ((ROOT / step / chapter / file).read_bytes() for step in ("solutions", "notebooks"))
    return [made.files[file] for made in made_up(chapter, source, release)
            if made.student in ("right", "untouched") or made.student.startswith("mistake-")]  # fmt: skip


def hand_in(course: Path, chapter: str, notebooks: list[bytes], numbers) -> None:
    for number in numbers:
        folder = course / "autograder" / "submitted" / f"s{number:05}" / chapter
        folder.mkdir(parents=True)
        (folder / f"{chapter}.ipynb").write_bytes(notebooks[number % len(notebooks)])


class Watch:
    """What a command and all that it started use, looked at ten times a second.

    ``peak`` is the most memory at once, in MB; ``processor`` the processor seconds so far, by the time of day. Processes of
    single submissions come and go between two looks; what they use stands in their results.
    """

    def __init__(self, process: subprocess.Popen):
        self.peak, self.processor, self._root = 0.0, [], process.pid
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        while not self._end.wait(0.1):
            tree = _tree(self._root)
            self.peak = max(self.peak, sum(map(_proportional, tree)) / 1024)
            self.processor.append((time.time(), sum(map(_seconds, tree))))

    def stop(self) -> "Watch":
        self._end.set()
        self._thread.join()
        return self


def _seconds(pid: int) -> float:
    """Processor seconds of a process that stays for the whole run; 0 for one of a single submission."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        if b"zygote" in (words := Path(f"/proc/{pid}/cmdline").read_bytes()) or b"rowwise" in words:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            own = int(fields[19]) / os.sysconf("SC_CLK_TCK")
            if time.clock_gettime(time.CLOCK_BOOTTIME) - own > 3:
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            children.setdefault(int(path.read_text().rsplit(")", 1)[1].split()[1]), []).append(int(path.parent.name))
    found, left = [], [root]
    while left:
        found.append(left.pop())
        left += children.get(found[-1], [])
    return found


def _proportional(pid: int) -> int:
    """A process's own share of memory in kB; where that is not to be read, all that it touches."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1])
    return 0


def grade(course: Path, chapter: str) -> tuple[float, Watch]:
    """`rowwise grade` on all that was handed in: (seconds, what it used)."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        run = subprocess.Popen([BIN / "rowwise", "grade", chapter], cwd=course / "autograder", stdout=said, stderr=said)
        watch = Watch(run)
        status = run.wait()
        seconds = time.perf_counter() - began
        watch.stop()
        if status:
            said.seek(0)
            raise SystemExit(f"rowwise grade ended with {status}:\n{said.read().decode()[-3000:]}")
    return seconds, watch


def growth(course: Path, chapter: str, watch: Watch) -> tuple[float, float]:
    """(wall, processor) time a submission in the last quarter of a run over that in its first quarter.

    Other work on the machine shows in the first number and not in the second.
    """
    folder = course / "autograder" / "results" / chapter
    found = sorted((path.stat().st_mtime, path) for path in folder.glob("s[0-9]*.json"))
    ends = [end for end, _ in found]
    used = [sum(item["cpu"] for item in json.loads(path.open().readline())["usage"]) for _, path in found]
    quarter = len(ends) // 4

    def until(moment: float) -> float:
        return max((seconds for at, seconds in watch.processor if at <= moment), default=0.0)

    first = until(ends[quarter]) - until(ends[0]) + sum(used[:quarter])
    last = until(ends[-1]) - until(ends[-1 - quarter]) + sum(used[-quarter:])
    return (ends[-1] - ends[-1 - quarter]) / (ends[quarter] - ends[0]), last / first


def ceiling(course: Path, chapter: str, workers: int) -> float:
    """Submissions a second that running the cells in the sandbox alone would allow: no questions, no marks, no gradebook."""
    folders = sorted((course / "autograder" / "submitted").glob(f"*/{chapter}"))[:200]
    parts = [folders[number::workers] for number in range(workers)]
    with get_context("spawn").Pool(workers) as pool:
        return sum(pool.starmap(_execute, [(part, chapter) for part in parts]))


def _execute(folders: list[Path], chapter: str) -> float:
    from rowwise.grading.sandbox import Sandbox

    with Sandbox() as sandbox:
        sandbox.open().end()
        began = time.perf_counter()
        for folder in folders:
            session = sandbox.open()
            for cell in json.loads((folder / f"{chapter}.ipynb").read_text())["cells"]:
                if cell["cell_type"] == "code":
                    session.run("".join(cell["source"]))
            session.end()
        return len(folders) / (time.perf_counter() - began)


def main() -> None:
    given = argparse.ArgumentParser(description="rowwise grade beside nbgrader autograde")
    given.add_argument("--large", type=int, default=2000, help="submissions of the large class")
    given.add_argument("--chapter", default="01-dot-product")
    given = given.parse_args()
    chapter, workers = given.chapter, len(os.sched_getaffinity(0))
    notebooks = class_of(chapter)
    with tempfile.TemporaryDirectory(prefix="rowwise-benchmark-") as folder:
        top = Path(folder)
        stock = new_course(top / "stock", chapter, ours=False)
        small, large = (new_course(top / name, chapter, ours=True) for name in ("small", "large"))
        hand_in(stock, chapter, notebooks, range(SMALL))
        hand_in(small, chapter, notebooks, range(SMALL))
        hand_in(large, chapter, notebooks, range(given.large))
        few, few_watch = grade(small, chapter)
        theirs = command(stock, "nbgrader", "autograde", chapter)
        many, many_watch = grade(large, chapter)
        alone = ceiling(large, chapter, workers)
        wall, processor = growth(large, chapter, many_watch)
    few_memory, many_memory = few_watch.peak, many_watch.peak
    ours, baseline = given.large / many, SMALL / theirs
    print(f"{chapter} on {workers} cores, whole commands with their start:")
    print(f"  nbgrader autograde   {SMALL:5} submissions  {theirs:7.1f} s  {baseline:6.2f} a second")
    print(
        f"  rowwise grade        {SMALL:5} submissions  {few:7.1f} s  {SMALL / few:6.2f} a second  {few_memory:5.0f} MB"
    )
    print(
        f"  rowwise grade        {given.large:5} submissions  {many:7.1f} s  {ours:6.2f} a second  {many_memory:5.0f} MB"
    )
    print(f"  sandboxed execution alone would allow            {alone:6.2f} a second")
    print(
        f"  time a submission, last quarter of the large class over its first: {wall:.2f} (processor time {processor:.2f})"
    )
    print(json.dumps({
        "throughput_ratio": round(ours / baseline, 2), "throughput_ratio_small": round(SMALL / few / baseline, 2),
        "flat_ratio": round(wall, 3),
        "flat_ratio_processor": round(processor, 3), "memory_ratio": round(many_memory / few_memory, 3),
        "ceiling_ratio": round(alone / baseline, 2), "submissions": given.large,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
