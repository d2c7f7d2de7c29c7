"""Snapshots of a thread: `get_state`, and the thread states of LangGraph's platform.

A snapshot knows what messages alone do not: which task failed or waits, the states of subgraphs.
Shapes: langgraph 1.2.24, langgraph-api 0.16.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import InvocationDraft, Reading, Trajectory
from toolcall_evals.messages import Conversation, ran_instead

from ._contents import field_of, messages_in
from ._said import said
from ._states import message_lists, read_into, told_by_state

SOURCE = "langgraph.snapshot"


def is_snapshot(raw: Any) -> bool:
    """Whether it is a snapshot, or a thread of the platform's."""
    if isinstance(raw, Mapping):
        return isinstance(raw.get("values"), Mapping | list) and any(key in raw for key in ("next", "tasks", "thread_id", "checkpoint"))
    return hasattr(raw, "values") and hasattr(raw, "tasks") and hasattr(raw, "next")


def read_snapshot(raw: Any, reading: Reading) -> Trajectory:
    """Read one snapshot: its messages, its open tasks, the states of its subgraphs."""
    return read_thread(raw, messages_of(raw), Conversation(), reading, SOURCE)


def _tasks_of(snapshot: Any) -> Sequence[Any]:
    tasks = field_of(snapshot, "tasks")
    return tasks if isinstance(tasks, list | tuple) else ()


def messages_of(snapshot: Any) -> list[Any]:
    """The messages of a snapshot's state; of several lists the first one."""
    values = field_of(snapshot, "values")
    if isinstance(values, list | tuple):
        return list(values)
    lists = message_lists(values) if isinstance(values, Mapping) else []
    return list(lists[0]) if lists else []


def read_thread(
    snapshot: Any,
    messages: list[Any],
    conversation: Conversation,
    reading: Reading,
    source: str,
    edits: Mapping[str, tuple[str, Any]] | None = None,
    older: Sequence[Any] = (),
) -> Trajectory:
    """
    Read a thread's messages with what its newest snapshot tells of them.

    Args:
        snapshot: The newest one.
        messages: Those that are read.
        conversation: What they are read into.
        edits: What calls were changed into after they were asked for, by call id.
        older: The snapshots before.
    """
    read_into(conversation, messages)
    calls = conversation.calls()
    values = field_of(snapshot, "values")
    if isinstance(values, Mapping):
        told_by_state(calls, values, messages)
    _edited(calls, edits or {})
    _ran_by(calls, [*older, snapshot])
    _tasks(conversation, snapshot)
    error = field_of(snapshot, "error")
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
            name, result = field_of(task, "name"), field_of(task, "result")
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
        error, path, name = field_of(task, "error"), field_of(task, "path"), field_of(task, "name")
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
    known = {id for message in messages if (id := id_of(message)) is not None}
    calls, warnings = list(trajectory.invocations), list(trajectory.warnings)
    error = trajectory.error
    for task in _tasks_of(snapshot):
        state = field_of(task, "state")
        if state is None or not is_snapshot(state):
            continue
        inner = [message for message in messages_of(state) if id_of(message) not in known]
        found = read_thread(state, inner, Conversation(), Reading(), SOURCE)
        calls += found.invocations
        warnings += found.warnings
        error = error or found.error
    if len(calls) == len(trajectory.invocations) and error == trajectory.error:
        return trajectory
    return replace(trajectory, invocations=tuple(calls), warnings=tuple(warnings), error=error)


def id_of(message: Any) -> str | None:
    """A message's id, or None."""
    each = said(message)
    return each.id if each else None
