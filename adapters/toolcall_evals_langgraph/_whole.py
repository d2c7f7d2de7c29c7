"""The messages of a stream whole again: the mode `messages` yields them in chunks, the platform repeats what it has of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_evals.messages import message_fields

from ._chunks import is_chunk, merged
from ._parts import Part
from ._said import said


def with_whole_messages(parts: list[Part], warnings: list[str], updated: bool) -> list[Part]:
    """
    The parts, with each streamed message whole at the place of its last chunk.

    Platform streams repeat what they have of a message (`messages/partial`): the last repetition counts.
    """
    chunks: dict[str, list[Any]] = {}
    last: dict[str, int] = {}
    found: dict[int, tuple[str, Any]] = {}
    for number, part in enumerate(parts):
        name = part.mode
        if not name.startswith("messages"):
            continue
        for message, metadata in _spoken(part.data):
            each = said(message)
            once = name == "messages" and not is_chunk(message)  # said whole: another answer to the same call is another message
            key = (each.id or (None if once else each.call_id) if each else None) or str(number)
            if name == "messages/partial" or not is_chunk(message):
                chunks[key] = [message]
            else:
                chunks.setdefault(key, []).append(message)
            last[key] = number
            found[number] = (key, metadata)
    whole: list[Part] = []
    for number, part in enumerate(parts):
        if not part.mode.startswith("messages"):
            whole.append(part)
            continue
        if number not in found or last[found[number][0]] != number:
            continue
        key, metadata = found[number]
        message = merged(chunks[key], warnings) if is_chunk(chunks[key][0]) else chunks[key][0]
        if not (updated and is_chunk(chunks[key][0]) and not _ended(chunks[key])):
            whole.append(Part(part.namespace, "messages", (message, metadata)))
    return whole


def _ended(chunks: list[Any]) -> bool:
    return any((message_fields(chunk) or ("", {}))[1].get("chunk_position") == "last" for chunk in chunks)


def _spoken(data: Any) -> list[tuple[Any, Mapping[str, Any]]]:
    """The messages of a part with their metadata: one pair, or (platform) a list of messages."""
    if isinstance(data, list | tuple) and len(data) == 2 and message_fields(data[0]) is not None and message_fields(data[1]) is None:
        return [(data[0], data[1] if isinstance(data[1], Mapping) else {})]
    if isinstance(data, list | tuple):
        return [(message, {}) for message in data if message_fields(message) is not None]
    return [(data, {})] if message_fields(data) is not None else []
