"""What one capture hears on CrewAI's event bus.

The bus is one for the whole process, and calls its handlers in worker threads, in no order, each in a copy of the sender's
context (crewai 1.11 and newer). So a private context variable tells whose event it is, without any id of CrewAI's; what runs in
a plain thread, which inherits no context, is found through the crew it belongs to and the tree of events.
"""

from __future__ import annotations

import logging
import threading
from contextvars import ContextVar
from typing import Any, NamedTuple

from ._rows import log_of
from ._snapshot import EVENTS, Row, snapshot
from ._tree import STARTS, Tree, begins_a_part

logger = logging.getLogger("toolcall_evals_crewai")

FLUSH_TIMEOUT_S = 30.0

_HANDLER_THREADS = ("CrewAISyncHandler", "CrewAIEventsLoop")

_ELSEWHERE = "events were seen only of runs outside this block's context; a run in a thread of its own is found by its crew: capture(crew)"

_active: ContextVar[tuple[Listener, ...]] = ContextVar("toolcall_evals_crewai_captures", default=())


class Heard(NamedTuple):
    """One event: its row, whether it was sent inside the capture's context, whether it begins something that was asked for."""

    row: Row
    inside: bool
    asked: bool


class Listener:
    """
    The handlers of one capture.

    It holds rows only until it is closed: the bus remembers the handlers that it has once called (crewai 1.15.30).
    """

    def __init__(self, runnables: tuple[Any, ...]) -> None:
        """
        Args:
            runnables: The crews, agents and flows that are asked for; empty for whatever runs in the context.
        """
        self._runnables = runnables
        self.ids = {str(identity) for one in runnables if (identity := getattr(one, "id", None)) is not None}
        self._keys = {key for one in runnables if (key := _key(one)) is not None}
        self._lock = threading.Lock()
        self._heard: list[Heard] = []
        self._elsewhere = 0
        self._classes: tuple[Any, ...] = ()
        self.is_open = False

    def open(self) -> None:
        """Register on the bus, and mark the current context as this capture's."""
        import crewai.events as events

        self._bus = events.crewai_event_bus
        self._classes = tuple(found for name in EVENTS if (found := getattr(events, name, None)) is not None)
        for event_class in self._classes:
            self._bus.register_handler(event_class, self.hear)
        _active.set((*_open_ones(), self))
        self.is_open = True

    def hear(self, source: Any, event: Any) -> None:
        """Keep one event; called by the bus."""
        inside = self in _active.get()
        if not inside and not self._runnables:
            self._elsewhere += 1
            return
        heard = Heard(snapshot(source, event), inside, self._is_asked_for(source, event, inside))
        with self._lock:
            self._heard.append(heard)

    def _is_asked_for(self, source: Any, event: Any, inside: bool) -> bool:
        if not self._runnables or getattr(event, "type", None) not in STARTS:
            return False
        identity = str(getattr(source, "id", None))
        if any(source is one for one in self._runnables) or identity in self.ids:
            return True
        # `kickoff_for_each` runs copies, which have ids of their own; an equal crew that another capture asks for by id is no copy
        return inside and _key(source) in self._keys and not any(identity in other.ids for other in _active.get())

    def close(self) -> tuple[list[Row], list[str]]:
        """Wait for the handlers under way and leave the bus; the rows of this capture, and what may be missing, in words."""
        warnings = [] if flush() else [f"CrewAI's event handlers were busy for {FLUSH_TIMEOUT_S:.0f} s: some events may be missing"]
        for event_class in self._classes:
            self._bus.off(event_class, self.hear)
        self.is_open = False
        _active.set(_open_ones())
        rows = self.rows()
        if not rows and (self._elsewhere or self._heard):
            warnings.append(_ELSEWHERE)
        with self._lock:
            self._heard, self._runnables = [], ()
        return rows, warnings

    def rows(self) -> list[Row]:
        """The rows that are this capture's, in the order in which they were sent."""
        with self._lock:
            heard = list(self._heard)
        return [dict(row) for row in log_of(_own(heard) if self._runnables else [one.row for one in heard]).rows]


def flush() -> bool:
    """Wait until the handlers of all events sent so far are done; whether they are."""
    if threading.current_thread().name.startswith(_HANDLER_THREADS):
        return True  # a handler that waits for all handlers waits for itself
    try:
        from crewai.events import crewai_event_bus

        return bool(crewai_event_bus.flush(timeout=FLUSH_TIMEOUT_S))
    except Exception:  # a handler of somebody else's that was cancelled
        logger.debug("the event bus could not be flushed", exc_info=True)
        return False


def _open_ones() -> tuple[Listener, ...]:
    return tuple(one for one in _active.get() if one.is_open)


def _own(heard: list[Heard]) -> list[Row]:
    """What lies below a start that was asked for; and what was sent inside the context and lies below no start at all."""
    tree = Tree([one.row for one in heard])
    asked = {one.row.get("event_id") for one in heard if one.asked}
    starts = {one.row.get("event_id") for one in heard if begins_a_part(one.row)}
    own = []
    for one in heard:
        line = list(tree.line(one.row))
        if not asked.isdisjoint(line) or (one.inside and starts.isdisjoint(line)):
            own.append(one.row)
    return own


def _key(runnable: Any) -> str | None:
    """What a crew shares with its copies; None for what is no crew."""
    if not hasattr(runnable, "tasks"):
        return None
    key = getattr(runnable, "key", None)
    return key if isinstance(key, str) else None
