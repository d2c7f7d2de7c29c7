"""What this package raises."""

from __future__ import annotations


class ToolcallEvalsError(Exception):
    """Every error of this package is one of these, and also one of the built-in classes."""


class SettingError(ToolcallEvalsError, ValueError):
    """A check or scorer was built with a setting that it cannot work with."""


class TraceFormatError(ToolcallEvalsError, ValueError):
    """No adapter recognises what was given as the trace of a run."""


class CouldNotScore(ToolcallEvalsError, ValueError):
    """Raised inside an evaluator: what it needs is missing or broken. Becomes a score of None with this reason."""


class NotApplicable(ToolcallEvalsError, ValueError):
    """Raised inside an evaluator: the question does not arise for this run. Becomes a score of None with this reason."""


def said(error: BaseException) -> str:
    """An exception in words, also one whose own words fail."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - it is somebody's
        text = "(it cannot be shown)"
    return f"{type(error).__name__}: {text[:2000]}"
