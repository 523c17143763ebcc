"""Workers: processes that take one submission at a time. One that dies is replaced, and its submission tried once more."""

import contextlib
import json
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
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
                if left and worker.ready and not worker.job:
                    worker.take(left.popleft())
            for pipe in wait([worker.pipe for worker in self._workers if worker.job or not worker.ready]):
                worker = next(each for each in self._workers if each.pipe is pipe)
                job = worker.job
                try:
                    problem = worker.answer()
                except (EOFError, OSError):
                    if not job:
                        raise RuntimeError("A worker ended before it began. See rowwise doctor.") from None
                    self._replace(worker)  # killed, perhaps by what it graded
                    tries[job.student] = tries.get(job.student, 0) + 1
                    if tries[job.student] < ATTEMPTS:
                        left.append(job)
                        continue
                    problem = "the worker that graded it was killed twice"
                if problem.startswith("sandbox: "):
                    raise RuntimeError(problem.removeprefix("sandbox: "))
                if job:
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
    """The handle of one worker: a program of its own, which says when its sandbox stands."""

    def __init__(self, level: str, limits: Limits):
        self.pipe, theirs = Pipe()
        self.job: Job | None = None
        self.ready = False
        words = ["-P", "-m", "rowwise.grading.workers", str(theirs.fileno()), level, json.dumps(limits.as_dict())]
        self._process = subprocess.Popen([sys.executable, *words], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()

    def take(self, job: Job) -> None:
        self.job = job
        with contextlib.suppress(OSError):  # it is gone: answer() will say so
            self.pipe.send(job)

    def answer(self) -> str:
        """The problem of its job, or of its start; "" where there is none."""
        problem = self.pipe.recv()
        self.job, self.ready = None, True
        return problem

    def close(self) -> None:
        self.pipe.close()
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def work(pipe: Connection, level: str, limits: Limits) -> None:
    """A worker's life: a sandbox of its own, then job after job until the pipe closes."""
    from rowwise.grading.inside.wire import Lost
    from rowwise.grading.proof import proven

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run's own process decides
    sandbox = None
    try:
        try:
            sandbox = proven(limits, level)
        except (RuntimeError, OSError) as wrong:
            pipe.send(f"sandbox: {wrong}")
            return
        pipe.send("")
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
        results.write(job.result, unit.grade(files, job.release.read_bytes(), sandbox, student=job.student))
    except MemoryError:
        return "it is too large for this machine"
    except OSError as wrong:
        return f"machine: {wrong.strerror or wrong}: {wrong.filename or job.result}"
    return ""


if __name__ == "__main__":
    work(Connection(int(sys.argv[1])), sys.argv[2], Limits(**json.loads(sys.argv[3])))
