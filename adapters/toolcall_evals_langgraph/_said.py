"""One message, as far as the joining of records looks at it: whatever form it has, and however broken it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_evals.messages import message_fields


class Said:
    """What a message is, who it is from, what it asks for and what it answers."""

    __slots__ = ("call_id", "fields", "id", "message", "name", "role")

    def __init__(self, message: Any, role: str, fields: Mapping[str, Any]) -> None:
        self.message = message
        self.role = role
        self.fields = fields
        self.id = _text(fields.get("id"))
        name = fields.get("name")
        self.name = name if isinstance(name, str) else None
        self.call_id = _text(fields.get("tool_call_id")) or ""

    def calls(self) -> list[Mapping[str, Any]]:
        """The calls that it asks for, the readable ones first."""
        return [*calls_in(self.fields, "tool_calls"), *calls_in(self.fields, "invalid_tool_calls")]

    def injected(self) -> bool:
        """Whether a framework wrote it in the user's name."""
        extra = self.fields.get("additional_kwargs")
        return isinstance(extra, Mapping) and bool(extra.get("lc_source"))


def said(message: Any) -> Said | None:
    """A message of LangChain's, or None for anything else."""
    found = message_fields(message)
    return None if found is None else Said(message, *found)


def answer_to(call_id: str | None, messages: Iterable[Said]) -> Said | None:
    """
    The tool's message that answers a call, among all that its tool returned.

    A handoff may return the whole history, in which the id was used before: the last one is its own.
    """
    found = None
    for each in messages:
        if each.role == "tool" and each.call_id == (call_id or ""):
            found = each
    return found


def calls_in(fields: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The entries of a message's list of calls."""
    calls = fields.get(key)
    if not calls or not isinstance(calls, list | tuple):
        return []
    return [call for call in calls if type(call) is dict or isinstance(call, Mapping)]


def id_in(call: Mapping[str, Any]) -> str:
    """A call's id, or an empty text."""
    return _text(call.get("id")) or ""


def _text(value: Any) -> str | None:
    return value if value is None or type(value) is str else str(value)
