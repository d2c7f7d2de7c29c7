"""Finds out which record of a LangChain or LangGraph run it is, and who reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolcall_evals import Reading, Trajectory

from ._events import is_event, is_event_v3, read_events, read_events_v3
from ._executor import is_executor_output, read_executor
from ._history import read_history
from ._nodes import is_run
from ._parts import says_its_mode
from ._run_tree import read_run_tree
from ._snapshots import is_snapshot, read_snapshot
from ._states import is_said, read_state
from ._streams import read_stream


class LangGraphAdapter:
    """Reads what LangChain, LangGraph and LangSmith record of a run."""

    name = "langgraph"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        """Read a trace; None when it is none of these frameworks'."""
        if type(raw) is dict and len(raw) == 1 and "messages" in raw:  # by far the most common one
            return read_state(raw, reading)
        if type(raw) is list and raw and is_said(raw[0]) and reading.form is None:
            return read_state(raw, reading)
        if reading.form is not None and isinstance(raw, list | tuple) and (found := self._recorded(raw, reading)) is not None:
            return found
        if isinstance(raw, str):
            return self._dumped(raw, reading)
        if isinstance(raw, Mapping):
            return self._mapping(raw, reading)
        if isinstance(raw, list | tuple) and not is_snapshot(raw):
            return self._list(raw, reading) if raw else None
        return self._object(raw, reading)

    def _recorded(self, raw: Any, reading: Reading) -> Trajectory | None:
        """A recorded stream whose form was named; None when the form is none of ours."""
        form = reading.form or ""
        if form.startswith("astream_events"):
            return read_events_v3(raw, reading) if form.endswith("v3") or (raw and is_event_v3(raw[0])) else read_events(raw, reading)
        if form.startswith("stream_"):
            mode = form.removeprefix("stream_").split("_")[0]
            return read_stream(raw, "updates" if mode == "parts" else mode, reading)
        return read_state(raw, reading, source="langgraph.chunks") if form == "message_chunks" else None

    def _mapping(self, raw: Mapping[str, Any], reading: Reading) -> Trajectory | None:
        if "tasks_output" in raw:
            return None
        if is_run(raw):
            return read_run_tree(raw, reading)
        if is_snapshot(raw):
            return read_snapshot(raw, reading)
        if is_executor_output(raw):
            return read_executor(raw, reading)
        return read_state(raw, reading)

    def _list(self, raw: Any, reading: Reading) -> Trajectory | None:
        first = raw[0]
        if is_run(first):
            return read_run_tree(raw, reading)
        if is_snapshot(first):
            return read_history(raw, reading)
        if is_event(first):
            return read_events(raw, reading)
        if is_event_v3(first):
            return read_events_v3(raw, reading)
        if says_its_mode(first):
            return read_stream(raw, "updates", reading)
        return read_state(raw, reading)

    def _object(self, raw: Any, reading: Reading) -> Trajectory | None:
        if is_run(raw):
            return read_run_tree(raw, reading)
        if is_snapshot(raw):
            return read_snapshot(raw, reading)
        if type(raw).__name__ == "GraphOutput" and hasattr(raw, "value"):  # langgraph 1.2: invoke(version="v2")
            value, interrupts = raw.value, getattr(raw, "interrupts", ())
            return read_state({**value, "__interrupt__": interrupts} if interrupts and isinstance(value, Mapping) else value, reading)
        return read_state(raw, reading) if not hasattr(raw, "tasks_output") else None

    def _dumped(self, raw: str, reading: Reading) -> Trajectory | None:
        """Text that `langchain_core.load.dumps` wrote."""
        if raw[:1] not in ("{", "[") or '"lc"' not in raw:
            return None
        try:
            return self.convert(json.loads(raw), reading)
        except ValueError:
            return None


ADAPTER = LangGraphAdapter()
