"""What streaming attention saves, beside attention that holds the whole matrix, measured in turn in one run.

python benchmarks/streaming.py            n = 16,384, d = 64, as chapter 09 states it
python benchmarks/streaming.py --n 4096   smaller, for a machine with little memory

Memory is the peak of what NumPy allocates (tracemalloc); time is the median of the rounds. The streaming function is the
solution of chapter 09, read out of the chapter. The last line is one JSON object.
"""

import argparse
import json
import statistics
import time
import tracemalloc
from pathlib import Path

import numpy as np

from rowwise import reference

CHAPTER = Path(__file__).parents[1] / "solutions" / "09-cost-and-memory" / "09-cost-and-memory.md"


def solution():
    """The function that the chapter's solution defines."""
    cell = CHAPTER.read_text(encoding="utf-8").split(":exercise: streaming_attention\n")[1].split("```")[0]
    namespace = {"np": np}
    exec(cell, namespace)
    return namespace["streaming_attention"]


def peak(function, *arguments) -> int:
    """Bytes allocated at most while the function runs, beyond what there was before."""
    tracemalloc.start()
    function(*arguments)
    bytes_at_most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return bytes_at_most


def seconds(function, *arguments) -> float:
    """Wall time of one call."""
    began = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - began


def main() -> None:
    """Measures, prints a few lines, and the JSON object last."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--n", type=int, default=16_384, help="positions")
    options.add_argument("--block", type=int, default=128, help="keys read at a time")
    options.add_argument("--rounds", type=int, default=3, help="rounds of timing, the two in turn")
    chosen = options.parse_args()
    streaming, rng = solution(), np.random.default_rng(0)
    Q, K, V = (rng.normal(size=(chosen.n, 64)) for _ in range(3))

    whole = chosen.n**2 * 8
    block_peak, whole_peak = peak(streaming, Q, K, V, chosen.block), peak(reference.attention, Q, K, V)
    print(f"one (n, n) matrix of scores:  {whole / 1e6:9.1f} MB")
    print(f"attention, peak:              {whole_peak / 1e6:9.1f} MB")
    print(f"streaming attention, peak:    {block_peak / 1e6:9.1f} MB")

    times = {"streaming": [], "whole": []}
    for _ in range(chosen.rounds):
        times["streaming"].append(seconds(streaming, Q, K, V, chosen.block))
        times["whole"].append(seconds(reference.attention, Q, K, V))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    print(f"attention {medians['whole']:.2f} s, streaming {medians['streaming']:.2f} s (medians of {chosen.rounds})")

    error = float(np.abs(streaming(Q, K, V, chosen.block) - reference.attention(Q, K, V)).max())
    result = {
        "n": chosen.n,
        "memory_ratio": round(block_peak / whole, 4),
        "memory_ratio_to_whole_attention": round(block_peak / whole_peak, 4),
        "time_ratio": round(medians["streaming"] / medians["whole"], 3),
        "max_error": error,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
