"""The events that CrewAI itself keeps of the run that is just ending."""

from __future__ import annotations

from typing import Any

from ._capture import parts
from ._snapshot import EVENTS, Row, snapshot


def recorded_rows(output: Any) -> list[Row] | None:
    """
    The events of the kickoff that made this output, from CrewAI's own record; None where there is no such record.

    The record is the one that checkpoints are written from (crewai 1.14.1 and newer). It is at hand inside `after_kickoff`
    callbacks, holds what was sent in order, and needs no listener.
    """
    import crewai.events as events

    record = getattr(getattr(events.crewai_event_bus, "runtime_state", None), "event_record", None)
    nodes = getattr(record, "nodes", None)
    if not nodes:
        return None
    sent = [getattr(node, "event", None) for node in list(nodes.values())]
    kept = [event for event in sent if event is not None and type(event).__name__ in EVENTS]
    # the event's output is the very object of the last task's that the crew's output holds (crewai 1.14.1 to 1.15.30)
    made = {id(one) for one in (output, *(getattr(output, "tasks_output", None) or ()))}
    ended = [event for event in kept if event.type == "crew_kickoff_completed" and id(getattr(event, "output", None)) in made]
    if not ended:
        return None
    began = ended[-1].started_event_id
    rows = [snapshot(None, event) for event in kept]
    return next((list(part.events) for part in parts(rows) if part.id == began), None)
