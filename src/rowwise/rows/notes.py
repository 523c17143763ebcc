"""What a tutor would say about each step of a marked row: what it shows, what that points at, what to look at."""

import numpy as np

from rowwise.rows.task import STEPS, Task

# slug -> what was found, or step -> what was found where it looks different from line to line.
NOTES = {
    "transposed-scores": "These are q with the columns of K. A key is a row of K: multiply q with each row, number "
    "by number, and add.",
    "queries-with-queries": "Each of these numbers pairs a vector with itself. A score pairs the query with a key: "
    "change a key in your mind, and see whether the number would move as it should.",
    "cosine-not-dot": "A vector's length has been divided out: these are (parts of) cosines. In q·k the length counts. "
    "Double a key, and its score must double.",
    "elementwise-not-dot": "A dot product multiplies number by number and then adds the products, so each key gives "
    "one number. Here one of the two, the multiplying or the adding, has gone missing.",
    "values-in-scores": "These are the query with the values. Scores compare the query with the keys; the values wait "
    "until there are weights.",
    "no-scaling": {
        "scaled": "These are the scores as they were. Divide them by √d_k, where d_k is how many numbers a key has.",
        "": "This follows from the scores before they were divided by √d_k. Start from the scaled scores.",
    },
    "scaled-by-width": {
        "scaled": "Each score has been divided by d_k. The divisor is its square root.",
        "": "This follows from scores divided by d_k. The divisor is √d_k.",
    },
    "scaled-wrong-way": {
        "scaled": "These have grown: the scores have been multiplied by √d_k. Divide by it.",
        "": "This follows from scores multiplied by √d_k. Divide by it.",
    },
    "scaled-by-wrong-size": {
        "scaled": "One divisor for all is right, but it is another than √d_k. Count the numbers in one key: not the "
        "keys, and not the numbers in a value.",
        "": "This follows from scores with another divisor than √d_k. Count the numbers in one key.",
    },
    "scaled-output": "The divisor has been put on the output. It belongs on the scores, before the softmax: there it "
    "changes the weights, here it only shrinks the result.",
    "no-exponential": {
        "exponentials": "These are still the scores. Put each of them through e^x first.",
        "": "The scores have been shared out as they are, without e^x. Try it with a negative score: a weight would be "
        "negative, too.",
    },
    "wrong-base-or-temperature": {
        "exponentials": "These are powers of another number than e, or of scores with an extra factor: as if "
        "every score had been multiplied by {factor}.",
        "": "The weights sum to 1, but they are {flatter} than the softmax of these scores: as if every score had "
        "been multiplied by {factor}. Look at the base of your exponentials, and at the divisor.",
    },
    "not-normalised": "The exponentials are there, but they have not been divided by their sum: these weights sum to "
    "{sum}, and a row of weights sums to 1.",
    "log-weights": "These are the logarithms of the weights: nothing here is positive. A weight lies between 0 and 1.",
    "softmax-twice": "The weights have been through softmax a second time: they are nearly equal. Once is enough.",
    "argmax": "Everything goes to the largest score. Softmax gives each permitted key a share: work out e^x for every "
    "one of them.",
    "keys-as-values": "The keys have been weighted and mixed. Keys decide how much; what is mixed is the values.",
    "transposed-mix": "The weights have met the columns of V. Each weight multiplies one whole value, a row of V.",
    "mean-of-values": "Every value counts the same here. Each one counts by its own weight.",
    "weights-not-summed": "These are the products, one row a key. The output adds them up over the keys.",
    "mask-after-softmax": "The excluded key has no weight, but the others still have what they had with it present: "
    "they sum to {sum}. Exclude the key before the softmax, and the others share the whole.",
    "mask-zeroes-scores": {
        "masked": "The excluded score has become 0, which is a score like any other: e^0 is 1. Which score gives a "
        "weight of exactly nothing?",
        "": "The excluded key still has a share: its score was set to 0, and e^0 is 1.",
    },
    "mask-too-weak": "The excluded score is low, but finite: the key keeps a little weight, and more of it as the "
    "other scores fall. Only one score gives exactly nothing.",
    "mask-added": "The mask has been added as a number, so that permitted scores grew by 1. It only says which scores "
    "stay.",
    "mask-inverted": "The permitted keys have been excluded, and the excluded kept. True means: may attend.",
    "mask-ignored": {
        "masked": "The excluded key still has its score. True in the mask means: may attend.",
        "": "The excluded key still has a share in this line. The mask comes before the softmax.",
    },
    "nothing-permitted-uniform": "No key is permitted in this row, yet each has a weight. In this course such a row's "
    "weights are all 0.",
    "wrong-shape": "",
    "wrong-type": "",
}

NAMES = {step: step for step in STEPS} | {"scaled": "scaled scores", "masked": "masked scores"}

LOOK = {
    "scores": "Take q and that key side by side: multiply number by number, keep the signs, and add.",
    "scaled": "Divide each score by √d_k, with its sign.",
    "masked": "Permitted scores stay as they are; look at the mask, place by place.",
    "exponentials": "Work out e^x for each scaled score, or e^(x − the largest), the same way for all.",
    "weights": "Add up the exponentials, then divide each by that one sum.",
    "products": "Multiply each weight with every number of its own value.",
    "output": "Add the products of one column, over all keys; each number of the output lies between the smallest and "
    "the largest of that column of V.",
}


