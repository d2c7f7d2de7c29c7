"""What models asked for that no run shows: a node that calls one through a provider's own SDK, or in a thread of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_evals import InvocationDraft

from ._contents import messages_in
from ._levels import Level
from ._said import Said, id_in, said


def unasked(messages: Sequence[Any], given: Any, level: Level) -> list[Any]:
    """
    The assistant's messages that ask for tools and are new with the node that handed them on.

    Args:
        messages: What the node handed on.
        given: What it was given, such as the thread's history.
        level: What is known; a copy of a known message, under another id, is not new.
    """
    found: list[Any] = []
    old: list[Said] | None = None
    for each in map(_asking, messages):
        if each is None or level.by_message.get(each.id or ""):
            continue
        if old is None:
            old = [other for other in map(_asking, messages_in(given)) if other is not None]
        if any(_same(each, other) for other in old) or _known(each, level):
            continue
        found.append(each.message)
    return found


def _asking(message: Any) -> Said | None:
    read = said(message)
    return (
        read
        if read is not None and read.role == "ai" and (read.fields.get("tool_calls") or read.fields.get("invalid_tool_calls"))
        else None
    )


def _same(one: Said, other: Said) -> bool:
    if one.id and other.id:
        return one.id == other.id
    return bool(one.fields.get("tool_calls") == other.fields.get("tool_calls") and one.fields.get("content") == other.fields.get("content"))


def _known(message: Said, level: Level) -> bool:
    return all(any(_same_call(call, entry.draft) for entry in level.by_id.get(id_in(call), ())) for call in message.calls())


def _same_call(call: Mapping[str, Any], draft: InvocationDraft) -> bool:
    return draft.name == call.get("name") and call.get("args") in (draft.args, draft.raw_args)
