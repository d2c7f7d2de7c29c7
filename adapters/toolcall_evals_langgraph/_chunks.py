"""Chunks of a streamed message, put together as langchain-core 1.8.3 does.

Each fragment claims `tool_calls` and `invalid_tool_calls` of its own, which are made of half a call: only
`tool_call_chunks` count, joined by `index`; an id that differs begins another call.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_evals.messages import cut_off, message_fields

from ._said import calls_in, id_in, said


class _Call:
    __slots__ = ("id", "index", "name", "pieces")

    def __init__(self, index: Any) -> None:
        self.id: str | None = None
        self.name = ""
        self.index = index
        self.pieces: list[str] = []


def is_chunk(message: Any) -> bool:
    """Whether it is a chunk of an assistant's message."""
    fields = message if isinstance(message, Mapping) else getattr(message, "__dict__", None)
    if not isinstance(fields, Mapping):
        return False
    kind = fields.get("type")
    if kind == "constructor":
        identifier = fields.get("id")
        kind = identifier[-1] if isinstance(identifier, list | tuple) and identifier else None
    return kind == "AIMessageChunk"


def whole_messages(messages: Iterable[Any], warnings: list[str]) -> list[Any]:
    """
    The messages of a list, with each run of chunks of one message put together; everything else as it is.

    Args:
        warnings: Told of messages whose end is missing.
    """
    whole: list[Any] = []
    open_chunks: list[Any] = []
    key: Any = None
    for message in messages:
        if is_chunk(message):
            each = said(message)
            id = each.id if each else None
            if open_chunks and id != key and id is not None and key is not None:
                whole.append(merged(open_chunks, warnings))
                open_chunks = []
            key = id if id is not None else key if open_chunks else None
            open_chunks.append(message)
        else:
            if open_chunks:
                whole.append(merged(open_chunks, warnings))
                open_chunks = []
            whole.append(message)
    if open_chunks:
        whole.append(merged(open_chunks, warnings))
    return whole


def merged(chunks: list[Any], warnings: list[str]) -> Any:
    """The message that chunks make up, as its JSON form; a single chunk that is no fragment stays as it is."""
    parts = [found[1] for chunk in chunks if (found := message_fields(chunk)) is not None]
    if len(parts) == 1 and _complete(parts[0]):
        return chunks[0]
    calls: list[_Call] = []
    metadata: dict[str, Any] = {}
    content: list[Any] = []
    message: dict[str, Any] = {"type": "ai", "id": None, "name": None, "additional_kwargs": {}}
    finished = False
    for part in parts:
        message["id"], message["name"] = message["id"] or part.get("id"), message["name"] or part.get("name")
        content.append(part.get("content"))
        told = part.get("response_metadata")
        metadata.update(told if isinstance(told, Mapping) else {})
        finished = finished or part.get("chunk_position") == "last"
        if part.get("usage_metadata"):
            message["usage_metadata"] = part["usage_metadata"]
        fragments = calls_in(part, "tool_call_chunks") or [
            {**call, "args": _text(call.get("args"))} for call in calls_in(part, "tool_calls")
        ]
        for fragment in fragments:
            _add(calls, fragment)
    message["content"] = _joined(content)
    message["response_metadata"] = metadata
    finished = finished or any(key in metadata for key in ("finish_reason", "stop_reason", "stopReason", "done_reason"))
    message["tool_calls"], message["invalid_tool_calls"] = _calls(calls)
    if any(not call.name and not call.id for call in calls):
        warnings.append("pieces of arguments whose call's beginning is missing are not read")
    if calls and not finished and any(_unclosed(call) for call in calls):
        warnings.append("a streamed message has no end: its last call may be cut off")
        message["response_metadata"] = {**metadata, "finish_reason": "incomplete"}
    elif cut_off(metadata):
        message["response_metadata"] = metadata
    return message


def _complete(part: Mapping[str, Any]) -> bool:
    fragments = calls_in(part, "tool_call_chunks")
    return not fragments or (len(calls_in(part, "tool_calls")) == len(fragments) and all(_readable(each) for each in fragments))


