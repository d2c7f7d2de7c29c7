"""States of a graph: a list of messages, or a mapping (or an object) in which lists of messages lie.

Shapes: langgraph 1.2.24, langchain 1.5.2; any key may hold the messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import InvocationDraft, Reading, ToolInvocation, Trajectory
from toolcall_evals.messages import Conversation, history, message_fields, ran_instead, read_messages, usual

from ._chunks import is_chunk, whole_messages
from ._interrupts import interrupted
from ._said import Said, id_in, said
from ._structured import KEY, mark_structured

SOURCE = "langgraph.state"

OWN_KEYS = frozenset({"__interrupt__", KEY, "hitl_edited_tool_calls", "jump_to", "remaining_steps", "active_agent"})
"""Keys that only states of LangGraph's agents have."""

LANGCHAIN = frozenset({"ai", "human", "tool", "system"})
CHUNKED = frozenset({"AIMessageChunk", "constructor"})
"""Values of `type` that need a closer look."""

_IDS = frozenset({"id", "run_id", "thread_id", "trace_id"})

GAVE_UP = "Sorry, need more steps to process this request."
"""What langgraph's `create_react_agent` says instead of its last message when it may take no further step."""

NODES = 50_000
"""Values of one state that are looked at in search of messages."""


def read_state(raw: Any, reading: Reading, *, source: str = SOURCE) -> Trajectory | None:
    """
    Read a state; None when it holds no messages of LangChain's and nothing that only LangGraph writes.

    Args:
        raw: A list of messages, or a mapping or object that holds lists of them.
        reading: What of it is read.
        source: What the trajectory says that it was read from.
    """
    if (found := _usual(raw, reading, source)) is not None:
        return found
    values = _values(raw)
    lists = [raw] if values is None else message_lists(values)
    if not lists:
        return _only_interrupts(values, reading, source) if values is not None and "__interrupt__" in values else None
    main = lists[0]
    stated = [message.get("type") if type(message) is dict else getattr(message, "type", None) for message in main]
    kinds = {kind for kind in stated if type(kind) is str}
    foreign = kinds.isdisjoint(LANGCHAIN) and not any(message_fields(message) for message in main)
    if foreign and (values is None or OWN_KEYS.isdisjoint(values)):
        return None
    warnings: list[str] = []
    if not kinds.isdisjoint(CHUNKED) and any(is_chunk(message) for message in main):
        main = whole_messages(main, warnings)
    conversation = read_messages(main)
    conversation.warnings += warnings
    calls = conversation.calls()
    _shortened(conversation, main, calls)
    if values is not None and len(values) > 1:
        told_by_state(calls, values, main)
        interrupted(conversation, values.get("__interrupt__"))
    given = 0 if reading.inputs is None else history(conversation, reading.inputs)
    trajectory = conversation.trajectory(source, reading, history=given)
    return trajectory if len(lists) == 1 else _with_others(trajectory, lists)


def is_said(item: Any) -> bool:
    """Whether it is surely a message of LangChain's, told without asking an object for what it may not have."""
    fields = item if type(item) is dict else getattr(item, "__dict__", None)
    if type(fields) is not dict or "content" not in fields or "role" in fields:
        return False
    kind = fields.get("type")
    return type(kind) is str and kind in LANGCHAIN


def _usual(raw: Any, reading: Reading, source: str) -> Trajectory | None:
    """The state of a usual run, read in one pass; None for every other."""
    messages = raw["messages"] if type(raw) is dict and "messages" in raw and (len(raw) == 1 or _is_labelled(raw)) else raw
    if type(messages) is not list or not messages or reading.turns != "all" or reading.after is not None:
        return None
    if not _says_nothing(reading.inputs):
        return None
    found = usual(messages, source)
    return None if found is None or (found.texts and found.texts[-1] == GAVE_UP) else found


def _is_labelled(raw: dict[str, Any]) -> bool:
    """Whether only ids stand beside the messages, as in a log."""
    return all(key == "messages" or (key in _IDS and type(value) in (str, int)) for key, value in raw.items())


def _says_nothing(inputs: Any) -> bool:
    """Whether what the run was given holds no message."""
    if inputs is None:
        return True
    return type(inputs) is dict and all(value is None or type(value) in (str, int, float, bool) for value in inputs.values())


def read_into(conversation: Conversation, messages: Any) -> None:
    """Read messages into a conversation that was begun."""
    from toolcall_evals.messages import read_message

    for message in messages:
        read_message(conversation, message)


def _values(raw: Any) -> Mapping[str, Any] | None:
    if type(raw) is dict or isinstance(raw, Mapping):
        return raw
    if isinstance(raw, list | tuple):
        return None
    fields = getattr(raw, "__dict__", None)
    return fields if isinstance(fields, Mapping) else {}


def message_lists(values: Mapping[str, Any]) -> list[Any]:
    """Every list of messages inside a state, that under `messages` first, then the outer before the inner."""
    messages = values.get("messages")
    found = [messages] if isinstance(messages, list | tuple) and messages and _is_message(messages[0]) else []
    if found and len(values) == 1:
        return found
    return found + _search(deque(item for key, item in values.items() if key != "messages" or not found))


