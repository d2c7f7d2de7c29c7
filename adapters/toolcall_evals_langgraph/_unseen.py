"""What models asked for that no run shows: a node that calls one through a provider's own SDK, or in a thread of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_evals import InvocationDraft
from toolcall_evals.messages import message_fields

from ._levels import Level


def unasked(messages: Sequence[Any], given: Sequence[Any], level: Level) -> list[Any]:
    """
    The assistant's messages that ask for tools and are new with the node that handed them on.

    Args:
        messages: What the node handed on.
        given: What it was given, such as the thread's history.
        level: What is known; a copy of a known message, under another id, is not new.
    """
    found: list[Any] = []
    old: list[Mapping[str, Any]] | None = None
    for message in messages:
        fields = _asking(message)
        if fields is None or level.by_message.get(fields.get("id") or ""):
            continue
        if old is None:
            old = [each for each in map(_asking, given) if each is not None]
        if any(_same(fields, each) for each in old) or _known(fields, level):
            continue
        found.append(message)
    return found


def _asking(message: Any) -> Mapping[str, Any] | None:
    read = message_fields(message)
    return read[1] if read is not None and read[0] == "ai" and (read[1].get("tool_calls") or read[1].get("invalid_tool_calls")) else None


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one.get("id") and other.get("id"):
        return bool(one["id"] == other["id"])
    return bool(one.get("tool_calls") == other.get("tool_calls") and one.get("content") == other.get("content"))


def _known(fields: Mapping[str, Any], level: Level) -> bool:
    calls = [call for key in ("tool_calls", "invalid_tool_calls") for call in fields.get(key) or () if isinstance(call, Mapping)]
    return all(any(_same_call(call, entry.draft) for entry in level.by_id.get(call.get("id") or "", ())) for call in calls)


def _same_call(call: Mapping[str, Any], draft: InvocationDraft) -> bool:
    return draft.name == call.get("name") and call.get("args") in (draft.args, draft.raw_args)
