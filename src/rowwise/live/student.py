"""Draws a student's own function: calls it on copies, and says of what came back what a tutor would say.

The function takes part in one stage; the stages before it are the reference's, the stages after it follow from the
student's numbers. Nothing here raises: what goes wrong is words beside a picture that goes on living.
"""

import contextlib
import io
import linecache

import numpy as np

from rowwise import reference

STAGES = ("scores", "scaled", "masked", "weights", "output")

# The exercise's name to the stage that its function computes.
STAGE_OF = {
    "scores": "scores",
    "scaled_scores": "scaled",
    "masked_scores": "masked",
    "softmax_rows": "weights",
    "mix_values": "output",
    "attention": "output",
}
NOUNS = dict(zip(STAGES, ("scores", "scaled scores", "masked scores", "weights", "outputs"), strict=True))
TOOK = {
    "scores": "Q, K",
    "scaled_scores": "Q, K",
    "masked_scores": "S, mask",
    "softmax_rows": "S",
    "mix_values": "W, V",
    "attention": "Q, K, V, mask",
}


def exercise_of(fn, stage: str | None) -> str:
    """The exercise that fn answers: by the stage it is said to compute, else by its own name."""
    name = getattr(fn, "__name__", "")
    if stage is None and name in STAGE_OF:
        return name
    found = next((e for e, s in STAGE_OF.items() if stage in (e, s)), None)
    if found is None:
        raise ValueError(
            f"fn is called {name!r} and fn_stage is {stage!r}: expected a function named as the exercise, or "
            f"fn_stage= one of {', '.join(STAGE_OF)}."
        )
    return "attention" if name == "attention" and STAGE_OF[found] == "output" else found


def trace(fn, exercise: str, Q, K, V, mask, scale=True) -> dict:
    """{"stages": every stage as lists, None where there is no number; "words": what a tutor says}."""
    stages = reference_stages(Q, K, V, mask, scale)
    stage = STAGE_OF[exercise]
    at = STAGES.index(stage)
    S = stages["masked"]
    given = {
        "scores": (Q, K),
        "scaled_scores": (Q, K),
        "masked_scores": (stages["scaled"], mask),
        "softmax_rows": (S,),
        "mix_values": (stages["weights"], V),
        "attention": (Q, K, V, mask),
    }[exercise]
    value, words = _call(fn, exercise, given, np.shape(stages[stage]))
    for later in STAGES[at:]:
        stages[later] = None
    if value is not None:
        stages[stage] = value
        with np.errstate(all="ignore"):
            _after(stages, stage, mask, V, scale, np.shape(Q)[-1])
            if exercise == "attention":
                stages["weights"] = _weights_within(fn, Q, K, mask)
        words = words or _of_rows(exercise, stages, mask)
    return {"stages": {s: _plain(X) for s, X in stages.items()}, "words": words}


def reference_stages(Q, K, V, mask, scale) -> dict:
    """Every stage by its name, as arrays; the output is None where V is."""
    with np.errstate(all="ignore"):
        S = reference.scores(Q, K)
        Z = reference.scaled_scores(Q, K) if scale else S
        M = reference.masked_scores(Z, mask)
        W = reference.softmax_rows(M)
        out = None if V is None else reference.mix_values(W, V)
    return dict(zip(STAGES, (S, Z, M, W, out), strict=True))


def _after(stages, stage, mask, V, scale, d_k):
    """The stages that follow from the student's one."""
    steps = {
        "scaled": lambda: stages["scores"] / np.sqrt(d_k) if scale else stages["scores"],
        "masked": lambda: reference.masked_scores(stages["scaled"], mask),
        "weights": lambda: reference.softmax_rows(stages["masked"]),
        "output": lambda: None if V is None else reference.mix_values(stages["weights"], V),
    }
    for later in STAGES[STAGES.index(stage) + 1 :]:
        stages[later] = steps[later]()


def _weights_within(fn, Q, K, mask):
    """The weights that a whole attention function must have used: what it makes of the identity as its values."""
    value, words = _call(fn, "attention", (Q, K, np.eye(len(K)), mask), mask.shape)
    return value if not words else reference.weights(Q, K, mask)


def _call(fn, exercise, given, shape):
    """What fn returns for copies of the arrays, as floats of the expected shape, or None and why there is none."""
    copies = [X.copy() for X in given]
    name = getattr(fn, "__name__", exercise)
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            value = fn(*copies)
    except Exception as problem:
        return None, [_of_problem(name, problem, exercise, given)]
    if value is None:
        return None, [f"{name} returned None: either it is not written yet, or its last line lacks `return`."]
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return None, [
            f"{name} returned a {type(value).__name__}, which no matrix can be made of. "
            f"Expected an array of shape {shape}."
        ]
    if numbers.shape != tuple(shape):
        return None, [_of_shape(name, NOUNS[STAGE_OF[exercise]], numbers.shape, shape, given)]
    changed = [
        letter
        for letter, before, after in zip(TOOK[exercise].split(", "), given, copies, strict=True)
        if not np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    ]
    words = [f"{name} changed {' and '.join(changed)} itself. It was given a copy here; work on one of your own."]
    return numbers, words if changed else []


