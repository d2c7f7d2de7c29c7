"""Scorers: one question about a run each, with the arithmetic in its details."""

from __future__ import annotations

from ._tool_call_accuracy import tool_call_accuracy

__all__ = [
    "tool_call_accuracy",
]
