"""Events of any origin as rows in the order in which they were sent.

A row is a mapping of an event's attributes: a snapshot, `event.to_json()`, a checkpoint's record, or a copy of a live event's fields,
so that nothing of the event itself is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import datetime
from typing import Any, TypeAlias

from toolcall_evals.messages import as_json

Row: TypeAlias = Mapping[str, Any]

STARTS = frozenset({"tool_usage_started"})
ENDS = frozenset({"tool_usage_finished", "tool_usage_error"})
REFUSALS = frozenset({"tool_selection_error", "tool_validate_input_error", "tool_execution_error"})
TOOL_EVENTS = STARTS | ENDS | REFUSALS | {"tool_failure_detected"}
MCP_EVENTS = frozenset({"mcp_tool_execution_started", "mcp_tool_execution_completed", "mcp_tool_execution_failed"})
AGENT_STARTS = frozenset({"agent_execution_started", "lite_agent_execution_started"})
CALL_RECORD = TOOL_EVENTS | {"llm_call_completed", "agent_logs_execution"}
"""The events that show calls, or would have shown them."""
ROOTS = frozenset({"crew_kickoff_started", "flow_started", "lite_agent_execution_started", "agent_execution_started"})
FAILURES = frozenset({"crew_kickoff_failed", "task_failed", "flow_failed", "agent_execution_error", "lite_agent_execution_error"})
READ = (
    CALL_RECORD
    | MCP_EVENTS
    | AGENT_STARTS
    | ROOTS
    | FAILURES
    | {
        "task_started",
        "task_completed",
        "crew_kickoff_completed",
        "agent_execution_completed",
        "lite_agent_execution_completed",
        "flow_finished",
        "llm_call_started",
        "llm_call_failed",
        "method_execution_started",
        "plan_step_started",
    }
)
"""The event types by which a list of events is recognised."""


@dataclass(slots=True)
class Log:
    """
    The rows of a run, in order.

    Attributes:
        rows: Every event once.
        turns: By position, which of the runs in the list an event belongs to, from 0.
        ids: The rows that have an id, by it.
        positions: Where those rows stand.
        warnings: What was wrong with the list.
    """

    rows: list[Row]
    turns: list[int]
    ids: dict[str, Row] = dataclass_field(default_factory=dict)
    positions: dict[str, int] = dataclass_field(default_factory=dict)
    warnings: list[str] = dataclass_field(default_factory=list)


def is_row(item: Any) -> bool:
    """Whether this is an event of CrewAI's: a row, or a live event."""
    if isinstance(item, Mapping):
        kind = item.get("type")
        return isinstance(kind, str) and (kind in READ or ("event_id" in item and "emission_sequence" in item))
    return isinstance(getattr(item, "type", None), str) and hasattr(item, "event_id") and hasattr(item, "timestamp")


def row_of(item: Any) -> Row | None:
    """The row of an event, or None when it is none."""
    if isinstance(item, Mapping):
        inner = item.get("event")
        if isinstance(inner, Mapping) and "type" not in item:  # a node of a checkpoint's event record
            item = inner
        return item if isinstance(item.get("type"), str) else None
    fields = getattr(item, "__dict__", None)
    return dict(fields) if isinstance(fields, dict) and isinstance(fields.get("type"), str) else None


def log_of(items: Iterable[Any]) -> Log:
    """Read events in any order: each once, as they were sent."""
    warnings: list[str] = []
    rows: list[Row] = []
    unread = 0
    for item in items:
        row = row_of(item)
        if row is None:
            unread += 1
        else:
            rows.append(row)
    if unread:
        warnings.append(f"not read: items of the list that are no events ({unread})")
    single = _once(rows)
    if len(single) < len(rows):
        warnings.append(f"read once each: events that are there twice ({len(rows) - len(single)})")
    ids = {id: row for row in reversed(single) if (id := event_id(row))}
    ordered, turns = _in_order(single, ids)
    positions = {id: at for at, row in reversed(list(enumerate(ordered))) if (id := event_id(row))}
    return Log(ordered, turns, ids, positions, warnings)


def event_id(row: Row) -> str | None:
    """The row's own id."""
    return _text(row, "event_id")


def parent_id(row: Row) -> str | None:
    """The id of the event inside which this one was sent."""
    return _text(row, "parent_event_id")


def opener_id(row: Row) -> str | None:
    """The id of the event that this one closes."""
    return _text(row, "started_event_id")


def time_of(value: Any) -> datetime | None:
    """A point in time, from a datetime or its ISO text; None for anything else."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def seconds_between(start: Any, end: Any) -> float | None:
    """The seconds from one time to another; None where they cannot be compared (one has a zone, the other none)."""
    begin, finish = time_of(start), time_of(end)
    if begin is None or finish is None or (begin.utcoffset() is None) != (finish.utcoffset() is None):
        return None
    return max((finish - begin).total_seconds(), 0.0)


def _text(row: Row, name: str) -> str | None:
    value = row.get(name)
    return value if isinstance(value, str) and value else None


def _sequence(row: Row) -> int | None:
    value = row.get("emission_sequence")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _once(rows: list[Row]) -> list[Row]:
    """Without the rows that a second handler, or a second writer, repeated."""
    seen: set[tuple[Any, ...]] = set()
    kept = []
    for row in rows:
        key: tuple[Any, ...] | None = None
        if id := event_id(row):
            key = (id, row["type"])
        elif (number := _sequence(row)) is not None:
            key = (number, row["type"], shown_name(row), as_json(row.get("tool_args")))
        if key is not None:
            if key in seen:
                continue
            seen.add(key)
        kept.append(row)
    return kept


def shown_name(row: Row) -> str:
    """The tool's name in a row; empty where there is none."""
    return _text(row, "tool_name") or ""


def _in_order(rows: list[Row], ids: Mapping[str, Row]) -> tuple[list[Row], list[int]]:
    """By emission sequence, which starts again in every kickoff: then one kickoff after the other, as they began."""
    numbers: list[int] = []
    for row in rows:
        number = _sequence(row)
        numbers.append(numbers[-1] if number is None and numbers else number or 0)
    roots = [_root(row, ids) for row in rows]
    begun: dict[str | None, int] = {}
    known = [number for row in rows if (number := _sequence(row)) is not None]
    if len(set(known)) == len(known):
        order = sorted(range(len(rows)), key=lambda at: numbers[at])
    else:
        starts: dict[str | None, tuple[float, int]] = {}
        for at, row in enumerate(rows):
            when = time_of(row.get("timestamp"))
            stamp = _stamp(when) if when else float("inf")
            starts[roots[at]] = min(starts.get(roots[at], (stamp, at)), (stamp, at))
        order = sorted(range(len(rows)), key=lambda at: (starts[roots[at]], numbers[at]))
    for at in order:
        if roots[at] is not None:
            begun.setdefault(roots[at], len(begun))
    return [rows[at] for at in order], [begun.get(roots[at], 0) for at in order]


def _stamp(when: datetime) -> float:
    try:
        return when.timestamp()
    except (OverflowError, OSError, ValueError):
        return float("inf")


def _root(row: Row, ids: Mapping[str, Row]) -> str | None:
    """The id of the run that an event belongs to; None where the list does not hold its beginning."""
    seen: set[str] = set()
    while True:
        above = parent_id(row) or opener_id(row)
        if above is None:
            return event_id(row) if row.get("type") in ROOTS else None
        if above in seen or above not in ids:
            return None
        seen.add(above)
        row = ids[above]