def _search(queue: deque[Any]) -> list[Any]:
    found: list[Any] = []
    seen: set[int] = set()
    while queue and len(seen) < NODES:
        value = queue.popleft()
        if value is None or isinstance(value, str | int | float | bytes) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list | tuple):
            if any(_is_message(item) for item in value):
                found.append(value)
            else:
                queue.extend(value)
        elif isinstance(value, Mapping):
            queue.extend(value.values())
        elif hasattr(type(value), "model_fields") or hasattr(type(value), "__dataclass_fields__"):
            queue.extend(getattr(value, "__dict__", {}).values())
    return found


def _is_message(item: Any) -> bool:
    return message_fields(item) is not None or (
        isinstance(item, Mapping) and "role" in item and ("content" in item or "tool_calls" in item)
    )


def told_by_state(calls: list[InvocationDraft], values: Mapping[str, Any], messages: Sequence[Any]) -> None:
    """What keys beside the messages say of calls: the answer that was asked for as a tool call, and what a reviewer made of one."""
    last = said(messages[-1]) if messages else None  # such an answer ends a run, so a tool's message is the last one
    mark_structured(calls, values.get(KEY), by_arguments=last is not None and last.role == "tool")
    edited = values.get("hitl_edited_tool_calls")
    if not isinstance(edited, Mapping):
        return
    latest = {call.id: call for call in calls if call.id}  # an id may have been used in an earlier step
    for id, call in latest.items():
        action = edited.get(id)
        if isinstance(action, Mapping):
            ran_instead(call, action.get("name"), action.get("args"))


def _only_interrupts(values: Mapping[str, Any], reading: Reading, source: str) -> Trajectory:
    conversation = Conversation()
    conversation.assistant("")
    interrupted(conversation, values["__interrupt__"])
    return conversation.trajectory(source, reading)


def _shortened(conversation: Conversation, messages: Any, calls: list[InvocationDraft]) -> None:
    """Warn of what this state cannot hold any more."""
    extra = _field(messages[0], "additional_kwargs")
    if extra and isinstance(extra, Mapping) and extra.get("lc_source") == "summarization":
        conversation.warnings.append("earlier messages were summarised away: their calls are not in this state")
    if _field(messages[-1], "content") == GAVE_UP:
        conversation.warnings.append("the step limit replaced the last message: the calls that it asked for are not in this state")
    gone = [call.name.removeprefix("transfer_to_") for call in calls if call.kind == "handoff" and not call.synthetic]
    if gone:
        speakers = {call.agent for call in calls if not call.synthetic}
        for worker in gone:
            if worker not in speakers:
                conversation.warnings.append(
                    f"calls of {worker!r} may be hidden: a supervisor's state can hold its workers' last messages only"
                )
                break


def _field(message: Any, name: str) -> Any:
    fields = message if type(message) is dict else getattr(message, "__dict__", None)
    return fields.get(name) if isinstance(fields, dict) else None


def _with_others(trajectory: Trajectory, lists: list[Any]) -> Trajectory:
    """Add the calls of the state's other lists of messages; what a list before them holds as well is not read again."""
    ids: set[str] = set()
    plain: dict[tuple[str, str], list[Any]] = {}  # messages without an id, by what they are and how they begin
    calls, warnings = list(trajectory.invocations), list(trajectory.warnings)
    for number, messages in enumerate(lists):
        known: list[Said] = []
        fresh = 0
        for message in messages:
            each = said(message)
            if each is None:
                continue
            content = each.fields.get("content")
            alike = plain.setdefault((each.role, content[:200] if isinstance(content, str) else ""), []) if each.id is None else []
            if each.id in ids if each.id is not None else number and any(each.fields == other for other in alike):
                known.append(each)
                continue
            fresh += 1
            if each.id is not None:
                ids.add(each.id)
            else:
                alike.append(each.fields)
        if number and fresh:
            other = read_messages(messages).trajectory("")
            _add_new(calls, other.invocations, known)
            warnings += other.warnings
    if len(calls) > len(trajectory.invocations):
        warnings.append("the state holds several lists of messages: their calls are read one list after the other")
    return replace(trajectory, invocations=tuple(calls), warnings=tuple(warnings))


def _add_new(calls: list[ToolInvocation], others: tuple[ToolInvocation, ...], known: list[Said]) -> None:
    asked = {(id_in(call), name if isinstance(name := call.get("name"), str) else "") for each in known for call in each.calls()}
    answered = {each.call_id for each in known if each.role == "tool"}
    for other in others:
        repeated = (other.id or "", other.name) in asked
        if repeated or (other.args is None and other.raw_args is None and (other.id or "") in answered):
            for place, call in enumerate(calls):
                if call.id == other.id and call.args == other.args and call.status == "pending":
                    calls[place] = other
                    break
        else:
            calls.append(other)
