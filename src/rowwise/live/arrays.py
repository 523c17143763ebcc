"""What the live figure takes, and what it says when it can't."""

import numpy as np

MOST_QUERIES, MOST_KEYS, MOST_WIDTH = 6, 8, 8


def check(Q, K, V=None, mask=None):
    """Copies of the arrays as float64, the mask as bool.

    Raises ValueError naming the array, its shape, what was expected and how to slice it.
    """
    Q = _matrix("Q", Q, "(n_q, d_k)", MOST_QUERIES)
    K = _matrix("K", K, "(n_k, d_k)", MOST_KEYS)
    if Q.shape[1] != K.shape[1]:
        raise ValueError(
            f"Q has shape {Q.shape} and K has shape {K.shape}: a query meets a key number by number, so both need the "
            f"same width d_k. Expected K of shape ({K.shape[0]}, {Q.shape[1]})."
        )
    if V is not None:
        V = _matrix("V", V, "(n_k, d_v)", MOST_KEYS)
        if len(V) != len(K):
            raise ValueError(
                f"V has shape {V.shape}: expected one value for each of the {len(K)} keys, so ({len(K)}, d_v). "
                f"Slice the longer one, for instance {'V' if len(V) > len(K) else 'K'}[:{min(len(V), len(K))}]."
            )
    return Q, K, V, _mask(mask, (len(Q), len(K)))


def _matrix(name, X, shape, most):
    try:
        given = np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} has rows of different lengths: expected {shape}, one vector a row, all equally wide."
        ) from None
    if given.dtype.kind not in "iufb":
        raise ValueError(
            f"{name} has dtype {given.dtype} and shape {given.shape}: expected real numbers of shape {shape}. "
            f"If it holds numbers, np.array({name}, dtype=float) makes them so."
        )
    if given.ndim != 2:
        first = ", ".join("0" for _ in range(given.ndim - 2))
        how = {0: "", 1: f"; {name}[None, :] makes one row of it"}.get(given.ndim, f"; {name}[{first}] takes the first")
        raise ValueError(f"{name} has shape {given.shape}: expected {shape}, one vector a row{how}.")
    n, d = given.shape
    if not n or not d:
        raise ValueError(f"{name} has shape {given.shape}: expected {shape} with at least one row and one column.")
    if n > most or d > MOST_WIDTH:
        raise ValueError(
            f"{name} has shape {given.shape}: expected {shape} with at most {most} rows and {MOST_WIDTH} columns, "
            f"as much as can be read in one picture. Draw a part: {name}[:{min(n, most)}, :{min(d, MOST_WIDTH)}]."
        )
    X = np.array(given, dtype=float)
    if not np.isfinite(X).all():
        row = int(np.argwhere(~np.isfinite(X))[0][0])
        raise ValueError(f"{name} has shape {X.shape} and row {row} is {X[row]}: expected finite numbers.")
    return X


def _mask(mask, shape):
    if mask is None:
        return np.ones(shape, dtype=bool)
    given = np.asarray(mask)
    if given.dtype.kind not in "biu" or (given.dtype.kind != "b" and not np.isin(given, (0, 1)).all()):
        raise ValueError(
            f"mask has dtype {given.dtype} and shape {given.shape}: expected booleans of shape {shape}, "
            "True = may attend. An additive mask becomes one with mask == 0."
        )
    try:
        return np.array(np.broadcast_to(given, shape), dtype=bool)
    except ValueError:
        raise ValueError(
            f"mask has shape {given.shape}: expected {shape}, one row a query and one column a key."
        ) from None
