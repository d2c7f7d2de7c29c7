"""Reads langgraph traces."""

from __future__ import annotations

from ._adapter import ADAPTER
from .recorder import Recorder, record

__all__ = ["ADAPTER", "Recorder", "record"]
