"""live.attention() for arrays with a batch axis, a head axis or both: the same picture for the chosen item."""

import math

import numpy as np
import traitlets

from rowwise.live import arrays, figure
from rowwise.live.widget import Widget, text_of

AXES = {3: ("head",), 4: ("batch item", "head")}
MOST_ITEMS = 8  # along an axis


def module() -> str:
    """The figure's own module, with the choice of an item in the place of its last line."""
    parts = text_of(*(f"figure{part}.js" for part in figure.PARTS))
    whole, last, rest = parts.rpartition("export default")
    assert last and rest.count("\n") <= 1, "figure.js ends with what it exports"
    return whole + text_of("batch.js")


class Batch(Widget):
    """The figure. `chosen` counts the items in the order of the arrays; `Q`, `K`, `V` and `mask` keep their axes."""

    _esm = module()
    _css = text_of("look.css", "figure.css", "batch.css")
    states = traitlets.List().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    prediction = traitlets.Unicode("").tag(sync=True)

    def __init__(self, states: list, options: dict):
        """states: of each item Q, K, V, mask (lists) and scale; options: what the JavaScript needs to know once."""
        super().__init__(states=states, options=options)
        if predict := options["predict"]:
            self.prediction = figure.recall(predict["key"])
            self.observe(lambda change: figure.keep(predict["key"], change["new"]), "prediction")

    @traitlets.validate("chosen")
    def _there(self, proposal):
        if not 0 <= proposal.value < len(self.states):
            raise ValueError(f"chosen is {proposal.value}: expected an item from 0 to {len(self.states) - 1}.")
        return proposal.value

    def _all(self, name: str, dtype=float) -> np.ndarray:
        sizes = [size for _, size in self.options["axes"]]
        stacked = np.array([state[name] for state in self.states], dtype=dtype)
        return stacked.reshape(*sizes, *stacked.shape[1:])

    @property
    def Q(self) -> np.ndarray:
        """Queries (…, n_q, d_k), a copy of what is on the screen."""
        return self._all("Q")

    @property
    def K(self) -> np.ndarray:
        """Keys (…, n_k, d_k)."""
        return self._all("K")

    @property
    def V(self) -> np.ndarray | None:
        """Values (…, n_k, d_v), or None where the figure was given none."""
        return None if self.states[0]["V"] is None else self._all("V")

    @property
    def mask(self) -> np.ndarray:
        """(…, n_q, n_k) booleans, True = may attend."""
        return self._all("mask", bool)

    def alt(self) -> str:
        """The picture of the chosen item in words."""
        axes = self.options["axes"]
        where = np.unravel_index(self.chosen, [size for _, size in axes])
        named = ", ".join(f"{name} {i}" for (name, _), i in zip(axes, where, strict=True))
        said = figure.in_words(self.states[self.chosen], self.options, self.prediction)
        return f"{len(self.states)} items, drawn is {named}, counted from 0. {said}"


def attention(Q, K, V, mask, stages: tuple, scale: bool, predict: dict | None) -> Batch:
    """The figure for Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v) or None, with one or two axes in front.

    mask is (n_q, n_k), for every item the same, or has the axes in front as well; True = may attend. The other
    arguments are those of live.attention, already looked through. Raises ValueError naming the array and its shape.
    """
    Q, K, V = (None if X is None else np.asarray(X) for X in (Q, K, V))
    front = Q.shape[:-2]
    for name, X in (("K", K), ("V", V)):
        if X is not None and X.shape[:-2] != front:
            raise ValueError(f"{name} has shape {X.shape}: expected the axes {front} in front, as Q has them.")
    if not front or 0 in front or max(front) > MOST_ITEMS:
        raise ValueError(f"Q has shape {Q.shape}: expected from 1 to {MOST_ITEMS} items along each axis in front.")
    count = math.prod(front)
    masks = np.asarray(True if mask is None else mask)
    try:
        masks = np.broadcast_to(masks, (*front, Q.shape[-2], K.shape[-2]))
    except ValueError:
        raise ValueError(
            f"mask has shape {masks.shape}: expected {(Q.shape[-2], K.shape[-2])}, or the same with {front} in front."
        ) from None
    flat = [[None] * count if X is None else X.reshape(count, *X.shape[-2:]) for X in (Q, K, V, masks)]
    states = []
    for item in zip(*flat, strict=True):
        checked = zip(("Q", "K", "V", "mask"), arrays.check(*item), strict=True)
        states.append({name: None if X is None else X.tolist() for name, X in checked} | {"scale": scale})
    options = {
        "stages": list(stages),
        "axes": [list(pair) for pair in zip(AXES[Q.ndim], front, strict=True)],
        "initials": states,
        "fn": None,
        "allow_difference": False,
        "predict": predict,
    }
    return Batch(states, options)
