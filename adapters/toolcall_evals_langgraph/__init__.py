"""Reads langgraph traces."""

from __future__ import annotations

from typing import Any

from toolcall_evals import Reading, Trajectory

from .recorder import Recorder, record


class _Adapter:
    name = "langgraph"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        return None


ADAPTER = _Adapter()

__all__ = ["ADAPTER", "Recorder", "record"]
