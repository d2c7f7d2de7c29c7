"""Values of settings in error texts and in `repr`: bounded, and never an error of the value's own."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

MOST_LEVELS = 100
"""Levels of nesting that a setting may have: comparing and showing a value takes several frames of the stack for each."""

MOST_DIGITS = 4300
"""Digits of a whole number that Python writes out (`sys.int_info.default_max_str_digits`)."""

_MOST_BITS = int(MOST_DIGITS * math.log2(10))


def represented(value: Any, length: int = 400) -> str:
    """The `repr` of a value, cut where it is long; its type where it has none."""
    try:
        shown = repr(value)
    except Exception as error:  # noqa: BLE001 - somebody's own `__repr__`, a number too long to write, nesting without end
        shown = f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    return writable(shown if len(shown) <= length else f"{shown[: length - 3]}...")


def shown_fields(value: Any, most: int = 2_000) -> str:
    """The `repr` of a dataclass with the fields that are not at their defaults, each cut and all of it at most `most` characters."""
    parts = [f"{each.name}={_brief(found)}" for each in fields(value) if not is_default(found := getattr(value, each.name), each)]
    text = f"{type(value).__name__}({', '.join(parts)})"
    return writable(text if len(text) <= most else f"{text[: most - 4]}...)")


def is_default(value: Any, field: Any) -> bool:
    """Whether a dataclass's field holds what it holds when nobody sets it; no value of somebody's own class is compared."""
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return value is default or (type(value) is type(default) and isinstance(value, str | int | tuple | dict) and value == default)


def _brief(value: Any, length: int = 600) -> str:
    """The `repr` of a value of any size, made of no more than its beginning."""
    try:
        text = _short.repr(value)
    except Exception:  # noqa: BLE001 - somebody's own class under the name of a built-in one
        return represented(value, length)
    return text if len(text) <= length else f"{text[: length - 3]}..."


class _Short(reprlib.Repr):
    def repr_int(self, value: int, level: int) -> str:
        return f"<a number of {value.bit_length()} bits>" if value.bit_length() > _MOST_BITS else super().repr_int(value, level)


_short = _Short()
_short.maxlevel, _short.maxstring, _short.maxother, _short.maxlong = 4, 200, 300, 60
_short.maxdict = _short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdeque = 6


def writable(text: str) -> str:
    """The text with a replacement character for each lone surrogate, which no file or terminal takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def unfit(value: Any, path: str = "", depth: int = MOST_LEVELS) -> str | None:
    """Why a value cannot be expected and where, or None: nested too deep or in itself, a number too long to write, or no `repr`."""
    kind = type(value)
    if kind is str or kind is float or kind is bool or value is None:
        return None
    try:
        return _unfit(value, path, depth)
    except Exception as error:  # noqa: BLE001 - as above
        return f"{path or 'it'} is a {kind.__name__} that cannot be shown: {type(error).__name__}"


def _unfit(value: Any, path: str, depth: int) -> str | None:
    if isinstance(value, int):
        return f"{path or 'it'} is a number of more than {MOST_DIGITS} digits" if value.bit_length() > _MOST_BITS else None
    if isinstance(value, Mapping | list | tuple):
        if depth <= 0:
            return f"{path[:100]}... is nested in itself or more than {MOST_LEVELS} levels deep"
        for name, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            where = f"{path}[{name if type(name) is int else represented(name, 40)}]"
            if (found := unfit(item, where, depth - 1)) is not None:
                return found
        return None
    repr(value)
    return None
