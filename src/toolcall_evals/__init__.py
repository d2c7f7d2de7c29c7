"""Did the agent call the right tools, with the right arguments, in the right order, and how do we know?

Names are imported when they are first used: the pytest plugin of this package loads in every test suite of an environment.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import checks, expect, scorers
    from ._convert import Adapter, Reading, to_trajectory
    from ._errors import CouldNotScore, NotApplicable, SettingError, ToolcallEvalsError, TraceFormatError
    from ._evaluator import Evaluator
    from ._model import InvocationDraft, Score, Tool, ToolInvocation, Trajectory, Turn

__version__ = "0.1.0"

__all__ = [
    "Adapter",
    "CouldNotScore",
    "Evaluator",
    "InvocationDraft",
    "NotApplicable",
    "Reading",
    "Score",
    "SettingError",
    "Tool",
    "ToolInvocation",
    "ToolcallEvalsError",
    "TraceFormatError",
    "Trajectory",
    "Turn",
    "checks",
    "expect",
    "scorers",
    "to_trajectory",
]

_PLACES = {
    "_convert": ("Adapter", "Reading", "to_trajectory"),
    "_errors": ("CouldNotScore", "NotApplicable", "SettingError", "ToolcallEvalsError", "TraceFormatError"),
    "_evaluator": ("Evaluator",),
    "_model": ("InvocationDraft", "Score", "Tool", "ToolInvocation", "Trajectory", "Turn"),
}
_MODULES = ("checks", "expect", "scorers")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    for module, names in _PLACES.items():
        if name in names:
            found = getattr(import_module(f".{module}", __name__), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
