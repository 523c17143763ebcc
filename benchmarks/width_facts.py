"""The facts of chapter 02 about the width d_k, from 20,000 rows of four keys by NumPy's own generator.

    python benchmarks/width_facts.py

Prints a table for each width, without and with the division by √d_k: variance of the scores, the largest weight of the
median row (and the share of rows where it is above 0.9), and the size ‖diag(p) − p pᵀ‖ of the median row's Jacobian.
The last line is one JSON object.
"""

import json

import numpy as np

from rowwise import reference
from rowwise.live.scaling_figure import jacobian

ROWS, KEYS = 20_000, 4


def draw(rng, d_k, mean=0.0, block=2000):
    """q·k of ROWS queries with four keys each, in blocks so that memory stays small; shape (ROWS, 4)."""
    parts = []
    for _ in range(ROWS // block):
        Q, K = rng.normal(mean, 1, (block, 1, d_k)), rng.normal(mean, 1, (block, KEYS, d_k))
        parts.append(reference.scores(Q, K)[:, 0])
    return np.concatenate(parts)


def facts(scores):
    """What the chapter quotes of one matrix of scores."""
    p = reference.softmax_rows(scores)
    largest = p.max(axis=-1)
    return {
        "variance": float(scores.var()),
        "largest_weight_median": float(np.median(largest)),
        "largest_weight_mean": float(largest.mean()),
        "share_above_0.9": float((largest > 0.9).mean()),
        "jacobian_median": float(np.median(np.linalg.norm(jacobian(p), axis=(-2, -1)))),
    }


def main():
    rng = np.random.default_rng(0)
    found = {}
    print(f"{'d_k':>5} {'':8} {'variance':>9} {'largest':>8} {'mean':>6} {'> 0.9':>6} {'jacobian':>9}")
    for d_k in [2**i for i in range(11)]:
        scores = draw(rng, d_k)
        for name, S in (("plain", scores), ("scaled", scores / np.sqrt(d_k))):
            one = found[f"{name}_{d_k}"] = facts(S)
            numbers = "{:9.2f} {:8.4f} {:6.3f} {:6.2f} {:9.2g}".format(*one.values())
            print(f"{d_k:5} {name:8} {numbers}")
    for d_k in (1, 64, 1024):
        found[f"mean_one_variance_over_d_k_{d_k}"] = float(draw(rng, d_k, mean=1.0).var() / d_k)
        print(f"components of mean 1, d_k = {d_k}: variance / d_k = {found[f'mean_one_variance_over_d_k_{d_k}']:.2f}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
