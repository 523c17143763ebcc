"""How many wrong implementations are refused, how many of their mistakes are named, how many right ones pass.

    python benchmarks/mistakes.py

Runs the collection in tests/wrong (one mistake each) through the checks; prints what was missed, the CPU time of a
check of right code beside that of its cases, and as its last line one JSON object.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

from rowwise import exercises, reference
from rowwise.probe import probe

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import wrong

ROUNDS = 60


def marked(written):
    exercise = exercises.ALL[written.exercise]
    return exercise.judge(probe(exercise.cases(), written.function))


def count():
    """Counts of wrong, refused, named, right, passed; what was missed is printed."""
    refused = named = passed = 0
    for written in wrong.singles():
        mark = marked(written)
        refused += float(mark) < mark.points
        named += mark.mistakes == written.mistakes
        if mark.mistakes != written.mistakes:
            print(f"  {written.name}: named {', '.join(mark.mistakes) or 'nothing'}")
    for written in wrong.rights():
        mark = marked(written)
        passed += float(mark) == mark.points and not mark.mistakes
        if mark.mistakes:
            print(f"  {written.name}: refused, {', '.join(mark.mistakes)}")
    wrongs, rights = len(wrong.singles()), len(wrong.rights())
    return {"wrong": wrongs, "refused": refused, "named": named, "right": rights, "passed": passed}


def cpu_of(call) -> float:
    start = time.process_time_ns()
    call()
    return (time.process_time_ns() - start) / 1e6


def speed():
    """Prints, for each function, the CPU of a check of right code beside making its cases and computing them.

    Measured in turn, medians. A check has a fixed part, about 0.2 ms: putting back random states, output and the rest.
    """
    total = np.zeros(3)
    for name, exercise in exercises.ALL.items():
        if exercise.kind == "function" and hasattr(reference, name):
            times = timed(exercise, getattr(reference, name))
            made, computed, checked = times
            total += times
            print(
                f"{name:22} cases made {made:6.2f} ms, computed {computed:6.2f} ms; "
                f"checked {checked:6.2f} ms: {checked / (made + computed):5.2f} times both"
            )
    made, computed, checked = total
    print(
        f"all together: a check of right code takes {checked / (made + computed):.2f} times as long as making its cases "
        f"and computing them with the reference, {checked / computed:.2f} times as long as computing them"
    )


def timed(exercise, right) -> np.ndarray:
    """Milliseconds of CPU: making the cases, computing them with the reference, checking the reference."""

    def compute():
        with np.errstate(all="ignore"):
            for case in exercise.cases():
                right(*case.args)

    def check():
        exercise.judge(probe(exercise.cases(), right))

    calls = (exercise.draw, compute, check)
    for call in calls:
        call()
    return np.median([[cpu_of(call) for call in calls] for _ in range(ROUNDS)], axis=0)


def main():
    counts = count()
    speed()
    share = {
        "refused": counts["refused"] / counts["wrong"],
        "named": counts["named"] / counts["wrong"],
        "passed": counts["passed"] / counts["right"],
    }
    print(", ".join(f"{name} {value:.1%}" for name, value in share.items()))
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
