"""Finds good numbers for a row: ``python -m rowwise.rows --asks scores,scaled --n-k 3``.

Prints rows, as the text of a Task, in which no mistake looks right or like another, and their right lines.
"""

import argparse

import numpy as np

from rowwise.rows.draw import WHOLE, draw
from rowwise.rows.exercise import rounded_line
from rowwise.rows.task import Task


def main(arguments=None) -> None:
    """Print ``--count`` rows from ``--seed`` on; exits with a sentence where these sizes hide a mistake."""
    parser = argparse.ArgumentParser(prog="python -m rowwise.rows", description="Find good numbers for a row.")
    parser.add_argument("--asks", default=",".join(WHOLE), help="the steps to fill in, with commas between")
    parser.add_argument("--n-k", type=int, default=3, help="keys")
    parser.add_argument("--d-k", type=int, default=4, help="numbers in a key")
    parser.add_argument("--d-v", type=int, default=2, help="numbers in a value")
    parser.add_argument("--masked", action="store_true", help="exclude a key")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=3)
    chosen = parser.parse_args(arguments)
    sizes = {"n_k": chosen.n_k, "d_k": chosen.d_k, "d_v": chosen.d_v, "masked": chosen.masked}
    for seed in range(chosen.seed, chosen.seed + chosen.count):
        try:
            task = draw(seed, tuple(chosen.asks.split(",")), **sizes)
        except ValueError as problem:
            parser.exit(1, f"{problem}\n")
        print(f"row {seed}: {source(task)}")
        for step in task.asks:
            print(f"    {step}: {rounded_line(task, step)}")


def source(task: Task) -> str:
    """The row as Python text."""
    parts = []
    for name in ("q", "K", "scores", "scaled", "weights", "V", "mask"):
        numbers = getattr(task, name)
        if numbers is not None:
            parts.append(f"{name}={_plain(numbers)}")
    return f"Task({', '.join(parts)}, asks={task.asks})"


def _plain(numbers: np.ndarray):
    if numbers.dtype != bool and np.array_equal(numbers, np.round(numbers)):
        numbers = numbers.astype(int)
    return numbers.tolist()


if __name__ == "__main__":
    main()
