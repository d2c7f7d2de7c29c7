"""Wire formats: messages of any provider and framework, read into one conversation; no framework is imported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from .._convert import Reading, describe
from .._errors import TraceFormatError
from .._model import Trajectory
from ._arguments import read_arguments
from ._conversation import Conversation
from ._find import message_lists
from ._langchain_answers import misfits, ran_instead
from ._plain import same
from ._record import items_of, offered, read_items, read_message
from ._text import as_json, assistant_text, result_text
from ._tools import tools_of
from ._usual import usual
from ._usual_chat import usual_chat
from .langchain import cut_off, message_fields

__all__ = [
    "Conversation",
    "as_json",
    "assistant_text",
    "convert",
    "cut_off",
    "history",
    "message_fields",
    "misfits",
    "ran_instead",
    "read_arguments",
    "read_message",
    "read_messages",
    "result_text",
    "tools_of",
    "usual",
    "usual_chat",
]


def convert(raw: Any, reading: Reading) -> Trajectory | None:
    """
    Read messages in any wire format: a list of them, a record that holds them, JSON text of either, a plain text.

    Messages may lie under the keys that providers use (a request, a response, both) or anywhere else, in which case the
    longest list of messages is read and the others are named in the warnings. A text that is no such JSON is what the agent
    said; it has no record of calls.

    Returns:
        The trajectory, or None where there are no messages in it.

    Raises:
        TraceFormatError: There is a list where messages are expected, and none of its items is one.
    """
    if isinstance(raw, str):
        return _from_text(raw, reading)
    conversation = _conversation_in(raw)
    if conversation is not None:
        return conversation.trajectory("messages", reading, history=history(conversation, reading.inputs))
    if isinstance(raw, Mapping):
        if isinstance(raw.get("output"), str) and raw.keys() <= {"input", "output"}:
            return _said(raw["output"], raw.get("input"))
        return None if not raw.get("messages") else _refuse(raw["messages"])
    return _refuse(raw) if isinstance(raw, list | tuple) and raw else None


def history(conversation: Conversation, inputs: Any) -> int:
    """How many messages of a conversation are those that the run was given."""
    given = None if inputs is None or isinstance(inputs, str) else _conversation_in(inputs)
    return 0 if given is None else conversation.history_in(given)


def read_messages(messages: list[Any] | tuple[Any, ...]) -> Conversation:
    """
    Read a list of messages; each may be in any form.

    Raises:
        TraceFormatError: None of them is a message; single ones that are not become warnings.
    """
    conversation = Conversation()
    if messages and not read_items(conversation, messages):
        _refuse(messages)
    return conversation


def _conversation_in(raw: Any) -> Conversation | None:
    conversation = Conversation()
    items = raw if isinstance(raw, list | tuple) else items_of(raw)
    if items and read_items(conversation, items):
        conversation.available_tools = offered(raw)
        if isinstance(raw, Mapping) and len(raw) > 1:
            others = [path for path, found in message_lists(raw) if not _is_among(found, items)]
            if others:
                conversation.warnings.append(f"not read: other lists of messages ({len(others)}): {_named(others)}")
        return conversation
    found = _found_in(raw)
    if found is None and isinstance(raw, Mapping) and isinstance(raw.get("messages"), list | tuple) and not raw["messages"]:
        return conversation
    return found


def _is_among(found: list[Any] | tuple[Any, ...], items: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list of messages is, or says the same as, a part of what was read: told from its two ends."""
    return all(any(end is item or same(end, item) for item in items) for end in (found[0], found[-1]))


def _named(paths: list[str]) -> str:
    return ", ".join(paths[:5])[:200]


def _found_in(raw: Any) -> Conversation | None:
    lists = message_lists(raw)
    if not lists:
        return None
    path, longest = max(lists, key=lambda found: len(found[1]))
    conversation = Conversation()
    if not read_items(conversation, longest):
        return None
    others = [other for other, _ in lists if other != path]
    if others:
        conversation.warnings.append(f"the messages under {path!r} are read; other lists are not ({len(others)}): {_named(others)}")
    return conversation


def _from_text(raw: str, reading: Reading) -> Trajectory:
    start = raw[:200].lstrip()[:1]
    if start in ("[", "{"):
        try:
            conversation = _conversation_in(json.loads(raw))
        except (ValueError, RecursionError):
            conversation = None
        if conversation is not None:
            return conversation.trajectory("messages", reading, history=history(conversation, reading.inputs))
    return _said(raw)


def _said(text: str, input: Any = None) -> Trajectory:
    warning = "a plain text cannot show tool calls"
    return Trajectory(input if isinstance(input, str) else None, texts=(text,), has_call_record=False, source="text", warnings=(warning,))


def _refuse(items: Any) -> NoReturn:
    raise TraceFormatError(f"expected messages with a role or a type, found {describe(items)} without either")
