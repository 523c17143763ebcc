"""What the failure of a special case is called when every ordinary case is right, and numbers found in answers."""

import numpy as np

from rowwise import reference
from rowwise.exercises.explain import Seen, Slip
from rowwise.exercises.slips import slip
from rowwise.exercises.slips_masks import however_guarded, penalty


def integer(tagged: list[Seen], failing: list[Seen]) -> Slip | None:
    """Fractions lost, or −inf refused, by an array of integers."""
    raised = [seen.answer.error for seen in tagged if seen.raised]
    if all("int" in error or "cast" in error for error in raised):
        return Slip("integer-truncation")
    return None


def extreme(tagged: list[Seen], failing: list[Seen]) -> Slip:
    """Only rows far below the others broken: one maximum for all; else the exponential left its range."""
    whole = [seen for seen in tagged if seen.shaped and seen.value.ndim == 2]
    if whole and all(_holds_in_the_largest_row(seen) for seen in whole):
        return Slip("global-maximum")
    return Slip("overflow")


def _holds_in_the_largest_row(seen: Seen) -> bool:
    # Softmaxes only: their input is what the largest row is found in.
    if len(seen.args) > 1:
        return False
    row = int(np.argmax(seen.args[0].max(axis=-1)))
    return bool(np.allclose(seen.value[row], seen.right[row], rtol=1e-3, atol=1e-5))


def extreme_streaming(tagged: list[Seen], failing: list[Seen]) -> Slip:
    """Only scores far below 0 broken: a maximum that starts at 0; else the exponential left its range."""
    below = all("-800" in seen.trial.case.name for seen in tagged)
    return Slip("running-maximum-from-zero") if below else Slip("overflow")


def last_block(tagged: list[Seen], failing: list[Seen]) -> Slip | None:
    """Only a shorter last block broken: the keys of the full blocks, and no others, have played a part."""
    for seen in tagged:
        Q, K, V, block = seen.args
        full = len(K) - len(K) % block
        if full and not (seen.shaped and seen.same(reference.attention(Q, K[:full], V[:full]))):
            return None
    return Slip("last-block-lost")


def dominates(tagged: list[Seen], failing: list[Seen]) -> Slip:
    """An excluded score far above the permitted ones: has it kept weight, or taken theirs away?"""
    leaks = [seen for seen in tagged if seen.shaped and _weight_on_excluded(seen)]
    return Slip("mask-too-weak") if leaks else Slip("mask-then-renormalise")


def _weight_on_excluded(seen: Seen) -> bool:
    W, mask = seen.value, seen.args[-1]
    return W.shape == mask.shape and bool((np.nan_to_num(W)[~mask] > 1e-6).any())


def weak(tagged: list[Seen], failing: list[Seen]) -> Slip | None:
    """Permitted scores far below zero: a penalty of finite size is no longer the lowest."""
    others = frozenset().union(*(seen.trial.tags for seen in failing))
    return None if others & {"extreme", "dominates"} else Slip("mask-too-weak")


def empty(tagged: list[Seen], failing: list[Seen]) -> Slip | None:
    """A row that permits nothing: NaN, or weight on excluded keys."""
    if not all(seen.shaped for seen in tagged):
        return None
    if any(np.isnan(seen.value).any() for seen in tagged):
        return Slip("nothing-permitted-nan")
    if any("weak" in seen.trial.tags for seen in failing):
        return None  # a penalty of finite size says it already
    return Slip("nothing-permitted-uniform") if all(map(_rows_sum_to_one, tagged)) else None


def _rows_sum_to_one(seen: Seen) -> bool:
    if "identity" not in seen.trial.tags:
        return True
    return bool(np.allclose(seen.value.sum(axis=-1), 1, atol=1e-4))


ATTENTION = {"integer": integer, "extreme": extreme, "dominates": dominates, "weak": weak, "empty": empty}


# ---- numbers that a mistake has in it, found from an answer


