"""Workers: processes that take one submission at a time. One that dies is replaced, and its submission tried once more."""

import contextlib
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from rowwise.grading import results
from rowwise.grading.limits import Limits

ATTEMPTS = 2


@dataclass(frozen=True)
class Job:
    """One submission to grade: its ``folder``, the ``release`` it belongs to (a file), where the ``result`` goes."""

    student: str
    folder: Path
    release: Path
    result: Path


@dataclass(frozen=True)
class Done:
    """How one job ended: with a result that is ``whole``, or with a ``problem`` in words and no result."""

    job: Job
    problem: str = ""


class Pool:
    """``count`` workers. ``run`` gives jobs back in the order in which they end; closing it ends the workers."""

    def __init__(self, count: int, level: str, limits: Limits):
        """``level`` and ``limits`` are those of every worker's sandbox."""
        self._given = level, limits
        self._workers: list[_Worker] = []
        self.count = max(1, count)

    def run(self, jobs: Iterable[Job]) -> Iterator[Done]:
        """Grade every job; never raises for what a submission does. Raises RuntimeError if no sandbox starts."""
        left, tries = deque(jobs), {}
        while len(self._workers) < min(self.count, len(left)):
            self._workers.append(_Worker(*self._given))
        while left or any(worker.job for worker in self._workers):
            for worker in self._workers:
                if left and not worker.job:
                    worker.take(left.popleft())
            for ready in wait([worker.pipe for worker in self._workers if worker.job]):
                worker = next(each for each in self._workers if each.pipe is ready)
                job = worker.job
                try:
                    problem = worker.answer()
                except (EOFError, OSError):  # killed, or killed by its submission
                    self._replace(worker)
                    tries[job.student] = tries.get(job.student, 0) + 1
                    if tries[job.student] < ATTEMPTS:
                        left.append(job)
                        continue
                    problem = "the worker that graded it was killed twice"
                if problem.startswith("sandbox: "):
                    raise RuntimeError(problem.removeprefix("sandbox: "))
                yield Done(job, problem)

    def _replace(self, worker: "_Worker") -> None:
        worker.close()
        self._workers[self._workers.index(worker)] = _Worker(*self._given)

    def close(self):
        """End every worker."""
        for worker in self._workers:
            worker.close()
        self._workers = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class _Worker:
    """The handle of one worker process."""

    def __init__(self, level: str, limits: Limits):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.job: Job | None = None
        self.process = context.Process(target=_work, args=(theirs, level, limits), daemon=True)
        self.process.start()
        theirs.close()

    def take(self, job: Job) -> None:
        self.job = job
        with contextlib.suppress(OSError):  # it is gone: answer() will say so
            self.pipe.send(job)

    def answer(self) -> str:
        problem = self.pipe.recv()
        self.job = None
        return problem

    def close(self) -> None:
        self.pipe.close()
        self.process.join(3)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(pipe, level: str, limits: Limits) -> None:
    """A worker's life: a sandbox of its own, then job after job until the pipe closes."""
    from rowwise.grading.inside.wire import Lost
    from rowwise.grading.proof import proven

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run's own process decides
    sandbox = None
    try:
        while True:
            job, problem = pipe.recv(), ""
            for _ in range(ATTEMPTS):
                try:
                    sandbox = sandbox or proven(limits, level)
                    problem = _grade(job, sandbox)
                    break
                except Lost as lost:  # a submission can end the whole sandbox only where its walls are low
                    sandbox.close()
                    sandbox, problem = None, f"it ended the sandbox ({lost})"
                except RuntimeError as wrong:
                    problem = f"sandbox: {wrong}"
            pipe.send(problem)
    except (EOFError, OSError):
        return
    finally:
        if sandbox:
            sandbox.close()


def _grade(job: Job, sandbox) -> str:
    """Grade one job: "" with its result written, else the problem; "machine: " begins one that is not the submission's."""
    from rowwise.grading import unit

    try:
        files = unit.files_in(job.folder)
    except OSError as wrong:
        return f"its file {wrong.filename} cannot be read ({wrong.strerror})"
    try:
        results.write(job.result, unit.grade(files, job.release.read_bytes(), sandbox))
    except MemoryError:
        return "it is too large for this machine"
    except OSError as wrong:
        return f"machine: {wrong.strerror or wrong}: {wrong.filename or job.result}"
    return ""
