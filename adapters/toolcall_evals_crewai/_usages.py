"""What ran: the tool events of a log, one `Usage` for each decision, retries folded."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import datetime
from typing import Any

from toolcall_evals.messages import as_json

from ._fields import shown, text_field
from ._names import resolves, same_tool
from ._pairs import paired
from ._protocol import read_input
from ._rows import ENDS, MCP_EVENTS, REFUSALS, TOOL_EVENTS, Log, Row, event_id, parent_id, seconds_between, shown_name, time_of
from ._scopes import Scopes

_CLASS_PREFIX = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Timeout|Warning|Failed|Failure): ")
_REPR = re.compile(r"[A-Za-z_][\w.]*\((.*)\)\Z", re.DOTALL)


@dataclass(slots=True)
class Usage:
    """
    One call that the framework took up.

    Attributes:
        at: The position of its first event.
        key: The agent's run that it belongs to.
        name: The tool, as it was asked for.
        asked: The arguments as they were asked for: an object, or a text.
        refused: The framework found no tool, or could not read the arguments.
        ended: It came to an end that the log shows.
        startless: Only its end is there: what was asked is taken from what ran.
        error: The exception's text.
        failure: CrewAI's own report of what went wrong.
    """

    at: int
    key: str
    name: str
    asked: Any
    attempts: int = 1
    refused: bool = False
    ended: bool = False
    executed_name: str | None = None
    executed_args: dict[str, Any] | None = None
    output: Any = None
    error: str | None = None
    failure: Any = None
    cached: bool = False
    starts: list[str] = dataclass_field(default_factory=list)
    started_at: datetime | None = None
    duration_s: float | None = None
    retry: int = 0
    reported: bool = False
    startless: bool = False
    role: str | None = None
    task: str | None = None
    step: Any = None
    server: dict[str, Any] = dataclass_field(default_factory=dict)

    @property
    def is_bare(self) -> bool:
        """Whether it does not say what was asked: the refusal of an unknown tool names no arguments (crewai 1.15.30)."""
        return self.refused and self.asked in (None, "", {})

    @property
    def args(self) -> tuple[dict[str, Any] | None, str | None]:
        """The arguments that were asked for, read."""
        return read_input(self.asked)


def read_usages(log: Log, scopes: Scopes) -> list[Usage]:
    """The usages of a log, in order of their first event."""
    ends, taken = paired(log)
    usages: list[Usage] = []
    last: dict[str, Usage] = {}
    for at, row in enumerate(log.rows):
        kind = row["type"]
        if kind in ("llm_call_completed", "agent_logs_execution"):
            last.pop(scopes.key(at), None)
        if kind not in TOOL_EVENTS or at in taken or (kind in REFUSALS and not shown_name(row)):
            continue
        key = scopes.key(at)
        if kind == "tool_failure_detected":
            if not _report(row, [usage for usage in usages if usage.key == key]):
                usages.append(_new(row, at, key, refused=True, ended=True, reported=True, failure=row.get("failure")))
            continue
        end = log.rows[ends[at]] if at in ends else row if kind in ENDS else None
        usage = last.get(key)
        if usage is not None and _continues(usage, row):
            usage.attempts = max(usage.attempts + 1, _attempt(row))
        else:
            usage = _new(row, at, key, refused=kind in REFUSALS)
            usages.append(usage)
            last[key] = usage
        _add(usage, row, end)
    _enrich(log, usages)
    return usages


def _new(row: Row, at: int, key: str, **more: Any) -> Usage:
    return Usage(
        at,
        key,
        shown_name(row),
        row.get("tool_args"),
        started_at=time_of(row.get("timestamp")),
        role=text_field(row, "agent_role"),
        task=text_field(row, "task_name"),
        step=row.get("plan_step_number"),
        **more,
    )


def _add(usage: Usage, row: Row, end: Row | None) -> None:
    """One attempt of a call: its start and end, or its refusal."""
    if row["type"] not in REFUSALS:
        usage.retry = _attempt(row)
        usage.attempts = max(usage.attempts, usage.retry)
    if row["type"] == "tool_usage_started" and (id := event_id(row)):
        usage.starts.append(id)
    if row["type"] in REFUSALS:
        usage.ended, usage.error = True, error_text(row.get("error"))
    if end is None:
        return
    usage.ended = True
    if end is row:
        usage.startless = True
        usage.started_at = time_of(end.get("started_at")) or usage.started_at
    usage.executed_name = shown_name(end) or None
    executed = end.get("tool_args")
    usage.executed_args = executed if isinstance(executed, dict) else None
    usage.cached = end.get("from_cache") is True
    usage.duration_s = seconds_between(end.get("started_at"), end.get("finished_at"))
    if usage.duration_s is None and end is not row:
        usage.duration_s = seconds_between(row.get("timestamp"), end.get("timestamp"))
    usage.failure = end.get("failure")
    if end["type"] == "tool_usage_error":
        usage.error, usage.output = error_text(end.get("error")), None
    else:
        usage.error, usage.output = None, end.get("output")


def _continues(usage: Usage, row: Row) -> bool:
    """Whether a row is the next attempt of a call: the text path tries three times, and reports a refusal up to six times."""
    if not same_tool(usage.name, shown_name(row)):
        return False
    if row["type"] in REFUSALS:
        return usage.refused and as_json(usage.asked) == as_json(row.get("tool_args"))
    follows = usage.retry >= 1 and _attempt(row) > usage.retry
    return follows and (usage.asked == row.get("tool_args") or usage.args == read_input(row.get("tool_args")))


def _attempt(row: Row) -> int:
    value = row.get("run_attempts")
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _report(row: Row, usages: list[Usage]) -> bool:
    """Join a failure report to the call it is about; False when it is about none: then the report is all there is of the call."""
    name, asked = shown_name(row), row.get("tool_args")
    fitting = [usage for usage in usages if not usage.reported and resolves(name, usage.name) and _fits(usage, asked)]
    failed = [usage for usage in fitting if usage.refused or usage.error is not None or usage.failure is not None]
    endless = [usage for usage in fitting if not usage.ended]
    if not fitting:
        return False
    usage = (failed or endless or fitting)[-1]
    usage.reported, usage.ended, usage.failure = True, True, row.get("failure")
    if usage.is_bare and asked is not None:
        usage.asked = asked
    return True


def _fits(usage: Usage, asked: Any) -> bool:
    args, _ = read_input(asked)
    return usage.refused or (args is not None and args in (usage.args[0], usage.executed_args))


def error_text(error: Any) -> str | None:
    """The text of an exception: live, as `Class: text`, or as its `repr`."""
    text = shown(error)
    if text is None:
        return None
    if isinstance(error, BaseException):
        return text or type(error).__name__
    if match := _CLASS_PREFIX.match(text):
        return text[match.end() :]
    if match := _REPR.match(text):
        try:
            inner = ast.literal_eval(match.group(1))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
        return inner if isinstance(inner, str) else text
    return text


def _enrich(log: Log, usages: list[Usage]) -> None:
    """Tell a call which server's tool it was: MCP events lie inside the call's own and are no calls of their own."""
    by_start = {start: usage for usage in usages for start in usage.starts}
    for row in log.rows:
        if row["type"] in MCP_EVENTS and (usage := by_start.get(parent_id(row) or "")) is not None:
            for name, value in (("server", text_field(row, "server_name")), ("server_tool", text_field(row, "tool_name"))):
                if value:
                    usage.server[name] = value
