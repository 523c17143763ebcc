"""The live figures. Each is loaded when it is first used, so that the others cost nothing."""

import importlib

# No module has its function's name: whoever imported the module first would leave it in the function's place.
_HOME = {"attention": "figure", "head": "head_figure", "scaling": "scaling_figure", "softmax": "softmax_figure"}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"rowwise.live has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
