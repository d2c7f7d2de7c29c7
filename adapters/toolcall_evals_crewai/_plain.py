"""Values of live objects as plain ones, which nothing changes any more."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

_DEPTH = 40

_HOPS = 3
"""How many objects inside each other are followed: the attributes of a provider's answer, not a framework's object graph."""


def plain(value: Any, depth: int = _DEPTH, hops: int = _HOPS) -> Any:
    """A copy of a value in dicts, lists and JSON scalars; provider objects by their attributes, other values as text."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if isinstance(value, Enum):
        return plain(value.value, depth - 1)
    for scalar in (int, float):
        if isinstance(value, scalar):
            return scalar(value)
    if depth <= 0:
        return "..."
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth - 1, hops) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, depth - 1, hops) for item in value]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(warnings=False, exclude_none=True), depth - 1, hops)
    if hops <= 0 or isinstance(value, str | type | BaseException) or not hasattr(value, "__dict__"):
        return str(value)
    attributes = {name: item for name, item in vars(value).items() if not name.startswith("_") and item is not None}
    return plain(attributes, depth - 1, hops - 1) if attributes else str(value)
