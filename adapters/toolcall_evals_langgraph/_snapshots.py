"""Snapshots of a thread: `get_state`, `get_state_history`, and the thread states of LangGraph's platform.

A snapshot knows what messages alone do not: which task failed or waits, the states of subgraphs, where turns begin.
Shapes: langgraph 1.2.24, langgraph-api 0.16.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import InvocationDraft, Reading, Trajectory
from toolcall_evals.messages import Conversation, ran_instead

from ._contents import messages_in
from ._said import calls_in, id_in, said
from ._states import message_lists, read_into, told_by_state

SOURCE = "langgraph.snapshot"
HISTORY = "langgraph.history"


def is_snapshot(raw: Any) -> bool:
    """Whether it is a snapshot, or a thread of the platform's."""
    if isinstance(raw, Mapping):
        return isinstance(raw.get("values"), Mapping | list) and any(key in raw for key in ("next", "tasks", "thread_id", "checkpoint"))
    return hasattr(raw, "values") and hasattr(raw, "tasks") and hasattr(raw, "next")


def read_snapshot(raw: Any, reading: Reading) -> Trajectory:
    """Read one snapshot: its messages, its open tasks, the states of its subgraphs."""
    return _read(raw, _messages(raw), Conversation(), reading, SOURCE)


def read_history(snapshots: Sequence[Any], reading: Reading) -> Trajectory:
    """
    Read a thread's history: every message that a checkpoint on the way to the newest one held, with turns as they began.
    """
    ordered = _oldest_first([snapshot for snapshot in snapshots if is_snapshot(snapshot)])
    if not ordered:
        return Conversation().trajectory(HISTORY, reading)
    messages, edits, begins, removed = _united(ordered)
    conversation = _Thread(begins) if begins else Conversation()
    trajectory_of = ordered[-1]
    if removed:
        conversation.warnings.append(f"{removed} message(s) were removed from the thread later; they are read from older checkpoints")
    return _read(trajectory_of, messages, conversation, reading, HISTORY, edits, ordered)


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


def _field(raw: Any, name: str) -> Any:
    return raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None)


def _tasks_of(snapshot: Any) -> Sequence[Any]:
    tasks = _field(snapshot, "tasks")
    return tasks if isinstance(tasks, list | tuple) else ()


def _messages(snapshot: Any) -> list[Any]:
    values = _field(snapshot, "values")
    if isinstance(values, list | tuple):
        return list(values)
    lists = message_lists(values) if isinstance(values, Mapping) else []
    return list(lists[0]) if lists else []


def _read(
    snapshot: Any,
    messages: list[Any],
    conversation: Conversation,
    reading: Reading,
    source: str,
    edits: Mapping[str, tuple[str, Any]] | None = None,
    older: Sequence[Any] = (),
) -> Trajectory:
    read_into(conversation, messages)
    calls = conversation.calls()
    values = _field(snapshot, "values")
    if isinstance(values, Mapping):
        told_by_state(calls, values, messages)
    _edited(calls, edits or {})
    _ran_by(calls, [*older, snapshot])
    _tasks(conversation, snapshot)
    error = _field(snapshot, "error")
    if error and isinstance(snapshot, Mapping) and "thread_id" in snapshot:
        conversation.error = error if isinstance(error, str) else str(error)
    trajectory = _with_subgraphs(conversation.trajectory(source, reading), snapshot, messages)
    if not messages and not trajectory.invocations and not (isinstance(values, Mapping) and "messages" in values):
        warning = "no messages in the thread's state: what its subgraphs did is not in it"
        return replace(trajectory, has_call_record=False, warnings=(*trajectory.warnings, warning))
    return trajectory


def _edited(calls: list[InvocationDraft], edits: Mapping[str, tuple[str, Any]]) -> None:
    """What calls were changed into in later checkpoints, where the state itself does not say."""
    for call in calls:
        stated = call.executed_name is not None or call.executed_args is not None
        if not stated and call.id and call.id in edits and edits[call.id] != (call.name, call.args):
            ran_instead(call, *edits[call.id])


def _ran_by(calls: list[InvocationDraft], snapshots: Sequence[Any]) -> None:
    """The node that answered a call, from the results of the checkpoints' tasks."""
    nodes: dict[str, str] = {}
    for snapshot in snapshots:
        for task in _tasks_of(snapshot):
            name, result = _field(task, "name"), _field(task, "result")
            for message in messages_in(result) if result is not None and isinstance(name, str) else ():
                each = said(message)
                if each is not None and each.role == "tool" and each.call_id:
                    nodes[each.call_id] = str(name)
    for call in calls:
        if call.id in nodes and call.status != "pending" and call.executed is not False:
            call.node = call.node or nodes[call.id]