def fixed_divisor(all_seen: list[Seen]) -> tuple[Slip, ...]:
    """A fixed divisor, from the first answer that is a multiple of the scores."""
    for seen in _tellers(all_seen):
        S = reference.scores(*seen.args[:2]).astype(float)
        c = float((S * seen.value).sum() / (S * S).sum())
        if np.isfinite(c) and c > 1e-6:
            return (_fixed(1 / c),)
    return ()


def _fixed(divisor: float) -> Slip:
    note = f"the same number everywhere, about {divisor:.3g}"
    return slip("scaled-by-wrong-size", note, scale=lambda S, sizes: S / divisor)


def _tellers(all_seen: list[Seen], tag: str = ""):
    return [
        seen
        for seen in all_seen
        if seen.shaped and not seen.fits and np.isfinite(seen.value).all() and (not tag or tag in seen.trial.tags)
    ]


def temperature(W, S) -> float | None:
    """The factor t with W = softmax(t·S), from the cell pairs within rows; None where there is none."""
    if W.shape != S.shape or (W <= 0).any() or W.shape[-1] < 2:
        return None
    logs, scores = np.log(W), S - S.mean(axis=-1, keepdims=True)
    t = float((scores * (logs - logs.mean(axis=-1, keepdims=True))).sum() / (scores**2).sum())
    return t if np.isfinite(t) and abs(t) > 1e-3 else None


def softmax_temperature(all_seen: list[Seen]) -> tuple[Slip, ...]:
    """A factor on the scores before the exponential."""
    for seen in _tellers(all_seen):
        t = temperature(seen.value.astype(float), np.asarray(seen.args[0], dtype=float))
        if t is not None:
            return _heated(t)
    return ()


def _heated(t: float) -> tuple[Slip, ...]:
    def power(S):
        return np.exp(t * S)

    name, note = "wrong-base-or-temperature", f"{t:.3g}"
    return (slip(name, note, power=power), slip(name, note, power=power, shift=lambda S: 0.0))


def attention_numbers(inside):
    """A fixed divisor and a finite penalty; ``inside`` makes Q and K of a case's inputs."""

    def guesses(all_seen: list[Seen]) -> tuple[Slip, ...]:
        found: list[Slip] = []
        for seen in _tellers(all_seen, "identity"):
            S = reference.scores(*inside(*seen.args)).astype(float)
            masks = [a for a in seen.args if isinstance(a, np.ndarray) and a.dtype.kind == "b"]
            t = None if masks else temperature(seen.value.astype(float), S)
            if t is not None and t > 0:
                found.append(_fixed(1 / t))
            elif masks and masks[0].any(axis=-1).all():
                d_k = np.shape(inside(*seen.args)[1])[-1]
                found += however_guarded(_penalties(seen.value.astype(float), S / np.sqrt(d_k), masks[0]))
            if found:
                return tuple(found)
        return ()

    return guesses


def _penalties(W, S, mask):
    """The two penalties that would give the first excluded cell its weight: put there, or added."""
    row, column = (int(i) for i in np.argwhere(~mask)[0])
    beside = int(np.flatnonzero(mask[row])[0])
    if not (W[row, column] > 0 and W[row, beside] > 0):
        return ()
    c = float(np.log(W[row, column] / W[row, beside]) + S[row, beside])
    return (*penalty(c, f"{c:.3g}")[:1], *penalty(c - S[row, column], f"{c - S[row, column]:.3g}")[1:2])


def masked_penalty(all_seen: list[Seen]) -> tuple[Slip, ...]:
    """A finite number where −∞ belongs: the same everywhere, or added to the score."""
    for seen in _tellers(all_seen):
        S, mask = seen.args
        if not mask.all():
            c = float(seen.value[~mask][0])
            added = c - float(S[~mask][0])
            if c < 0 or added < 0:
                return (*penalty(c, f"{c:.3g}")[:1], *penalty(added, f"{added:.3g}")[1:2])
    return ()
