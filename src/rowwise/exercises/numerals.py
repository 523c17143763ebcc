"""Numbers as messages write them."""

import numpy as np


def numbers(row) -> str:
    """A row in four figures."""
    shown = [number(x) for x in np.ravel(row)[:6]]
    return f"[{', '.join(shown)}{', …' if np.size(row) > 6 else ''}]"


def number(x) -> str:
    """One number in four figures; booleans as Python writes them."""
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    return f"{0.0 if abs(x) < 1e-15 else float(x):.4g}"