def _readable(fragment: Any) -> bool:
    if not isinstance(fragment, Mapping) or not fragment.get("name"):
        return False
    try:
        return isinstance(json.loads(fragment.get("args") or ""), dict)
    except (ValueError, RecursionError, TypeError):
        return False


def _add(calls: list[_Call], fragment: Mapping[str, Any]) -> None:
    index, id, name = fragment.get("index"), id_in(fragment) or None, fragment.get("name")
    name = name if isinstance(name, str) else None
    found = next((call for call in reversed(calls) if _goes_on(call, index, id, name)), None)
    if found is None:
        found = _Call(index)
        calls.append(found)
    found.id = found.id or id
    if name and name != found.name:
        found.name += name
    piece, before = _text(fragment.get("args")), "".join(found.pieces) if id and name and found.pieces else ""
    if before and piece.startswith(before):  # the whole again instead of the next piece
        found.pieces = []
    found.pieces.append(piece)


def _goes_on(call: _Call, index: Any, id: Any, name: Any) -> bool:
    if index is None:
        return bool(call.id == id) if id else not name
    return bool(call.index == index) and not (id and call.id and id != call.id)


def _text(args: Any) -> str:
    return args if isinstance(args, str) else "" if args is None else json.dumps(args, ensure_ascii=False, default=str)


def _unclosed(call: _Call) -> bool:
    try:
        json.loads("".join(call.pieces))
    except (ValueError, RecursionError):
        return True
    return False


def _calls(calls: list[_Call]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    valid, invalid = [], []
    for call in calls:
        text = "".join(call.pieces)
        args = arguments_so_far(text)
        if args is not None and call.name:
            valid.append({"name": call.name, "args": args, "id": call.id, "type": "tool_call"})
        elif call.name or call.id:
            invalid.append({"name": call.name, "args": text, "id": call.id, "error": None, "type": "invalid_tool_call"})
    return valid, invalid


def arguments_so_far(text: str) -> dict[str, Any] | None:
    """Arguments whose end may be missing, as far as they are there; None when they are no object."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _repaired(text)
    return found if isinstance(found, dict) else None


def _repaired(text: str) -> Any:
    closers: list[str] = []
    quoted = escaped = False
    ends: deque[tuple[int, str]] = deque(maxlen=3)  # where the text may end, and what closes it there
    for position, letter in enumerate(text):
        if quoted:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                quoted = False
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            closers.append("}" if letter == "{" else "]")
            ends.append((position + 1, "".join(reversed(closers))))
        elif letter in "}]":
            if not closers or closers.pop() != letter:
                return None
            ends.append((position + 1, "".join(reversed(closers))))
        elif letter == ",":
            ends.append((position, "".join(reversed(closers))))
    tail = ('"' if quoted else "") + "".join(reversed(closers))
    for end, closing in ((len(text) - escaped, tail), *reversed(ends)):
        try:
            return json.loads(text[:end] + closing)
        except (ValueError, RecursionError):
            continue
    return None


def _joined(contents: list[Any]) -> Any:
    if all(isinstance(content, str) or content is None or content == [] for content in contents):
        return "".join([content for content in contents if isinstance(content, str)])
    blocks: list[Any] = []
    by_index: dict[Any, dict[str, Any]] = {}
    for content in contents:
        for block in (
            [{"type": "text", "text": content}] if isinstance(content, str) else content if isinstance(content, list | tuple) else ()
        ):
            if not isinstance(block, Mapping):
                blocks.append(block)
                continue
            index = block.get("index")
            known = by_index.get(index) if index is not None else None
            if known is None or (known.get("type") != block.get("type") and block.get("type") != "input_json_delta"):
                known = dict(block)
                blocks.append(known)
                if index is not None:
                    by_index[index] = known
                continue
            for key, value in block.items():
                if isinstance(value, str) and isinstance(known.get(key), str) and key not in ("type", "id", "index", "name"):
                    known[key] += value
                elif known.get(key) in (None, "", {}, []):
                    known[key] = value
    return blocks
