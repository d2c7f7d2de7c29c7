"""The items of a stream, whatever options it was recorded with: each becomes a part (namespace, mode, data)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from toolcall_evals.messages import message_fields

MODES = frozenset({"updates", "values", "messages", "tools", "tasks", "debug", "checkpoints", "custom"})
"""Modes of `stream` (langgraph 1.2.24; `tools` is not in its documented list)."""


class Part(NamedTuple):
    """One item of a stream."""

    namespace: str
    mode: str
    data: Any


def parts_of(items: Iterable[Any], mode: str) -> Iterator[Part]:
    """
    Read the items of a stream.

    Args:
        items: Plain data, `(namespace, data)` with `subgraphs=True`, `(mode, data)` or `(namespace, mode, data)` with
            several modes, `{"type", "ns", "data"}` with `version="v2"`, `{"event", "data"}` of the platform.
        mode: What plain data is.
    """
    for item in items:
        yield _part(item, mode)


def _part(item: Any, mode: str) -> Part:
    if isinstance(item, Mapping):
        if "data" in item and isinstance(item.get("type"), str) and "ns" in item:
            return Part(_joined(item.get("ns")), item["type"], item["data"])
        if (
            isinstance(item.get("event"), str)
            and "data" in item
            and item["event"].split("|")[0].split("/")[0] in MODES | {"metadata", "error", "end"}
        ):
            name, *namespace = item["event"].split("|")
            return Part("|".join(namespace), name, item["data"])
        return Part("", mode, item)
    event = getattr(item, "event", None)
    if isinstance(event, str) and hasattr(item, "data"):  # langgraph-sdk's StreamPart
        name, *namespace = event.split("|")
        return Part("|".join(namespace), name, item.data)
    if not isinstance(item, list | tuple):
        return Part("", mode, item)
    if len(item) == 3 and _is_namespace(item[0]) and _is_mode(item[1]):
        return Part(_joined(item[0]), item[1], item[2])
    if len(item) == 2:
        if _is_mode(item[0]):
            return Part("", item[0], item[1])
        if _is_namespace(item[0]) and message_fields(item[0]) is None:
            return Part(_joined(item[0]), mode, item[1])
    return Part("", mode, item)


def says_its_mode(item: Any) -> bool:
    """Whether an item of a stream tells by itself that it is one, and of which mode."""
    if isinstance(item, Mapping):
        if "ns" in item and "data" in item and _is_mode(item.get("type")):
            return True
        event = item.get("event")
        return isinstance(event, str) and "data" in item and event.split("|")[0].split("/")[0] in MODES | {"metadata"}
    if isinstance(item, tuple) and len(item) in (2, 3):
        return (_is_mode(item[0])) or (len(item) == 3 and _is_namespace(item[0]) and _is_mode(item[1]))
    return False


def _is_mode(value: Any) -> bool:
    return isinstance(value, str) and value in MODES


def _is_namespace(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)


def _joined(namespace: Any) -> str:
    if isinstance(namespace, str):
        return namespace
    return "|".join(str(part) for part in namespace) if isinstance(namespace, list | tuple) else ""
