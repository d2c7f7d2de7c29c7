"""Streamed chat completions: the pieces of an answer, put together again.

Format: OpenAI's `chat.completion.chunk` (openai 3.57), and what servers that imitate it make of it: pieces without `index`,
every call under index 0, the id or the name in every piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._arguments import read_arguments
from ._conversation import Conversation
from ._requests import as_id, asked
from ._text import as_json
from .langchain import CUT_OFF


@dataclass(slots=True)
class _Call:
    id: str | None = None
    custom: bool = False
    name: str = ""
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Message:
    id: str | None = None
    texts: list[str] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    by_id: dict[str, _Call] = field(default_factory=dict)
    by_index: dict[Any, _Call] = field(default_factory=dict)
    reason: str | None = None


def is_chunk(item: Any) -> bool:
    """Whether it is a piece of a streamed completion."""
    if not isinstance(item, Mapping):
        return False
    choices = item.get("choices")
    if isinstance(choices, list | tuple) and choices:
        return isinstance(choices[0], Mapping) and isinstance(choices[0].get("delta"), Mapping)
    return item.get("object") == "chat.completion.chunk"


def read_chunks(conversation: Conversation, chunks: Iterable[Any]) -> None:
    """Read a stream, or several one after the other; each completion becomes one message of the assistant's."""
    messages: dict[str | int, _Message] = {}
    for chunk in chunks:
        if isinstance(chunk, Mapping):
            _add(conversation, messages, chunk)
        else:
            conversation.unread("items of the stream that are no mappings")
    for message in messages.values():
        _close(conversation, message)


def _add(conversation: Conversation, messages: dict[str | int, _Message], chunk: Mapping[str, Any]) -> None:
    if isinstance(chunk.get("usage"), Mapping):
        conversation.usage = chunk["usage"]
    choices, id = chunk.get("choices"), as_id(chunk.get("id")) or None
    for choice in choices if isinstance(choices, list | tuple) else ():
        if not isinstance(choice, Mapping):
            continue
        if (index := choice.get("index")) is not None and not (isinstance(index, int) and index == 0):
            conversation.unread("pieces of alternative answers")
            continue
        delta = choice.get("delta")
        message = _message_of(messages, id, bool(delta))
        if isinstance(delta, Mapping):
            _grow(message, delta)
        if isinstance(choice.get("finish_reason"), str):
            message.reason = choice["finish_reason"]


def _message_of(messages: dict[str | int, _Message], id: str | None, says: bool) -> _Message:
    """The message that a piece belongs to: by the completion's id; without one, a piece after the end begins another."""
    if id is None and messages:
        latest = messages[next(reversed(messages))]
        if latest.reason is None or not says:
            return latest
    key = id or len(messages)
    if key not in messages:
        messages[key] = _Message(id)
    return messages[key]


def _grow(message: _Message, delta: Mapping[str, Any]) -> None:
    for key in ("content", "refusal"):
        if isinstance(delta.get(key), str):
            message.texts.append(delta[key])
    pieces = delta.get("tool_calls")
    for piece in pieces if isinstance(pieces, list | tuple) else ():
        if isinstance(piece, Mapping):
            custom = piece.get("custom")
            stated = custom if isinstance(custom, Mapping) else piece.get("function")
            _grow_call(message, piece.get("index"), as_id(piece.get("id")) or None, stated, stated is custom)
    if isinstance(legacy := delta.get("function_call"), Mapping):
        _grow_call(message, "function_call", None, legacy, False)
    elif legacy:
        _grow_call(message, "function_call", None, {"arguments": legacy}, False)


def _grow_call(message: _Message, index: Any, id: str | None, stated: Any, custom: bool) -> None:
    stated = stated if isinstance(stated, Mapping) else {}
    name, text = stated.get("name"), stated.get("input" if custom else "arguments")
    name = name if isinstance(name, str) else ""
    call = _call_of(message, index if isinstance(index, int | str) else None, id, name)
    call.custom = call.custom or custom
    if name != call.name:
        call.name += name
    if text is not None:
        call.pieces.append(text if isinstance(text, str) else as_json(text))


def _call_of(message: _Message, index: int | str | None, id: str | None, name: str) -> _Call:
    """The call that a piece goes on with: different ids tell calls apart whatever the index, then indexes do."""
    call = message.by_id.get(id) if id else None
    if call is None:
        call = message.by_index.get(index) if index is not None else message.calls[-1] if message.calls else None
        if call is not None and ((id and call.id) or (name and not id and _complete(call))):
            call = None
    if call is None:
        call = _Call()
        message.calls.append(call)
    if id:
        call.id = id
        message.by_id[id] = call
    if index is not None:
        message.by_index[index] = call
    return call


def _complete(call: _Call) -> bool:
    """Whether a call has a name and arguments that can be read: another name after that is another call's."""
    if not call.name or not call.pieces or not call.pieces[-1].rstrip().endswith("}"):
        return False
    return read_arguments("".join(call.pieces))[0] is not None


def _close(conversation: Conversation, message: _Message) -> None:
    conversation.assistant("".join(message.texts), message.id)
    ended = message.reason is not None
    for call in message.calls:
        if not call.name:
            conversation.unread("pieces of arguments whose call's beginning is missing")
            continue
        text = "".join(call.pieces)
        draft = asked(call.name, {} if call.custom else text, call.id)
        if call.custom:
            draft.args, draft.raw_args = None, text
        elif not ended and (draft.args is None or not text.strip()):
            draft.args, draft.raw_args, draft.status, draft.truncated = None, text, "pending", True
        conversation.call(draft)
    if message.reason in CUT_OFF:
        conversation.cut_off()
    if not ended:
        conversation.warnings.append("the stream has no end: what it would have said or asked next is missing")
