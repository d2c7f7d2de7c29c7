"""Where in a record are the messages? Under the keys that providers use, else wherever a list of messages lies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from .._json import shown
from ._plain import fields_of

NODES = 200_000
"""How many values are looked at in search of messages."""

_ROLES = frozenset({"system", "developer", "user", "human", "assistant", "ai", "model", "tool", "function"})
_SAID = frozenset({"content", "parts", "tool_calls", "function_call", "data", "tool_call_id"})
_LANGCHAIN = frozenset({"human", "ai", "tool", "system", "function", "chat"})


def is_message(item: Any) -> bool:
    """Whether it looks like a message or an item of a conversation, in any wire format."""
    fields = item if type(item) is dict else fields_of(item)
    if fields is None:
        return False
    role, kind = fields.get("role"), fields.get("type")
    if isinstance(role, str) and role in _ROLES and not _SAID.isdisjoint(fields):
        return True
    if not isinstance(kind, str):
        return False
    if kind in _LANGCHAIN or kind.endswith("MessageChunk"):
        return not _SAID.isdisjoint(fields)
    if kind == "constructor":
        name = fields.get("id")
        return isinstance(name, list) and bool(name) and shown(name[-1]).removesuffix("Chunk").endswith("Message")
    return kind in ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output") and "call_id" in fields


def message_lists(raw: Any) -> list[tuple[str, list[Any] | tuple[Any, ...]]]:
    """
    Every list in a record that holds messages, with the path to it; the outer ones before the inner, never one inside another.

    Cycles and depth are no matter: each value is looked at once, up to `NODES` of them.
    """
    found: list[tuple[str, list[Any] | tuple[Any, ...]]] = []
    queue: deque[tuple[str, Any]] = deque([("", raw)])
    seen: set[int] = set()
    while queue and len(seen) < NODES:
        path, value = queue.popleft()
        if isinstance(value, str | bytes | int | float | None) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list | tuple) and any(is_message(item) for item in value):
            found.append((path, value))
        else:
            queue.extend((f"{path}.{key}" if path else key, item) for key, item in _children(value))
    return found


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield str(index), item
        return
    fields = value if isinstance(value, Mapping) else fields_of(value) if _is_data(value) else None
    if fields is not None:
        for key, item in list(fields.items()):
            yield shown(key)[:80], item


def _is_data(value: Any) -> bool:
    """Whether an object is there to hold data (a dataclass, a pydantic model); others, such as clients, are not searched."""
    kind = type(value)
    return hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__pydantic_fields__")