def _of_problem(name, problem, exercise, given):
    shapes = ", ".join(f"{n} {x.shape}" for n, x in zip(TOOK[exercise].split(", "), given, strict=True))
    where = ""
    step = problem.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        line = linecache.getline(file, step.tb_lineno).strip()
        if step.tb_frame.f_code.co_name == name and line:
            where = f" at `{line}`"
        step = step.tb_next
    said = str(problem).splitlines()[0] if str(problem) else "no message"
    return (
        f"{name} stopped{where} with {type(problem).__name__}: {said}. It was given {shapes}. "
        f"Which of these shapes does that line not expect?"
    )


def _of_shape(name, noun, got, expected, given):
    if got == tuple(reversed(expected)) and len(got) == 2 and got[0] != got[1]:
        n_q, n = expected
        return (
            f"Your {noun} have shape {got}: turned on their side. There are {n_q} queries, and each gets a row of its "
            f"own, so {n_q} rows of {n}. Which of the two did you transpose?"
        )
    shapes = ", ".join(str(x.shape) for x in given)
    return (
        f"{name} returned shape {got} from arrays of shape {shapes}. "
        f"Each query gets a row of its own here: {expected}. Which axis went missing, or came twice?"
    )


def _of_rows(exercise, stages, mask):
    """What the weights' rows show: not numbers, the wrong axis, sums that are not 1, or a leak."""
    W = stages["weights"]
    if exercise not in ("softmax_rows", "attention", "mix_values") or W is None:
        own = stages[STAGE_OF[exercise]]
        return _of_nan(own, "scores") if np.isnan(own).any() else []
    if exercise == "mix_values":
        return _of_nan(stages["output"], "outputs") if np.isnan(stages["output"]).any() else []
    open_rows = mask.any(axis=1)
    if np.isnan(W[open_rows]).any():
        row = int(np.flatnonzero(np.isnan(W).any(axis=1) & open_rows)[0])
        largest = np.nanmax(np.abs(np.where(mask[row], stages["masked"][row] if exercise == "softmax_rows" else 0, 0)))
        if largest > 700:
            return [
                f"Row {row + 1} is NaN. Its scores are near {largest:.0f}, and exp({largest:.0f}) is more than a float "
                "can hold. Take each row's own maximum away first: the weights stay the same."
            ]
        return _of_nan(W, "weights")
    if np.isnan(W).any():
        row = int(np.flatnonzero(np.isnan(W).any(axis=1))[0])
        return [f"Row {row + 1} is NaN: nothing is permitted in it, so its sum is 0, and 0 / 0 is no number."]
    leaks = np.argwhere((W > 1e-12) & ~mask)
    if len(leaks):
        i, j = leaks[0]
        return [
            f"Key {j + 1} is excluded for query {i + 1}, and yet it gets a weight of {W[i, j]:.3g}. "
            "What is its score when the exponential is taken?"
        ]
    sums = W.sum(axis=1)
    off = np.flatnonzero((np.abs(sums - 1) > 1e-6) & open_rows)
    if not len(off):
        return []
    row = int(off[0])
    tells = f"row {row + 1} sums to {sums[row]:.2f}."
    if np.allclose(W.sum(axis=0), 1, atol=1e-6):
        return [
            f"Each of your columns sums to 1; {tells} Every query asks its own question, so each row is a "
            "distribution over the keys. Look at the axis your sum runs along."
        ]
    if abs(W.sum() - 1) < 1e-6:
        return [
            f"All your weights together sum to 1; {tells} Every query asks its own question, so each row has a sum of "
            "its own. Look at the axis your sum runs along."
        ]
    return [f"{tells[0].upper()}{tells[1:]} What do you divide by, and is it this row's own sum?"]


def _of_nan(X, what):
    row = int(np.flatnonzero(np.isnan(X).any(axis=1))[0])
    return [f"Row {row + 1} of your {what} is NaN. Which operation makes something that is no number: 0 / 0, or ∞ − ∞?"]


def _plain(X):
    """Lists that JSON can hold: what is not finite becomes the word that JavaScript reads as that number."""
    if X is None:
        return None
    words = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return [[words.get(str(x), x) for x in row] for row in np.asarray(X, dtype=float).tolist()]
