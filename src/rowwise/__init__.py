"""Rowwise: scaled dot-product attention, one row at a time.

``live`` draws, ``check`` marks code, ``paper`` marks rows worked by hand, ``reference`` is the mathematics.
Each is loaded when it is first used, so that importing ``rowwise`` costs next to nothing.
"""

import importlib

__version__ = "0.1.0"
__all__ = ["assessment", "check", "live", "paper", "progress", "real_heads", "reference", "study"]


def __getattr__(name: str):
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"rowwise has no {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
