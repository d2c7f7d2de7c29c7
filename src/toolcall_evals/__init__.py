"""Did the agent call the right tools, with the right arguments, in the right order, and how do we know?"""

from __future__ import annotations

from . import checks, scorers
from ._convert import Adapter, Reading, to_trajectory
from ._errors import CouldNotScore, NotApplicable, SettingError, ToolcallEvalsError, TraceFormatError
from ._evaluator import Evaluator
from ._model import InvocationDraft, Score, Tool, ToolInvocation, Trajectory

__version__ = "0.1.0.dev0"

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
    "checks",
    "scorers",
    "to_trajectory",
]
