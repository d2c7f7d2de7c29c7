"""The tree in which CrewAI's events hang: what began inside what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from ._snapshot import Row

PartKind: TypeAlias = Literal["crew", "task", "agent", "flow"]

STARTS: dict[str, tuple[PartKind, str]] = {
    "crew_kickoff_started": ("crew", "crew_name"),
    "task_started": ("task", "task_name"),
    "lite_agent_execution_started": ("agent", "agent_role"),
    "flow_started": ("flow", "flow_name"),
}
"""The events that begin a part of a run: what it is, and the attribute that names it."""


def begins_a_part(row: Row) -> bool:
    """Whether a crew, a task, a flow or an `Agent.kickoff` begins here; an agent's run is itself a flow, but none of the user's."""
    return row["type"] in STARTS and row.get("flow_name") != "AgentExecutor"


class Tree:
    """Who is above an event: its parent; above a closing event, the one that it closes."""

    def __init__(self, rows: Iterable[Row]) -> None:
        kept = list(rows)
        ids = {row.get("event_id") for row in kept}
        self._up = {
            row.get("event_id"): opener if (opener := row.get("started_event_id")) in ids else row.get("parent_event_id") for row in kept
        }

    def line(self, row: Row) -> Iterator[str]:
        """The ids from the row's own upwards, as far as the rows go."""
        seen: set[Any] = set()
        at = row.get("event_id")
        while at in self._up and at not in seen:
            seen.add(at)
            yield str(at)
            at = self._up[at]
