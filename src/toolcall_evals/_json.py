"""Values of a trace, made ready for JSON: whatever a tool was given or gave back, never an error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime
from typing import Any

DEPTH = 100
"""Levels of nesting that are kept; what lies deeper is shown as "..."."""


def json_ready(value: Any, depth: int = DEPTH) -> Any:
    """
    A copy of `value` that any JSON writer takes.

    Keys become text, tuples and sets lists, NaN and infinities their names, lone surrogates a replacement character, times ISO 8601, and
    what JSON does not know its `repr`. What lies inside itself is shown as "...".
    """
    return _ready(value, depth, set())


def _ready(value: Any, depth: int, above: set[int]) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if depth <= 0 or id(value) in above:
        return "..."
    above.add(id(value))
    try:
        if isinstance(value, Mapping):
            pairs = [(key if isinstance(key, str) else repr(key), item) for key, item in value.items()]
            return {str(_ready(key, 1, above)): _ready(item, depth - 1, above) for key, item in pairs}
        if isinstance(value, Sequence | Set) and not isinstance(value, bytes | bytearray):
            return [_ready(item, depth - 1, above) for item in value]
    finally:
        above.discard(id(value))
    return _ready(repr(value), 1, above)
