"""Records that hold a conversation beside other things: a request, a whole response, a log of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._model import Tool
from . import gemini, langchain, openai, responses
from ._conversation import Conversation
from ._find import is_message
from ._plain import fields_of, plain
from ._text import assistant_text
from ._tools import tools_of
from .chunks import is_chunk, read_chunks

_ASKED = ("messages", "contents", "input", "inputs", "request")
"""Keys under which records keep what a model was given (OpenAI chat and Anthropic, Gemini, Responses, logs)."""

_ANSWERED = ("output", "outputs", "response", "message", "chunks")
"""Keys under which they keep what it answered (Ollama, Bedrock and Cohere: `message`), beside those of a provider's own response."""

_DEPTH = 6
"""How many such keys may lie inside one another."""

_SAMPLE = 20
"""How many items of a list are looked at to see whether it is a conversation."""


def read_message(conversation: Conversation, message: Any) -> bool:
    """Read one message, item or whole response of any form into the conversation; False when it is none."""
    if type(message) is dict or isinstance(message, Mapping):
        return ("type" in message and langchain.read(conversation, message)) or _read_fields(conversation, message)
    if isinstance(message, tuple | list):
        return openai.read_pair(conversation, message)
    fields = getattr(message, "__dict__", None)
    if type(fields) is dict and langchain.read(conversation, fields):
        return True
    return fields_of(message) is not None and _read_fields(conversation, plain(message))


def read_items(conversation: Conversation, items: list[Any] | tuple[Any, ...]) -> bool:
    """Read a list of messages, pieces of a stream after all others; False when none of it can be read."""
    chunks: list[Any] = []
    unread = 0
    for item in openai.read_plain(conversation, items) if items and openai.is_plain(items[0]) else items:
        if not read_message(conversation, item):
            piece = item if type(item) is dict else plain(item)
            if chunks or is_chunk(piece):
                chunks.append(piece)
            else:
                unread += 1
    if chunks:
        read_chunks(conversation, chunks)
    elif unread == len(items):
        return False
    if unread:
        conversation.warnings.append(f"not read: items of the list that are no messages ({unread})")
    return True


def items_of(record: Any, depth: int = _DEPTH) -> list[Any]:
    """
    The messages that a record holds, in the order in which they were said; empty when it holds none under a known key.

    An answer that begins with all that was asked (the whole state of an agent) stands for both; so does what was asked where it
    already ends with the answer.
    """
    if isinstance(record, list | tuple):
        return list(record) if any(_is_item(item) for item in record[:_SAMPLE]) else []
    fields = fields_of(record)
    if fields is None or depth <= 0:
        return []
    if is_message(record):
        return [record]
    asked = next((found for key in _ASKED if (found := items_of(fields.get(key), depth - 1))), [])
    if _is_response(fields):
        answered = [record]
    else:
        answered = next((found for key in _ANSWERED if (found := items_of(fields.get(key), depth - 1))), [])
    if not asked and not answered:
        return []
    if not asked and isinstance(fields.get("input"), str):
        asked = [{"role": "user", "content": fields["input"]}]
    if _begins(answered, asked):
        asked = []
    elif _ends(asked, answered):
        answered = []
    return [*_instructions(fields), *asked, *answered]


def offered(record: Any) -> tuple[Tool, ...] | None:
    """The tools that a record says were on offer, or None."""
    fields = fields_of(record) or {}
    for holder in (fields, fields.get("toolConfig"), fields.get("config"), fields.get("request")):
        if isinstance(holder, Mapping):
            for key in ("tools", "functions"):
                if (tools := tools_of(holder.get(key))) is not None:
                    return tools
    return None


def _read_fields(conversation: Conversation, fields: Mapping[str, Any]) -> bool:
    if "parts" in fields and "content" not in fields:
        return gemini.read(conversation, fields)
    if openai.read(conversation, fields) or responses.read(conversation, fields):
        return True
    if not _is_response(fields):
        return False
    usage = fields.get("usage", fields.get("usageMetadata"))
    if isinstance(usage, Mapping):
        conversation.usage = usage
    if "choices" in fields:
        return openai.read_response(conversation, fields)
    if "candidates" in fields:
        return gemini.read_response(conversation, fields)
    for item in fields["output"]:
        if not read_message(conversation, item):
            conversation.unread("items of the output")
    responses.close(conversation, fields)
    return True


def _is_item(item: Any) -> bool:
    if is_message(item) or is_chunk(item):
        return True
    if isinstance(item, list | tuple):
        return openai.read_pair(Conversation(), item)
    fields = fields_of(item)
    return fields is not None and (_is_response(fields) or responses.read(Conversation(), fields) or gemini.read(Conversation(), fields))


def _is_response(fields: Mapping[str, Any]) -> bool:
    """Whether it is a provider's whole response: chat's, Gemini's, or that of Responses."""
    choices, output = fields.get("choices"), fields.get("output")
    if isinstance(choices, list | tuple) and choices:
        first = fields_of(choices[0]) or {}
        return fields_of(first.get("message", first.get("delta"))) is not None
    if isinstance(fields.get("candidates"), list | tuple):
        return bool(fields["candidates"])
    return isinstance(output, list | tuple) and fields.get("object") == "response"


def _begins(whole: list[Any], start: list[Any]) -> bool:
    if not start or len(whole) < len(start):
        return False
    given, told = Conversation(), Conversation()
    return read_items(given, start) and read_items(told, whole) and told.history_in(given) > 0


def _ends(whole: list[Any], end: list[Any]) -> bool:
    if not end or not whole:
        return False
    told, said = Conversation(), Conversation()
    return read_items(told, whole) and read_items(said, end) and told.ends_with(said)


def _instructions(fields: Mapping[str, Any]) -> list[Any]:
    texts = []
    for key in ("system", "instructions", "system_instruction", "systemInstruction"):
        stated = fields_of(fields.get(key)) or fields.get(key)
        if isinstance(stated, Mapping):
            stated = stated.get("parts", stated.get("content"))
        texts.append(assistant_text(plain(stated)))
    return [{"role": "system", "content": text} for text in texts if text]
