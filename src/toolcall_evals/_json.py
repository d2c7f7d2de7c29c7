"""Values of a trace, made ready for JSON: whatever a tool was given or gave back, never an error."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime
from typing import Any

DEPTH = 100
"""Levels of nesting that are kept; what lies deeper is shown as "..."."""

_SHORT = 10**600
"""Integers below it are written as they are: Python's limit on digits is 640 at least."""


def json_ready(value: Any, depth: int = DEPTH) -> Any:
    """
    A copy of `value` that any JSON writer takes.

    Keys become text, tuples and sets lists, NaN and infinities their names, lone surrogates a replacement character, times ISO 8601, and
    what JSON does not know its `repr`. What lies inside itself is shown as "...".
    """
    return _ready(value, depth, set())


def _ready(value: Any, depth: int, above: set[int]) -> Any:
    kind = type(value)  # the plain types first: isinstance with Mapping costs more than the copy
    if kind is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if kind is bool or value is None or (kind is int and -_SHORT < value < _SHORT):
        return value
    if (kind is dict or kind is list) and depth > 0 and id(value) not in above:
        above.add(id(value))
        try:
            return _list(value, depth - 1, above) if kind is list else _dict(value, depth - 1, above)
        finally:
            above.discard(id(value))
    try:
        return _unusual(value, depth, above)
    except Exception:  # noqa: BLE001 - an object of somebody's that fails when it is looked at
        return _ready(shown(value, repr), 1, above)


# The plain items are told here once more: a call for each costs more than all the rest.
def _list(items: list[Any], depth: int, above: set[int]) -> list[Any]:
    if not items:
        return []
    kinds = set(map(type, items))
    if kinds == _TEXT and "".join(items).isascii():
        return items[:]
    if kinds <= _PLAIN:
        return [item if -_SHORT < item < _SHORT else _ready(item, depth, above) for item in items]
    return [_ready(item, depth, above) for item in items]


def _dict(fields: dict[Any, Any], depth: int, above: set[int]) -> dict[str, Any]:
    made = {}
    for key, item in fields.items():
        if type(key) is not str or not key.isascii():
            key = _key(key, above)
        kind = type(item)
        if kind is str:
            made[key] = item if item.isascii() else item.encode("utf-8", "replace").decode("utf-8")
        elif item is None or kind is bool or (kind is int and -_SHORT < item < _SHORT):
            made[key] = item
        else:
            made[key] = _ready(item, depth, above)
    return made


_TEXT = {str}
_PLAIN = {int, bool}


def _key(key: Any, above: set[int]) -> str:
    return str(_ready(key if isinstance(key, str) else shown(key, repr), 1, above))


def shown(value: Any, how: Callable[[Any], str] = str) -> str:
    """
    A value as text, whatever it is.

    An integer of more digits than Python writes (4,300, unless set otherwise) is shown as hexadecimal, and what has no text at all by its
    type.
    """
    try:
        return how(value)
    except Exception:  # noqa: BLE001 - a trace's objects may raise anything
        return hex(value) if issubclass(type(value), int) else f"a {type(value).__name__} that cannot be shown"


def _unusual(value: Any, depth: int, above: set[int]) -> Any:
    if isinstance(value, int):  # of a class of somebody's own, as all that follows: not every writer takes those
        value = int.__int__(value)
        return text if not -_SHORT < value < _SHORT and "x" in (text := shown(value, int.__repr__))[:3] else value
    if isinstance(value, str):
        value = str.__str__(value)
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        value = float.__float__(value)
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if depth <= 0 or id(value) in above:
        return "..."
    above.add(id(value))
    try:
        if isinstance(value, Mapping):
            return {_key(key, above): _ready(item, depth - 1, above) for key, item in value.items()}
        if isinstance(value, Sequence | Set) and not isinstance(value, bytes | bytearray | range):  # a range may be of any length
            return [_ready(item, depth - 1, above) for item in value]
    finally:
        above.discard(id(value))
    return _ready(shown(value, repr), 1, above)
