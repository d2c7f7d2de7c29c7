"""Calls made inside other calls, such as by a sub-agent that is a tool: each level is matched against its own expectation."""

from __future__ import annotations

from collections.abc import Sequence

from .._model import ToolInvocation


class Levels:
    """
    The calls of a run by the call inside which they were made.

    Attributes:
        outermost: The calls made inside no other call of the run, in order.
    """

    __slots__ = ("_inside", "outermost")

    def __init__(self, calls: Sequence[ToolInvocation]) -> None:
        ids = {call.id for call in calls if call.id}
        self.outermost = tuple([call for call in calls if call.parent_id not in ids])
        self._inside: dict[str, list[ToolInvocation]] = {}
        for call in calls:
            if call.parent_id in ids and call.parent_id:
                self._inside.setdefault(call.parent_id, []).append(call)

    def inside(self, call: ToolInvocation) -> tuple[ToolInvocation, ...]:
        """The calls made inside a call, those of deeper levels included."""
        found: list[ToolInvocation] = []
        waiting, seen = [call.id], set()
        while waiting:
            if (parent := waiting.pop()) and parent not in seen:
                seen.add(parent)
                for inner in self._inside.get(parent, []):
                    found.append(inner)
                    waiting.append(inner.id)
        return tuple(found)
