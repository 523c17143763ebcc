"""live.head(): a real head's weights, and what editing one of its cells does, beside a control."""

import numpy as np
import traitlets

from rowwise import real_heads
from rowwise.live.scaling_figure import whole
from rowwise.live.widget import Widget, text_of


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


class Head(Widget):
    """The figure. ``head`` ("L2H1"), ``sentence``, ``query``, ``key`` and ``how`` are what is on the screen."""

    _esm = text_of("parts.js", "head_figure.js")
    _css = text_of("look.css", "parts.css", "head_figure.css")
    data = traitlets.Dict().tag(sync=True)
    head = traitlets.Unicode("L2H1").tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(0).tag(sync=True)
    key = traitlets.Int(0).tag(sync=True)
    how = traitlets.Enum(real_heads.HOWS, "zero").tag(sync=True)

    @traitlets.validate("head", "sentence", "query", "key")
    def _within(self, proposal):
        name, value = proposal.trait.name, proposal.value
        if name == "head":
            real_heads.choice("head", value, tuple(self.data["heads"]))
        elif name == "sentence":
            whole(name, value, 0, len(real_heads.SENTENCES) - 1)
        else:
            whole(name, value, 0, max(len(one["tokens"]) for one in self.data["maps"][self.head]) - 1)
        return value

    def alt(self) -> str:
        """The picture in words: the brightest key of each query, and the chosen edit."""
        layer, head = (int(part) for part in self.head[1:].split("H"))
        it = real_heads.load(layer, head, self.sentence)
        last = len(it.tokens) - 1
        query, key = min(self.query, last), min(self.key, last)
        brightest = zip(it.tokens, it.weights.argmax(axis=-1), it.weights.max(axis=-1), strict=True)
        rows = ", ".join(
            f"{token} → {it.tokens[brightest_key]} {weight:.2f}" for token, brightest_key, weight in brightest
        )
        how = self.how if it.donor or self.how != "swap" else "zero"
        moved = [it.measured(query, key, how, scope) for scope in ("head", "layer")]
        return (
            f"Layer {layer}, head {head} (counted from 0) of {real_heads.MODEL} on “{it.sentence}”. "
            f"The brightest key of each query: {rows}. "
            f"Edit “{how}” of {it.tokens[query]} → {it.tokens[key]}: the head's row moves by {moved[0]:.3g} "
            f"of its length, the layer's row by {moved[1]:.3g}."
        )


def head(
    layer: int = 2,
    head: int = 1,
    sentence: int | str = 0,
    query: int | str | None = None,
    key: int | str | None = None,
    how="zero",
):
    """A real head as a map of weights, a map of weight × value norm, and what editing one cell does.

    layer, head: one of layer 2 head 1, layer 0 head 2, layer 0 head 10, counted from 0. sentence: its number or text.
    query, key: the cell where the figure starts, as word pieces or positions from 0; by default the brightest cell
    between two words. how: "zero", "mean", "swap" or "mask". Raises ValueError for anything else.
    """
    it = real_heads.load(layer, head, sentence)
    real_heads.choice("how", how, real_heads.HOWS)
    if how == "swap" and it.donor is None:
        raise ValueError(f"no sentence of the same length to swap a value from, for {it.sentence!r}")
    words = np.array([real_heads.kind(token) == "word" for token in it.tokens])
    brightest = np.unravel_index(np.argmax(np.where(np.outer(words, words), it.weights, -1)), it.weights.shape)
    cell = [int(b) if given is None else it.index(given) for given, b in zip((query, key), brightest, strict=True)]
    where = real_heads.SENTENCES.index(it.sentence)
    return Head(data=data(), head=f"L{layer}H{head}", sentence=where, query=cell[0], key=cell[1], how=how)
