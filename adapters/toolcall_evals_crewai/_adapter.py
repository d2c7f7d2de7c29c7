"""The adapter: which record of CrewAI's is this?"""

from __future__ import annotations

from typing import Any

from toolcall_evals import Reading, Trajectory

from ._events import read_events
from ._rows import is_row


class CrewAIAdapter:
    """Reads events, outputs, messages, steps and spans of CrewAI, 1.5 to 1.15."""

    name = "crewai"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        """Read a record, or None when it is surely not one of CrewAI's."""
        if isinstance(raw, list) and raw and is_row(raw[0]):
            return read_events(raw, reading)
        return None


ADAPTER = CrewAIAdapter()
