"""Reads the runs of CrewAI crews, flows and agents; crewai itself is not needed, nor imported, for that."""

from __future__ import annotations

from ._adapter import ADAPTER

__all__ = ["ADAPTER"]
