"""The history of a thread (`get_state_history`), and what only older checkpoints hold: messages removed since, calls changed since.

Shapes: langgraph 1.2.24.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_evals import Reading, Trajectory
from toolcall_evals.messages import Conversation

from ._contents import field_of
from ._said import calls_in, id_in, said
from ._snapshots import id_of, is_snapshot, messages_of, read_thread

SOURCE = "langgraph.history"


def read_history(snapshots: Sequence[Any], reading: Reading) -> Trajectory:
    """
    Read a thread's history: every message that a checkpoint on the way to the newest one held, with turns as they began.
    """
    ordered = _oldest_first([snapshot for snapshot in snapshots if is_snapshot(snapshot)])
    if not ordered:
        return Conversation().trajectory(SOURCE, reading)
    messages, edits, begins, removed = _united(ordered)
    conversation = _Thread(begins) if begins else Conversation()
    trajectory_of = ordered[-1]
    if removed:
        conversation.warnings.append(f"read from older checkpoints: messages that were removed from the thread later ({removed})")
    return read_thread(trajectory_of, messages, conversation, reading, SOURCE, edits, ordered)


class _Thread(Conversation):
    """A conversation in which a turn begins where the thread was given input, and nowhere else."""

    __slots__ = ("_begins", "_position")

    def __init__(self, begins: set[int]) -> None:
        super().__init__()
        self._begins = sorted(begins)
        self._position = 0

    def user(self, text: str, id: str | None = None, *, injected: bool = False) -> None:
        """A message of the user's; the first one after an input began a turn."""
        position = len(self)
        new = bool(self._begins) and position >= self._begins[0]
        while self._begins and position >= self._begins[0]:
            self._begins.pop(0)
        super().user(text, id, injected=injected or not new)


def _oldest_first(snapshots: list[Any]) -> list[Any]:
    """The checkpoints on the way to the newest one, oldest first; branches that were left behind are left out."""
    if len(snapshots) < 2:
        return snapshots
    steps = [_step(snapshot) for snapshot in snapshots]
    ordered = list(snapshots) if steps[0] < steps[-1] else list(reversed(snapshots))
    by_id = {_checkpoint(field_of(snapshot, "config") or field_of(snapshot, "checkpoint")): snapshot for snapshot in ordered}
    if None in by_id or len(by_id) != len(ordered):
        return ordered
    way: list[Any] = []
    current: Any = ordered[-1]
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        way.append(current)
        parent = field_of(current, "parent_config") or field_of(current, "parent_checkpoint")
        current = by_id.get(_checkpoint(parent) or "")
    return list(reversed(way)) if len(way) > 1 else ordered


def _step(snapshot: Any) -> float:
    metadata = field_of(snapshot, "metadata")
    step = metadata.get("step") if isinstance(metadata, Mapping) else None
    return step if isinstance(step, int | float) else 0


def _checkpoint(config: Any) -> str | None:
    if not isinstance(config, Mapping):
        return None
    inner = config.get("configurable")
    found = (inner if isinstance(inner, Mapping) else config).get("checkpoint_id")
    return found if isinstance(found, str) else None


def _united(snapshots: list[Any]) -> tuple[list[Any], dict[str, tuple[str, Any]], set[int], int]:
    """
    The messages of all checkpoints, each once.

    Returns:
        The messages; what calls were changed into afterwards, by call id; the positions at which input came; how many of
        the messages the newest checkpoint does not hold.
    """
    messages: list[Any] = []
    first: dict[str, Any] = {}
    plain: list[Any] = []
    edits: dict[str, tuple[str, Any]] = {}
    begins: set[int] = set()
    for snapshot in snapshots:
        metadata = field_of(snapshot, "metadata")
        anonymous = 0
        for message in messages_of(snapshot):
            each = said(message)
            id = each.id if each else None
            if id is None:
                anonymous += 1
                if anonymous > len(plain):
                    plain.append(message)
                    messages.append(message)
            elif id not in first:
                first[id] = message
                messages.append(message)
            elif each is not None and each.role == "ai" and first[id] is not message:
                for call in calls_in(each.fields, "tool_calls"):
                    if id_in(call) and isinstance(name := call.get("name"), str):
                        edits[id_in(call)] = (name, call.get("args"))
        if isinstance(metadata, Mapping) and metadata.get("source") == "input":
            begins.add(len(messages))
    newest = {id_of(message) for message in messages_of(snapshots[-1])}
    return messages, edits, begins, sum(id not in newest for id in first)
