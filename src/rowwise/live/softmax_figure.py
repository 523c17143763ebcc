"""live.softmax(): one row step by step, a constant added to it, and rows against columns."""

import numpy as np
import traitlets

from rowwise import reference
from rowwise.live.scaling_figure import whole
from rowwise.live.widget import Widget, text_of

MOST_QUERIES, MOST_KEYS, LIMIT = 6, 8, 1e6
EXAMPLE = ((1.8, 1.1, -1.6, 0.2), (-0.3, 1.3, -0.3, 2.5), (0.5, 0.4, 3.0, 1.0))


class Softmax(Widget):
    """The figure. ``S``, ``row`` (counted from 0), ``shift`` and ``subtract`` are what is on the screen."""

    _esm = text_of("parts.js", "softmax_figure.js")
    _css = text_of("look.css", "parts.css", "softmax_figure.css")
    S = traitlets.List().tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    shift = traitlets.Float(0.0).tag(sync=True)
    subtract = traitlets.Bool(True).tag(sync=True)

    def __init__(self, S: list, row: int):
        """S: rows of finite numbers. row: the one in detail; it is checked against S, which has to be there first."""
        super().__init__(S=S)
        self.row = row

    @traitlets.validate("S")
    def _scores(self, proposal):
        scores = checked(proposal.value)
        if self.S and np.shape(scores) != np.shape(self.S):
            raise ValueError(
                f"S has shape {np.shape(scores)}: this figure was made for {np.shape(self.S)}; make a new one."
            )
        return scores

    @traitlets.validate("row")
    def _row(self, proposal):
        return whole("row", proposal.value, 0, max(len(self.S), 1) - 1)

    def alt(self) -> str:
        """The picture in words."""
        S = np.array(self.S)
        W, columns = reference.softmax_rows(S), reference.softmax_rows(S.T).T
        listed = ", ".join(f"{w:.2f}" for w in W[self.row])
        sums = ", ".join(f"{total:.2f}" for total in columns.sum(axis=1))
        return (
            f"Softmax of scores of shape {S.shape}. Row {self.row + 1} has weights {listed}; each row sums to 1. "
            f"Taken down the columns instead, the rows sum to {sums}."
        )


def checked(S) -> list[list[float]]:
    """The scores as rows of numbers, or a ValueError that says what does not fit and how to mend it."""
    try:
        given = np.asarray(S)
    except ValueError:
        raise ValueError("S has rows of unequal length: expected one score for each query and key.") from None
    if given.dtype.kind not in "iuf":
        raise ValueError(f"S has dtype {given.dtype}, shape {given.shape}: expected real numbers, shape (n_q, n_k).")
    if given.ndim == 1:
        given = given[None, :]
    if given.ndim != 2 or 0 in given.shape:
        raise ValueError(f"S has shape {given.shape}: expected (n_q, n_k), one row a query, or a single row (n_k,).")
    if given.shape[0] > MOST_QUERIES or given.shape[1] > MOST_KEYS:
        raise ValueError(
            f"S has shape {given.shape}: at most {MOST_QUERIES} queries and {MOST_KEYS} keys are drawn. "
            f"Take a part of it: S[:{MOST_QUERIES}, :{MOST_KEYS}]."
        )
    # Cast before measuring: the most negative int8 has no absolute value of its own type.
    scores = given.astype(float)
    if not (np.abs(scores) <= LIMIT).all():
        row = int(np.flatnonzero(~(np.abs(scores) <= LIMIT).all(axis=1))[0])
        raise ValueError(
            f"S has shape {scores.shape}, and row {row} holds {scores[row].tolist()}: expected numbers from −1,000,000 "
            "to 1,000,000. (Excluded keys, with scores of −∞, are drawn by live.attention.)"
        )
    return scores.tolist()


def softmax(S=EXAMPLE, row: int = 0) -> Softmax:
    """One row of scores turned into weights, step by step.

    S: scores, shape (n_q, n_k) with at most 6 rows and 8 columns, or one row (n_k,); lists and arrays of any real
    dtype, which are never changed. row: the row shown in detail, counted from 0. Raises ValueError for anything else.
    """
    scores = checked(S)
    return Softmax(scores, whole("row", row, 0, len(scores) - 1))
