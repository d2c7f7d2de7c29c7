"""Wire formats: messages of any provider and framework, read into one conversation; no framework is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._convert import Reading
from .._errors import TraceFormatError
from .._model import Trajectory
from . import langchain, openai
from ._arguments import read_arguments
from ._conversation import Conversation, tools_of
from ._langchain_answers import misfits, ran_instead
from ._text import as_json, assistant_text, result_text
from .langchain import cut_off, message_fields

__all__ = [
    "Conversation",
    "as_json",
    "assistant_text",
    "convert",
    "cut_off",
    "message_fields",
    "misfits",
    "ran_instead",
    "read_arguments",
    "read_message",
    "read_messages",
    "result_text",
    "tools_of",
]


def convert(raw: Any, reading: Reading) -> Trajectory | None:
    """Read a plain list of messages, or a mapping that holds one under `messages`; None for anything else."""
    if isinstance(raw, str):
        return Trajectory(texts=(raw,), has_call_record=False, source="text", warnings=("a plain text cannot show tool calls",))
    messages = raw.get("messages") if isinstance(raw, Mapping) else raw
    if not isinstance(messages, list | tuple):
        return None
    if not messages:
        if isinstance(raw, Mapping):
            return Conversation().trajectory("messages", reading)
        return None
    conversation = read_messages(messages)
    return conversation.trajectory("messages", reading, history=history(conversation, reading.inputs))


def history(conversation: Conversation, inputs: Any) -> int:
    """How many messages of a conversation are those that the run was given."""
    if inputs is None:
        return 0
    given = inputs.get("messages") if isinstance(inputs, Mapping) else inputs
    if not isinstance(given, list | tuple) or not given:
        return 0
    try:
        return conversation.history_in(read_messages(given))
    except TraceFormatError:
        return 0


def read_messages(messages: list[Any] | tuple[Any, ...]) -> Conversation:
    """
    Read a list of messages; each may be in any form.

    Raises:
        TraceFormatError: None of them is a message; single ones that are not become warnings.
    """
    conversation = Conversation()
    unread = 0
    for message in messages:
        if not read_message(conversation, message):
            unread += 1
    if unread == len(messages):
        raise TraceFormatError(f"expected messages with a role or a type, found {unread} item(s) that have neither, the first a {type(messages[0]).__name__}")
    if unread:
        conversation.warnings.append(f"{unread} item(s) of the list are no messages")
    return conversation


def read_message(conversation: Conversation, message: Any) -> bool:
    """Read one message of any form into the conversation; False when it is none."""
    if isinstance(message, Mapping):
        return langchain.read(conversation, message) or openai.read(conversation, message)
    if isinstance(message, tuple | list):
        return openai.read_pair(conversation, message)
    fields = getattr(message, "__dict__", None)
    if not isinstance(fields, dict):
        return False
    return langchain.read(conversation, fields) or openai.read(conversation, fields)
