"""live.head(): a real head's weights, and what editing one of its cells does, beside a control."""

import numpy as np

from rowwise import real_heads


def data() -> dict:
    """What the figure draws, as plain lists: for each head and sentence its tokens, weights, values and effects.

    Values are given to six digits and effects to three, so that the page stays small.
    """
    maps = {
        f"L{layer}H{head}": [one(layer, head, i) for i in range(len(real_heads.SENTENCES))]
        for layer, head in real_heads.HEADS
    }
    return {"heads": list(maps), "sentences": list(real_heads.SENTENCES), "maps": maps}


def one(layer: int, head: int, sentence: int) -> dict:
    """One head on one sentence."""
    it = real_heads.load(layer, head, sentence)
    donor = None if it.donor is None else rounded(real_heads.load(layer, head, it.donor).V, 6)
    hows = [how for how in real_heads.HOWS if how != "swap" or donor is not None]
    # The head's own scope is computed in the picture; what needs the whole model comes along, scope by scope.
    effects = {how: rounded(np.moveaxis(it.effects[real_heads.HOWS.index(how), ..., 1:], -1, 0), 3) for how in hows}
    return {
        "tokens": list(it.tokens),
        "P": rounded(it.weights, 6),
        "V": rounded(it.V, 6),
        "donor": donor,
        "effects": effects,
    }


def rounded(array: np.ndarray, digits: int) -> list:
    """The array as nested lists of numbers with so many significant digits."""
    if array.ndim > 1:
        return [rounded(part, digits) for part in array]
    return [float(f"{x:.{digits}g}") for x in array]
