"""Objects of providers' libraries (openai, anthropic, google-genai: pydantic models and the like) as plain mappings."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

from .._errors import TraceFormatError

DEPTH = 200
"""Levels of nesting that are followed; no provider's message is a tenth as deep."""

_PLAIN = (str, bytes, int, float, bool, type(None))
_NO_DATA = (type, FunctionType, ModuleType, list, tuple)


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of a mapping or of an object that holds some; None for anything else. Not a copy."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, _PLAIN + _NO_DATA):
        return None
    fields = getattr(value, "__dict__", None)
    if isinstance(fields, dict):
        extra = fields.get("__pydantic_extra__") or getattr(value, "__pydantic_extra__", None)
        return {**fields, **extra} if isinstance(extra, dict) and extra else fields
    slots: Any = getattr(type(value), "__dataclass_fields__", None) or getattr(type(value), "__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return {name: getattr(value, name) for name in names if hasattr(value, name)} or None


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal; not, where they cannot be compared."""
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - arrays, signalling NaNs, and what is nested too deep
        return False


def holds_objects(items: Any) -> bool:
    """Whether a list holds anything but JSON's values, such as the blocks of a provider's library."""
    return any(type(item) is not dict and not isinstance(item, (*_PLAIN, Mapping)) for item in items)


def plain(value: Any) -> Any:
    """
    A copy in which objects are mappings of their fields; enumerations are their values.

    Raises:
        TraceFormatError: It is nested deeper than `DEPTH` levels.
    """
    return _plain(value, {}, DEPTH)


def as_mapping(value: Any) -> Any:
    """A mapping as it is, and anything else made plain."""
    return value if isinstance(value, Mapping) else plain(value)


def _plain(value: Any, known: dict[int, Any], depth: int) -> Any:
    if isinstance(value, _PLAIN):
        return getattr(value, "value", value)
    if id(value) in known:
        return known[id(value)]
    if depth <= 0:
        raise TraceFormatError(f"expected messages, found objects nested more than {DEPTH} levels deep")
    if isinstance(value, list | tuple):
        items: list[Any] = []
        known[id(value)] = items
        items.extend(_plain(item, known, depth - 1) for item in value)
        return items
    fields = fields_of(value)
    if fields is None:
        return value
    copy: dict[Any, Any] = {}
    known[id(value)] = copy
    copy.update((key, _plain(item, known, depth - 1)) for key, item in fields.items())
    return copy
