"""live.attention(): the whole of attention in one picture that moves."""

import numpy as np
import traitlets

from rowwise import reference
from rowwise.live import arrays
from rowwise.live.widget import Widget, text_of

STAGES = ("scores", "scaled", "masked", "weights", "output")
MODULE = ("figure-math.js", "figure-words.js", "figure-picture.js", "figure-save.js", "figure.js", "figure-end.js")


class Attention(Widget):
    """The figure. Q, K, V and mask are NumPy arrays of what is on the screen; setting one moves the picture."""

    _esm = text_of(*MODULE)
    _css = text_of("look.css", "figure.css")
    options = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    trace = traitlets.Dict().tag(sync=True)
    prediction = traitlets.Unicode("").tag(sync=True)

    def __init__(self, state: dict, options: dict):
        super().__init__(state=state, options=options)

    @property
    def Q(self):
        """Queries (n_q, d_k)."""
        return np.array(self.state["Q"])

    @property
    def K(self):
        """Keys (n_k, d_k)."""
        return np.array(self.state["K"])

    @property
    def V(self):
        """Values (n_k, d_v), or None where the figure was given none."""
        return None if self.state["V"] is None else np.array(self.state["V"])

    @property
    def mask(self):
        """(n_q, n_k) booleans, True = may attend."""
        return np.array(self.state["mask"])

    def alt(self) -> str:
        """The picture in words, row by row."""
        W = reference.weights(self.Q, self.K, self.mask)
        n_q, n_k = W.shape
        return f"Scaled dot-product attention, {n_q} queries and {n_k} keys."


def attention(Q, K, V=None, mask=None, stages=STAGES, *, scale=True):
    """The live figure."""
    Q, K, V, mask = arrays.check(Q, K, V, mask)
    state = {
        "Q": Q.tolist(),
        "K": K.tolist(),
        "V": None if V is None else V.tolist(),
        "mask": mask.tolist(),
        "scale": scale,
    }
    return Attention(
        state, {"stages": list(stages), "initial": state, "fn": None, "predict": None, "allow_difference": False}
    )