def _tasks(conversation: Conversation, snapshot: Any) -> None:
    """What open tasks say of the calls that they were sent: the error that ended one, or that it waits."""
    sent = _sent(conversation.calls())
    for task in _tasks_of(snapshot):
        error, path, name = _field(task, "error"), _field(task, "path"), _field(task, "name")
        call = _call_of(sent, path)
        if call is not None and isinstance(name, str) and call.status == "pending":
            call.node = call.node or name
        if not error:
            continue
        text = error if isinstance(error, str) else repr(error)
        conversation.error = conversation.error or text
        waiting = [each for each in sent if each.status == "pending"]
        if call is None and len(waiting) == 1 and not _pulled_model(path, waiting[0]):
            call = waiting[0]
        if call is not None and call.status == "pending":
            call.status, call.executed, call.result, call.error = "error", True, text, text
        else:
            conversation.warnings.append(f"a task of {name!r} failed ({text[:200]}); which call it ran is not known")


def _pulled_model(path: Any, call: InvocationDraft) -> bool:
    """Whether the failed task is the node of a model: a call that was never sent waits for another reason."""
    return not (isinstance(path, list | tuple) and len(path) > 1 and path[1] == "tools")


def _sent(calls: list[InvocationDraft]) -> list[InvocationDraft]:
    """The calls of the last message that asks for any, as the tools node was sent them: those already answered are left out."""
    if not calls:
        return []
    last = calls[-1].message_index
    return [
        call
        for call in calls
        if call.message_index == last
        and call.status not in ("invalid", "rejected")
        and call.kind != "structured_output"
        and call.executed is not False
    ]


def _call_of(sent: list[InvocationDraft], path: Any) -> InvocationDraft | None:
    if not isinstance(path, list | tuple) or len(path) < 2 or path[0] != "__pregel_push":
        return None
    index = path[1] if isinstance(path[1], int) else path[2] if len(path) > 2 and isinstance(path[2], int) else None
    return sent[index] if index is not None and not isinstance(index, bool) and 0 <= index < len(sent) else None


def _with_subgraphs(trajectory: Trajectory, snapshot: Any, messages: list[Any]) -> Trajectory:
    """Add the calls of subgraphs that are not over; their states repeat messages that the outer graph gave them."""
    known = {id for message in messages if (id := _id_of(message)) is not None}
    calls, warnings = list(trajectory.invocations), list(trajectory.warnings)
    error = trajectory.error
    for task in _tasks_of(snapshot):
        state = _field(task, "state")
        if state is None or not is_snapshot(state):
            continue
        inner = [message for message in _messages(state) if _id_of(message) not in known]
        found = _read(state, inner, Conversation(), Reading(), SOURCE)
        calls += found.invocations
        warnings += found.warnings
        error = error or found.error
    if len(calls) == len(trajectory.invocations) and error == trajectory.error:
        return trajectory
    return replace(trajectory, invocations=tuple(calls), warnings=tuple(warnings), error=error)


def _id_of(message: Any) -> str | None:
    each = said(message)
    return each.id if each else None


def _oldest_first(snapshots: list[Any]) -> list[Any]:
    """The checkpoints on the way to the newest one, oldest first; branches that were left behind are left out."""
    if len(snapshots) < 2:
        return snapshots
    steps = [_step(snapshot) for snapshot in snapshots]
    ordered = list(snapshots) if steps[0] < steps[-1] else list(reversed(snapshots))
    by_id = {_checkpoint(_field(snapshot, "config") or _field(snapshot, "checkpoint")): snapshot for snapshot in ordered}
    if None in by_id or len(by_id) != len(ordered):
        return ordered
    way: list[Any] = []
    current: Any = ordered[-1]
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        way.append(current)
        parent = _field(current, "parent_config") or _field(current, "parent_checkpoint")
        current = by_id.get(_checkpoint(parent) or "")
    return list(reversed(way)) if len(way) > 1 else ordered


def _step(snapshot: Any) -> float:
    metadata = _field(snapshot, "metadata")
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
        metadata = _field(snapshot, "metadata")
        anonymous = 0
        for message in _messages(snapshot):
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
                    if id_in(call):
                        edits[id_in(call)] = (str(call.get("name")), call.get("args"))
        if isinstance(metadata, Mapping) and metadata.get("source") == "input":
            begins.add(len(messages))
    newest = {_id_of(message) for message in _messages(snapshots[-1])}
    return messages, edits, begins, sum(id not in newest for id in first)
