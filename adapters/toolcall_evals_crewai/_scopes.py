"""Which agent's run an event belongs to, and inside which call and task that run was made.

The tree of events (crewai 1.9): crew > task > agent > (from 1.14.5) the executor's own flow > model and tool events; delegated work hangs
below the delegating tool's start. A failing model call or an aborting tool leaves the stack of open events corrupt, so a parent may be one
that is long closed, or of a kind that nothing hangs below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._fields import text_field
from ._rows import AGENT_STARTS, ENDS, Log, Row, event_id, opener_id, parent_id, shown_name

_HOMES = AGENT_STARTS | {"tool_usage_started"}
_AGENT_ENDS = frozenset(
    {"agent_execution_completed", "agent_execution_error", "lite_agent_execution_completed", "lite_agent_execution_error"}
)
_CONTAINERS = frozenset({"crew_kickoff_started", "task_started", "method_execution_started"})


@dataclass(slots=True)
class Scope:
    """
    One run of one agent.

    Attributes:
        agent: Its role.
        task: The task's name, or its description where it has none.
        root_task: The crew's task inside which this work was delegated; None where it was not.
        via: The tool by which it was delegated.
        call: The start event of that tool's call.
        tools: The names that its start lists; only those that the agent itself was given.
    """

    agent: str | None = None
    task: str | None = None
    root_task: str | None = None
    via: str | None = None
    call: str | None = None
    tools: frozenset[str] = frozenset()


class Scopes:
    """The agents' runs in a log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._scopes: dict[str, Scope] = {}
        self._keys: dict[int, str] = {}
        self._last: dict[str | None, str] = {}
        self._latest: str | None = None
        self._closed: dict[str, int] = {}
        self._runs = [at for at, row in enumerate(log.rows) if row["type"] in AGENT_STARTS and event_id(row)]
        for at, row in enumerate(log.rows):
            opener = opener_id(row)
            if opener and row["type"] in ENDS | _AGENT_ENDS and log.ids.get(opener, row)["type"] in _HOMES:
                self._closed.setdefault(opener, at)

    def key(self, at: int) -> str:
        """The key of the agent's run that the event at a position belongs to."""
        known = self._keys.get(at)
        if known is not None:
            return known
        row = self._log.rows[at]
        role = text_field(row, "agent_role")
        key = self._home(row, at)
        home = None if key is None else self._log.ids.get(key)
        if home is None or home["type"] not in _HOMES or _is_anothers(row, home):
            key = self._running(row, at) or key
        if key is None:  # an event that lost its parent goes on in its agent's latest run
            key = (self._last.get(role) if role is not None else self._latest) or f"role {role}"
        self._keys[at] = self._last[role] = self._latest = key
        if key not in self._scopes:
            self._scopes[key] = self._read(key)
        scope = self._scopes[key]
        if role is not None and scope.agent is not None and _is_template(scope.agent) and not _is_template(role):
            scope.agent = role
        return key

    def scope(self, key: str) -> Scope:
        """The run of this key."""
        return self._scopes.get(key) or Scope()

    def _home(self, row: Row, at: int) -> str | None:
        """The start of the agent's run, or the innermost thing known to hold the event."""
        id, seen = parent_id(row), set[str]()
        while id is not None and id not in seen:
            seen.add(id)
            above = self._log.ids.get(id)
            if above is None:
                return id
            kind = above["type"]
            if kind in AGENT_STARTS or kind in _CONTAINERS:
                return id
            if kind == "flow_started" and not self._within_agent(above):
                return id
            if kind == "tool_usage_started" and not self._is_stale(id, above, row, at):
                return id
            id = parent_id(above) or opener_id(above)
        if row["type"] in AGENT_STARTS:
            return event_id(row)
        return None

    def _running(self, row: Row, at: int) -> str | None:
        """The agent's run that goes on while an event with a doubtful parent is sent: the latest one that its role and ids allow."""
        fitting = []
        for start in self._runs:
            run = self._log.rows[start]
            id = event_id(run)
            if id is None or start >= at or self._closed.get(id, at) < at:
                continue
            pairs = [(text_field(row, name), text_field(run, name)) for name in ("agent_id", "agent_role", "task_id")]
            if all(mine is None or its is None or mine == its or _is_template(mine) for mine, its in pairs):
                fitting.append((sum(mine is not None and mine == its for mine, its in pairs), start, id))
        return max(fitting)[2] if fitting else None

    def _within_agent(self, flow: Row) -> bool:
        above = self._log.ids.get(parent_id(flow) or "")
        return above is not None and above["type"] in AGENT_STARTS

    def _is_stale(self, id: str, call: Row, row: Row, at: int) -> bool:
        """Whether a call cannot be what holds an event: it was over, or the agent that made it goes on."""
        if self._closed.get(id, at) < at:
            return True
        mine, its = text_field(row, "agent_id"), text_field(call, "agent_id")
        if mine and its:
            return mine == its
        mine, its = text_field(row, "agent_role"), text_field(call, "agent_role")
        return mine is not None and mine == its

    def _above(self, row: Row) -> Iterator[Row]:
        seen: set[str] = set()
        id = parent_id(row)
        while id is not None and id not in seen and (above := self._log.ids.get(id)) is not None:
            seen.add(id)
            yield above
            id = parent_id(above) or opener_id(above)

    def _read(self, key: str) -> Scope:
        start = self._log.ids.get(key)
        if start is None:
            return Scope()
        scope = Scope(_role(start), text_field(start, "task_name"))
        stated = start.get("tools")
        if isinstance(stated, list | tuple):
            scope.tools = frozenset(name for tool in stated if (name := _tool_name(tool)))
        outer: str | None = None
        for above in self._above(start):
            kind = above["type"]
            if kind == "tool_usage_started" and scope.call is None:
                scope.call, scope.via = event_id(above), shown_name(above)
            elif kind == "task_started":
                outer = text_field(above, "task_name")
                break
            elif kind in AGENT_STARTS:
                outer = text_field(above, "task_name") or outer
        if scope.call is not None:
            scope.root_task = outer
        elif start["type"] == "agent_execution_started" and scope.task is None:
            scope.task = outer
        if start["type"] == "tool_usage_started":  # a model that a tool called by itself
            scope.call, scope.via = event_id(start), shown_name(start)
            scope.agent = None
        return scope


def _role(start: Row) -> str | None:
    return text_field(start, "agent_role") or text_field(start.get("agent_info"), "role") or text_field(start.get("agent"), "role")


def _is_anothers(row: Row, run: Row) -> bool:
    """Whether an event says that it is of another agent than the run that it seems to belong to."""
    mine, its = text_field(row, "agent_role"), _role(run)
    differ = mine is not None and its is not None and mine != its and not _is_template(mine) and not _is_template(its)
    return differ and run["type"] in AGENT_STARTS


def _is_template(role: str) -> bool:
    """Whether a role still has its placeholders: some events carry it as it was written (crewai 1.15.30)."""
    return "{" in role and "}" in role


def _tool_name(tool: Any) -> str | None:
    return tool if isinstance(tool, str) else text_field(tool, "name")