def tell(task: Task, verdict) -> str:
    """The message of one step."""
    read = f"Read as {verdict.line.shown}. " if verdict.line.shown else ""
    return read + _what(task, verdict)


def _what(task: Task, verdict) -> str:
    if verdict.line.blank:
        return "Left empty, so no points; the next line is judged from the last one filled in."
    if verdict.right:
        if verdict.carried:
            return "This follows from your own earlier line, so the method is right and keeps its points."
        return "Agrees."
    if verdict.line.partial:
        return _so_far(task, verdict)
    said = NOTES.get(verdict.slug, "")
    if isinstance(said, dict):
        copied = verdict.slug == "no-exponential" and verdict.line.box and abs(verdict.line.middle.sum() - 1) > 0.01
        said = said["exponentials"] if copied else said.get(verdict.step, said[""])
    if verdict.line.problem:
        return f"{verdict.line.problem} {said}".strip()
    said = said.format(**_figures(verdict)) or _differs(task, verdict)
    if verdict.slug == "scaled-by-wrong-size" and verdict.factor:
        said = f"Each score has been divided by {1 / verdict.factor:.4g}. " + said
    if verdict.refused:
        said += (
            f" Your {NAMES[verdict.refused]} are all equal, all 0 or copied from the question, which leaves this step "
            "nothing to do: so it is held against the exact row alone."
        )
    return said


def _figures(verdict) -> dict:
    """The student's own figures that a note may quote."""
    numbers = verdict.line.middle
    total = f"{numbers[np.isfinite(numbers)].sum():.4g}".replace("-", "−")
    factor = verdict.factor or 1.0
    flatter = "flatter" if abs(factor) < 1 else "sharper"
    return {"sum": total, "factor": f"{factor:.3g}".replace("-", "−"), "flatter": flatter}


def _differs(task: Task, verdict) -> str:
    step, agrees = verdict.step, verdict.agrees
    if verdict.near:
        return (
            "This agrees but for its last digit. Carry one digit more until the end, then round to the nearest; do "
            "not cut off."
        )
    if step in STEPS[3:] and np.isneginf(verdict.line.middle).any():
        return "−∞ belongs to the score of an excluded key. What does e^(−∞) leave of it?"
    said = ""
    if agrees is not None and agrees.any():
        good = _places(task, step, agrees)
        bad = _places(task, step, ~agrees)
        said = f"{good[0].upper()}{good[1:]} agree{'s' if agrees.sum() == 1 else ''}; look again at {bad}. "
    elif step == "weights":
        total = verdict.line.middle.sum()
        if abs(total - 1) > 0.01:
            said = f"These weights sum to {total:.4g}; a row of weights sums to 1. "
    return said + LOOK[step]


def _so_far(task: Task, verdict) -> str:
    """What is to be said of a line with places still empty."""
    empty = np.isnan(verdict.line.middle)
    said = []
    for chosen, words in (
        (verdict.agrees, "agree"),
        (~verdict.agrees & ~empty, "look again at"),
        (empty, "empty"),
    ):
        if chosen.any():
            names, one = _places(task, verdict.step, chosen), chosen.sum() == 1
            if words == "look again at":
                said.append(f"Look again at {names}.")
            else:
                verb = f"agree{'s' if one else ''}" if words == "agree" else f"{'is' if one else 'are'} still empty"
                said.append(f"{names[0].upper()}{names[1:]} {verb}.")
    return " ".join(said)


def _places(task: Task, step: str, chosen: np.ndarray) -> str:
    if step == "output":
        names = [f"number {i + 1}" for i in np.flatnonzero(chosen)]
    elif step == "products":
        names = [
            f"number {j + 1} of key {i + 1}" if task.V.shape[1] > 1 else f"key {i + 1}" for i, j in np.argwhere(chosen)
        ]
    else:
        names = [f"key {i + 1}" for i in np.flatnonzero(chosen)]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def summary(verdicts) -> str:
    """One or two sentences about the whole row."""
    right = [v.step for v in verdicts if v.right]
    blank = [v.step for v in verdicts if v.line.blank or v.line.partial]
    lost = [v.step for v in verdicts if not v.right and v.step not in blank]
    begun = any(v.line.partial for v in verdicts)
    if not right and not lost and not begun:
        return "Nothing is filled in yet. Put your numbers in the places of None, then run this cell again."
    if not lost and not blank:
        return "Every step agrees." if len(right) > 1 else "Agrees, number by number."
    right, lost, blank = ([NAMES[step] for step in steps] for steps in (right, lost, blank))
    parts = []
    if right:
        parts.append(f"Right so far: {', '.join(right)}.")
    if lost:
        parts.append(f"Look at {lost[0]} first." if len(lost) > 1 else f"Look at {lost[0]}.")
    if blank:
        parts.append(f"Not filled in yet: {', '.join(blank)}.")
    return " ".join(parts)
