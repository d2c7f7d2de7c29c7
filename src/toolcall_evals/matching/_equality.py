"""The one equality rule of argument values, and its loose form.

1 equals 1.0; True is not 1; "1" is not 1; None equals only None; texts are compared after Unicode NFC; a tuple is a list;
NaN equals NaN; the order of keys does not matter, that of a list does.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Hashable, Mapping, Set
from typing import Any

from .._errors import said

_NUMERIC_TEXT = re.compile(r"-?(0|[1-9][0-9]{0,300})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?", re.ASCII)


class NotComparable(ValueError):
    """Two values that cannot be compared: their own comparison raises, or they are nested without end."""


def nfc(text: str) -> str:
    """The text in Unicode's composed form."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def equal(one: Any, other: Any) -> bool:
    """
    Are two argument values equal by the rule of this module?

    Raises:
        NotComparable: An object among them cannot be compared, or the nesting has no end.
    """
    try:
        return _equal(one, other)
    except NotComparable:
        raise
    except RecursionError as error:
        raise NotComparable("nested too deep to be compared") from error
    except Exception as error:  # an object of somebody's that fails when it is looked at
        raise NotComparable(f"it fails when it is looked at: {said(error)}") from error


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, str):
        return isinstance(other, str) and (one == other or nfc(one) == nfc(other))
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float):
        return isinstance(other, int | float) and (one == other or (one != one and other != other))
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and len(one) == len(other) and _equal_fields(one, other)
    if isinstance(one, list | tuple):
        return isinstance(other, list | tuple) and len(one) == len(other) and all(_equal(a, b) for a, b in zip(one, other, strict=True))
    try:
        return bool(one == other)
    except RecursionError:
        raise
    except Exception as error:
        raise NotComparable(f"{type(one).__name__} and {type(other).__name__} cannot be compared: {error}") from error


def _equal_fields(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    for key, value in one.items():
        found = other.get(key, _ABSENT)
        if found is _ABSENT:
            alone = isinstance(key, str) and len(_composed(one)) == len(one)
            found = _composed(other).get(nfc(key), _ABSENT) if alone else _ABSENT
            if found is _ABSENT:
                return False
        if not _equal(value, found):
            return False
    return True


def _composed(fields: Mapping[Any, Any]) -> dict[Any, Any]:
    return {nfc(key) if isinstance(key, str) else key: value for key, value in fields.items()}


_ABSENT = object()


def needs_care(value: Any) -> bool:
    """Could `value == other` hold where `equal(value, other)` does not? Only where a bool meets 0 or 1, or with foreign objects."""
    kind = type(value)
    if kind is str or value is None:
        return False
    if kind is int or kind is float:
        return bool(value == 0 or value == 1)
    if kind is dict:
        for key, item in value.items():  # noqa: SIM110 - a generator costs more than the question
            if type(key) is not str or needs_care(item):
                return True
        return False
    if kind is list:
        return any(map(needs_care, value))
    return True


def frozen(value: Any) -> Hashable:
    """
    A hashable stand-in: two values are equal by this module's rule exactly when their stand-ins are `==`.

    Raises:
        NotComparable: There is none, because of an unhashable object or endless nesting.
    """
    try:
        return _frozen(value)
    except RecursionError as error:
        raise NotComparable("nested too deep to be compared") from error
    except TypeError as error:
        raise NotComparable(f"no hash: {error}") from error
    except Exception as error:  # an object of somebody's that fails when it is looked at
        raise NotComparable(f"it fails when it is looked at: {said(error)}") from error


def _frozen(value: Any) -> Hashable:
    kind: type = type(value)
    if kind is dict and (plain := _frozen_fields(value)) is not None:
        return plain
    if kind is str:
        return nfc(str(value))
    if kind is int or value is None:
        return int(value) if value is not None else None
    if kind is bool:
        return ("bool", value)
    if kind is float:
        return value if value == value else ("nan",)
    if isinstance(value, Mapping):
        composed = _composed(value)
        fields = value if len(composed) < len(value) else composed  # two forms of one key beside each other stay apart
        return ("{}", frozenset([(key, _frozen(item)) for key, item in fields.items()]))
    if isinstance(value, list | tuple):
        return ("[]", tuple([_frozen(item) for item in value]))
    if isinstance(value, str):
        return nfc(value)
    if isinstance(value, int | float):
        return value if value == value else ("nan",)
    if isinstance(value, Set):
        return frozenset(value)
    hash(value)
    stamp: Hashable = value
    return stamp


def _frozen_fields(fields: dict[Any, Any]) -> Hashable:
    """The stand-in of an object whose keys have one form each, as nearly every tool's arguments; None for any other."""
    found = []
    for key, value in fields.items():
        if type(key) is not str or not key.isascii():
            return None
        kind = type(value)
        if kind is str:
            found.append((key, value if value.isascii() else unicodedata.normalize("NFC", value)))
        else:
            found.append((key, value if kind is int else _frozen(value)))
    return ("{}", frozenset(found))


def loosened(value: Any) -> Any:
    """A value as the rule `loose` sees it: numeric text is the number, case and white space of text are folded, deep inside too."""
    try:
        return _loosened(value)
    except RecursionError as error:
        raise NotComparable("nested too deep to be compared") from error


def _loosened(value: Any) -> Any:
    kind = type(value)
    if value is None or kind is int or kind is float or kind is bool:
        return value
    if isinstance(value, str):
        folded = " ".join(nfc(value).casefold().split())
        return _number(folded) if _NUMERIC_TEXT.fullmatch(folded) else nfc(folded)
    if isinstance(value, Mapping):
        return {key: _loosened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_loosened(item) for item in value]
    return value


def _number(text: str) -> Any:
    if text.lstrip("-").isdigit():
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else text
