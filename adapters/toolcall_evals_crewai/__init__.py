"""Reads the runs of CrewAI crews, flows and agents; crewai itself is not needed, nor imported, for that."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._adapter import ADAPTER

if TYPE_CHECKING:
    from ._capture import CapturedRun, RunPart, capture
    from ._hooks import ScoredRun, score_after_kickoff, score_run
    from ._kickoffs import KickoffScoring, score_kickoffs
    from ._offline import quiet_offline
    from ._target import crew_target

__all__ = [
    "ADAPTER",
    "CapturedRun",
    "KickoffScoring",
    "RunPart",
    "ScoredRun",
    "capture",
    "crew_target",
    "quiet_offline",
    "score_after_kickoff",
    "score_kickoffs",
    "score_run",
]

_PLACES = {
    "_capture": ("CapturedRun", "RunPart", "capture"),
    "_hooks": ("ScoredRun", "score_after_kickoff", "score_run"),
    "_kickoffs": ("KickoffScoring", "score_kickoffs"),
    "_offline": ("quiet_offline",),
    "_target": ("crew_target",),
}


def __getattr__(name: str) -> Any:
    """What works on live crews is imported when it is first used: converting a stored trace needs none of it."""
    for module, names in _PLACES.items():
        if name in names:
            found = getattr(import_module(f".{module}", __name__), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
