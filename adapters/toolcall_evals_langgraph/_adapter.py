"""Finds out which record of a LangChain or LangGraph run it is, and who reads it."""

from __future__ import annotations

from typing import Any

from toolcall_evals import Reading, Trajectory

from ._nodes import is_run
from ._run_tree import read_run_tree


class LangGraphAdapter:
    """Reads what LangChain, LangGraph and LangSmith record of a run."""

    name = "langgraph"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        """Read a trace; None when it is none of these frameworks'."""
        if is_run(raw) or (isinstance(raw, list | tuple) and raw and is_run(raw[0])):
            return read_run_tree(raw, reading)
        return None


ADAPTER = LangGraphAdapter()
