"""Which call does an execution or an answer belong to? By id inside one level, nearest in the graph first, then in order.

Call ids repeat across steps, inside one message, and between an agent and the sub-agents inside its tools; some are empty
(langchain-core 1.8.3, langgraph 1.2.24). A level is what was asked for inside one call's tool, or outside of any.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from toolcall_evals import InvocationDraft

LOOKED_AT = 64
"""Open calls of one id that are compared; beyond that the first one is taken."""


class Entry:
    """One call, and what is known of it so far."""

    __slots__ = ("answered", "direct", "draft", "graph", "index", "inner", "level", "message", "place", "runs", "unreadable")

    def __init__(self, draft: InvocationDraft, index: int, level: Level, place: str, message: str | None) -> None:
        self.draft = draft
        self.index = index
        self.level = level
        self.place = place
        self.graph = graph_of(place)
        self.message = message
        self.answered = False
        self.direct = False
        self.runs = 0
        self.unreadable = draft.status == "invalid"
        self.inner = Level(self)


class Level:
    """The calls asked for inside one call's tool, or outside of any."""

    __slots__ = ("_fresh", "_fresh_named", "_used", "_waiting", "by_id", "by_message", "outer", "seen")

    def __init__(self, outer: Entry | None) -> None:
        self.outer = outer
        self.by_id: dict[str, list[Entry]] = {}
        self.by_message: dict[str, list[Entry]] = {}
        self.seen: dict[str, Entry] = {}  # by id of the message that answers
        self._fresh: dict[str, dict[int, Entry]] = {}  # neither run nor answered
        self._fresh_named: dict[str, dict[int, Entry]] = {}
        self._waiting: dict[str, dict[int, Entry]] = {}  # not answered
        self._used: dict[tuple[str, str], Entry] = {}  # by id and name: the latest that ran

    def add(self, entry: Entry) -> None:
        """One more call."""
        id = entry.draft.id or ""
        self.by_id.setdefault(id, []).append(entry)
        if entry.message:
            self.by_message.setdefault(entry.message, []).append(entry)
        self._waiting.setdefault(id, {})[entry.index] = entry
        if not entry.unreadable:
            self._fresh.setdefault(id, {})[entry.index] = entry
            self._fresh_named.setdefault(entry.draft.name, {})[entry.index] = entry

    def ran(self, entry: Entry, name: str) -> None:
        """A tool of this name ran for the call."""
        entry.runs += 1
        self._used[entry.draft.id or "", name] = entry
        self._spend(entry)

    def answer(self, entry: Entry) -> None:
        """The call has an answer."""
        entry.answered = True
        self._waiting.get(entry.draft.id or "", {}).pop(entry.index, None)
        self._spend(entry)

    def reopen(self, entry: Entry) -> None:
        """What answered the call does not settle it: a node may make something else of it."""
        entry.answered = False
        self._waiting.setdefault(entry.draft.id or "", {})[entry.index] = entry

    def _spend(self, entry: Entry) -> None:
        self._fresh.get(entry.draft.id or "", {}).pop(entry.index, None)
        self._fresh_named.get(entry.draft.name, {}).pop(entry.index, None)

    def waiting(self) -> list[Entry]:
        """The calls that have no answer."""
        return [entry for entries in self._waiting.values() for entry in entries.values()]

    def waiting_as(self, call_id: str | None) -> list[Entry]:
        """The calls of one id that have no answer."""
        return list(islice(self._waiting.get(call_id or "", {}).values(), LOOKED_AT))

    def waiting_for(self, place: str, call_id: str | None, name: Any) -> Entry | None:
        """The call that an answer of this id, given at this place, belongs to."""
        waiting = self.waiting_as(call_id)
        if len(waiting) > 1:
            graph = graph_of(place)
            waiting = [entry for entry in waiting if entry.graph == graph] or waiting
        return next((entry for entry in waiting if entry.draft.name == name), waiting[0]) if waiting else None

    def asked_for(self, place: str, call_id: str | None, name: str, args: Any) -> Entry | None:
        """
        The call for which a tool ran at this place.

        One that did not run yet goes before one that is tried again; without an id the name must be the tool's.
        """
        pool = self._fresh.get(call_id, {}) if call_id else self._fresh_named.get(name, {})
        fresh = list(islice(pool.values(), LOOKED_AT))
        used = self._used.get((call_id, name)) if call_id else None
        if used is not None and used.direct and (used.draft.args != args or used.draft.status == "success"):
            used = None  # nobody asked for either: two calls under one id
        graph = graph_of(place)
        for near in (lambda entry: entry.place == place, lambda entry: entry.graph == graph, lambda entry: True):
            here = [entry for entry in fresh if near(entry)]
            named = [entry for entry in here if entry.draft.name == name]
            if named:
                return next((entry for entry in named if entry.draft.args == args), named[0])
            if used is not None and near(used):
                return used
            if here and call_id:
                return here[0]
        before = self.by_id.get(call_id) if call_id else None
        return before[-1] if before and not before[-1].unreadable and not before[-1].direct else None


def graph_of(place: str) -> str:
    """The namespace of the graph that a node's namespace lies in."""
    return place.rpartition("|")[0]
