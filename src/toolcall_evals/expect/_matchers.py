"""The functions that write what an argument must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..matching import Matcher, Tolerance
from ..matching._matchers import Loosely
from ..matching._values import AnyValue, MayBeAbsent, Number, OneOf, Partly, Predicate, Regex, TextLike, UnorderedList, Verbatim


def any_value() -> Matcher:
    """Any value, but it must be given."""
    return AnyValue()


def either(*values: Any) -> Matcher:
    """One of several values or matchers."""
    return OneOf(values)


def regex(pattern: str, ignore_case: bool = False) -> Matcher:
    """A text in which the pattern is found; anchor it to match the whole text. A search that takes too long cannot be scored."""
    return Regex(pattern, ignore_case)


def number(value: float, rel: float = 0.0, abs: float = 0.0) -> Matcher:
    """A number within a relative or an absolute tolerance of the value."""
    return Number(value, rel, abs)


def text_like(text: str, threshold: float = 0.8) -> Matcher:
    """A text whose similarity (Sorensen-Dice on character pairs, case and white space aside) reaches the threshold, above 0 to 1."""
    return TextLike(text, threshold)


def unordered_list(*items: Any) -> Matcher:
    """A list of these items, values or matchers, in any order."""
    return UnorderedList(items)


def partial(fields: Mapping[str, Any] | Sequence[Any]) -> Matcher:
    """A mapping that has at least these fields, at every level; lists are compared item by item."""
    return Partly(fields)


def may_be_absent(value: Any) -> Matcher:
    """As the value or matcher says, or not given at all."""
    return MayBeAbsent(value)


def loosely(value: Any) -> Matcher:
    """The value, where numeric text equals the number, and case and white space of texts play no part."""
    return Loosely(value)


def satisfies(test: Callable[[Any], object]) -> Matcher:
    """A value for which the function returns something true. It has no JSON form."""
    return Predicate(test)


def verbatim(value: Any) -> Matcher:
    """The value as it is, even where it has the key `$expect`."""
    return Verbatim(value)


def near(rel: float = 0.0, abs: float = 0.0, threshold: float | None = None) -> Tolerance:
    """
    How near an argument must come to whatever is expected, for `args={"tool": {"argument": near(rel=0.01)}}`.

    Args:
        rel: The relative tolerance of numbers.
        abs: The absolute tolerance of numbers.
        threshold: How alike texts must be, above 0 and at most 1; None compares them exactly.
    """
    return Tolerance(rel, abs, threshold)
