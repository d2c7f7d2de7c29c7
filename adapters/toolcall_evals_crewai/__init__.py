"""Reads crewai traces."""

from __future__ import annotations

from typing import Any

from toolcall_evals import Reading, Trajectory


class _Adapter:
    name = "crewai"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        return None


ADAPTER = _Adapter()
