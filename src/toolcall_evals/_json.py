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
    what JSON does not know its `repr`. Cycles end at `DEPTH`.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if depth <= 0:
        return "..."
    if isinstance(value, Mapping):
        return {str(json_ready(key if isinstance(key, str) else repr(key), 1)): json_ready(item, depth - 1) for key, item in value.items()}
    if isinstance(value, Sequence | Set) and not isinstance(value, bytes | bytearray):
        return [json_ready(item, depth - 1) for item in value]
    return json_ready(repr(value), 1)
