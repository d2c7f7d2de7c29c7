"""Scorers: one question about a run each, with the arithmetic in its details."""

from __future__ import annotations

from .._per_turn import per_turn
from ._argument_accuracy import argument_accuracy
from ._tool_call_accuracy import tool_call_accuracy
from ._tool_call_accuracy_llm import tool_call_accuracy_llm
from ._tool_call_f1 import tool_call_f1
from ._tool_calls_match import tool_calls_match
from ._trajectory_accuracy import trajectory_accuracy
from ._trajectory_quality import trajectory_quality

__all__ = [
    "argument_accuracy",
    "per_turn",
    "tool_call_accuracy",
    "tool_call_accuracy_llm",
    "tool_call_f1",
    "tool_calls_match",
    "trajectory_accuracy",
    "trajectory_quality",
]
