"""The live figures. Each is loaded when it is first used, so that the others cost nothing."""

import importlib

_HOME = {"attention": "figure", "scaling": "scaling", "softmax": "softmax"}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"rowwise.live has no {name!r}; it has {', '.join(__all__)}")
    figure = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    # A module of the same name was just set here by the import: the figure goes in its place.
    globals()[name] = figure
    return figure


def __dir__() -> list[str]:
    return __all__
