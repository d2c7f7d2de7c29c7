"""What callbacks and agents collect on the text path: the items of a `step_callback`, and an agent's `tools_results`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import Reading, Trajectory

from ._events import read_events
from ._fields import field
from ._rows import Row

_MARKS = (("tool", "tool_input"), ("output", "text"), ("result", "result_as_answer"))
"""Two attributes each by which an `AgentAction`, an `AgentFinish` and a `ToolResult` are recognised."""


def is_step(item: Any) -> bool:
    """Whether a `step_callback` was given this: a `ToolResult`, an `AgentAction` or an `AgentFinish`."""
    return _of_step(item) is not None


def is_tools_result(item: Any) -> bool:
    """Whether this is an entry of `agent.tools_results`."""
    return isinstance(item, Mapping) and item.keys() >= {"tool_name", "tool_args", "result"}


def read_steps(items: Sequence[Any], reading: Reading) -> Trajectory:
    """Read what a `step_callback` was given, in order."""
    rows = list(_logged(items))
    whole = read_events(rows, reading, source="crewai.step_callback")
    if any(field(row["formatted_answer"], "tool") for row in rows):
        return whole
    warning = "a step_callback is told of no call on the native path; capture the run's events instead"
    return replace(whole, has_call_record=False, warnings=(*whole.warnings, warning))


def read_tools_results(items: Sequence[Any], reading: Reading) -> Trajectory:
    """Read an agent's `tools_results`."""
    whole = read_events(list(_ran(items)), reading, source="crewai.agent.tools_results")
    warning = "tools_results hold successful calls of the text path only, those of earlier runs too"
    return replace(whole, warnings=(*whole.warnings, warning))


def _of_step(item: Any) -> Any:
    """The step itself: the item, or what a recorder wrapped."""
    if isinstance(item, str | list | tuple) or item is None:
        return None
    inner = [value for value in item.values() if isinstance(value, Mapping)] if isinstance(item, Mapping) else []
    for candidate in (item, *inner):
        names = candidate if isinstance(candidate, Mapping) else _Attributes(candidate)
        if any(one in names and other in names for one, other in _MARKS):
            return candidate
    return None


class _Attributes:
    """An object's attributes by `in`."""

    def __init__(self, item: Any) -> None:
        self._item = item

    def __contains__(self, name: str) -> bool:
        return hasattr(self._item, name)


def _logged(items: Iterable[Any]) -> Iterable[Row]:
    given = None
    for item in items:
        step = _of_step(item)
        if step is None:
            continue
        if field(step, "tool") is None and field(step, "output") is None:
            given = field(step, "result")
            continue
        names = ("thought", "tool", "tool_input", "output", "text", "result")
        logged = {name: value for name in names if (value := field(step, name)) is not None}
        if "tool" in logged:
            logged.setdefault("result", given)
        yield {"type": "agent_logs_execution", "formatted_answer": logged}
        given = None


def _ran(items: Iterable[Any]) -> Iterable[Row]:
    for item in items:
        if is_tools_result(item):
            call = {"tool_name": item["tool_name"], "tool_args": item["tool_args"]}
            yield {"type": "tool_usage_started", **call}
            yield {"type": "tool_usage_finished", **call, "output": item["result"]}
