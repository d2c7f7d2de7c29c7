"""What this package raises."""

from __future__ import annotations

from typing import Any


class ToolcallEvalsError(Exception):
    """Every error of this package is one of these, and also one of the built-in classes."""


class SettingError(ToolcallEvalsError, ValueError):
    """A check or scorer was built with a setting that it cannot work with."""


class TraceFormatError(ToolcallEvalsError, ValueError):
    """No adapter recognises what was given as the trace of a run."""


class NotPicklable(ToolcallEvalsError, TypeError):
    """An evaluator holds something that cannot be sent to another process."""


class CouldNotScore(ToolcallEvalsError, ValueError):
    """
    Raised inside an evaluator: what it needs is missing or broken. Becomes a score of None with this reason.

    Attributes:
        details: The score's details, such as what was paid in vain.
    """

    def __init__(self, reason: str = "", details: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.details = details or {}


class NotApplicable(ToolcallEvalsError, ValueError):
    """Raised inside an evaluator: the question does not arise for this run. Becomes a score of None with this reason."""


def said(error: BaseException) -> str:
    """An exception in words, also one whose own words fail."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - it is somebody's
        text = "(it cannot be shown)"
    return f"{type(error).__name__}: {text[:2000]}"
