"""Values as JSON and back, without pickle: plain Python data and plain NumPy arrays cross, nothing else does.

Decoding builds only these types, whatever the bytes say, so a value from a student's process can do nothing here.
"""

import base64
import math

import numpy as np

KINDS = "biufcU"  # no objects, no records, no dates
DEPTH = 20
LIMIT = 4_000_000  # bytes of one array


class Unreadable(ValueError):
    """The value is of no kind that may cross; the text says what it is."""


def encode(value, depth: int = 0):
    """JSON for ``value``. Raises Unreadable for what is neither plain data nor a plain array."""
    if depth > DEPTH:
        raise Unreadable("data nested too deeply")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if abs(value) < 2**53 else {"t": "int", "v": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"t": "float", "v": repr(value)}
    if kind is complex:
        return {"t": "complex", "v": [repr(value.real), repr(value.imag)]}
    if kind in (list, tuple):
        return {"t": kind.__name__, "v": [encode(item, depth + 1) for item in value]}
    if kind is dict:
        return {"t": "dict", "v": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]}
    if isinstance(value, np.ndarray | np.generic):
        return _array(value)
    raise Unreadable(f"a {kind.__name__}")


def _array(value) -> dict:
    scalar = isinstance(value, np.generic)
    array = np.asarray(value)
    if array.dtype.kind not in KINDS or array.dtype.names:
        raise Unreadable(f"an array of dtype {array.dtype}")
    if array.nbytes > LIMIT:
        raise Unreadable(f"an array of {array.nbytes:,} bytes")
    raw = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"t": "scalar" if scalar else "array", "d": array.dtype.str, "s": list(array.shape), "v": raw}


def decode(coded, depth: int = 0):
    """The value that ``encode`` was given. Raises Unreadable for anything else."""
    try:
        return _decode(coded, depth)
    except Unreadable:
        raise
    except Exception as problem:  # NumPy has many ways to say that a dtype or a shape is none
        raise Unreadable(f"no value: {problem}") from None


def _decode(coded, depth):
    if depth > DEPTH:
        raise Unreadable("data nested too deeply")
    if coded is None or isinstance(coded, bool | int | float | str):
        return coded
    tag, body = coded["t"], coded["v"]
    if tag in ("list", "tuple"):
        return (list if tag == "list" else tuple)([_decode(item, depth + 1) for item in body])
    if tag == "dict":
        return {_decode(key, depth + 1): _decode(value, depth + 1) for key, value in body}
    if tag == "int" and len(body) < 400:
        return int(body, 16)
    if tag == "float":
        return float(body)
    if tag == "complex":
        return complex(float(body[0]), float(body[1]))
    if tag in ("array", "scalar"):
        dtype = np.dtype(str(coded["d"]))
        if dtype.kind not in KINDS or dtype.names or len(body) > 2 * LIMIT:
            raise Unreadable("no array that may cross")
        array = np.frombuffer(base64.b64decode(body), dtype).reshape([abs(int(n)) for n in coded["s"]]).copy()
        return array[()] if tag == "scalar" else array
    raise Unreadable("no value")
