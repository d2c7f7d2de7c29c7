"""What one argument may be, beyond the value itself: any value, one of several, a pattern, a tolerance, a list in any order..."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .._errors import SettingError
from ._assignment import maximum_matching
from ._dice import dice
from ._equality import NotComparable, equal
from ._matchers import ABSENT, Fault, Is, Matcher, matcher_of

PATTERN_SECONDS = 0.5
"""How long one search of a `regex` matcher may take; `re` knows no limit, so the package `regex` searches."""

LONGEST_UNORDERED = 300
"""Items of an `unordered_list` that are compared: each side's items with each of the other's."""


@dataclass(frozen=True, slots=True, repr=False)
class AnyValue(Matcher):
    """Any value, but it must be given."""

    rule = "any_value"

    def accepts(self, value: Any) -> bool:
        return value is not ABSENT


@dataclass(frozen=True, slots=True, repr=False)
class Ignored(Matcher):
    """Whatever it is, given or not."""

    rule = "ignore"

    def accepts(self, value: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True, repr=False)
class OneOf(Matcher):
    """One of several values or matchers."""

    rule, written = "one_of", "either"
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"either({', '.join(map(repr, self.values))})"

    def accepts(self, value: Any) -> bool:
        return any(matcher_of(option).accepts(value) for option in self.values)


@dataclass(frozen=True, slots=True, repr=False)
class Regex(Matcher):
    """A text in which the pattern is found; anchor it with ^ and $ to match all of it."""

    rule = "regex"
    pattern: str
    ignore_case: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str):
            raise SettingError(f"pattern of a regex must be a text, got {self.pattern!r}")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise SettingError(f"pattern of a regex must be a regular expression, got {self.pattern!r}: {error}") from error

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        import regex  # type: ignore[import-untyped]  # it comes without types

        try:
            flags = regex.IGNORECASE if self.ignore_case else 0
            return regex.search(self.pattern, value, flags | regex.VERSION0, timeout=PATTERN_SECONDS) is not None
        except TimeoutError as error:
            raise NotComparable(f"the pattern {self.pattern!r} took longer than {PATTERN_SECONDS} s") from error


@dataclass(frozen=True, slots=True, repr=False)
class Number(Matcher):
    """A number within a relative or an absolute tolerance of another; True and False are none."""

    rule = "number"
    value: float
    rel: float = 0.0
    abs: float = 0.0

    def __post_init__(self) -> None:
        for name, number in (("value", self.value), ("rel", self.rel), ("abs", self.abs)):
            if isinstance(number, bool) or not isinstance(number, int | float) or number != number or (name != "value" and number < 0):
                raise SettingError(f"{name} of a number must be a number{'' if name == 'value' else ' of at least 0'}, got {number!r}")

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        try:
            return bool(value == self.value or abs(value - self.value) <= max(self.rel * abs(self.value), self.abs))
        except OverflowError:
            return False


@dataclass(frozen=True, slots=True, repr=False)
class TextLike(Matcher):
    """A text whose similarity (Sorensen-Dice on character pairs, case and white space aside) reaches the threshold."""

    rule = "text_like"
    text: str
    threshold: float = 0.8

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise SettingError(f"text of text_like must be a text, got {self.text!r}")
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int | float) or not 0 < self.threshold <= 1:
            raise SettingError(f"threshold of text_like must be above 0 and at most 1, got {self.threshold!r}")

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and dice(self.text, value) >= self.threshold


@dataclass(frozen=True, slots=True, repr=False)
class UnorderedList(Matcher):
    """A list of these items in any order, each as often as it is listed."""

    rule = "unordered_list"
    items: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"unordered_list({', '.join(map(repr, self.items))})"

    def __post_init__(self) -> None:
        if len(self.items) > LONGEST_UNORDERED:
            raise SettingError(f"an unordered_list may have up to {LONGEST_UNORDERED} items, got {len(self.items)}")

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, list | tuple) or len(value) != len(self.items):
            return False
        options = [matcher_of(item) for item in self.items]
        return len(maximum_matching([[j for j, item in enumerate(value) if option.accepts(item)] for option in options])) == len(value)


@dataclass(frozen=True, slots=True, repr=False)
class MayBeAbsent(Matcher):
    """As its value or matcher says, or not given at all."""

    rule = "may_be_absent"
    value: Any

    def accepts(self, value: Any) -> bool:
        return value is ABSENT or matcher_of(self.value).accepts(value)

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        if value is not ABSENT:
            yield from matcher_of(self.value).faults(value, path)


@dataclass(frozen=True, slots=True, repr=False)
class Predicate(Matcher):
    """A value for which a function returns something true."""

    rule = "predicate"
    test: Callable[[Any], object]

    def __repr__(self) -> str:
        return f"satisfies({getattr(self.test, '__name__', type(self.test).__name__)})"

    def __post_init__(self) -> None:
        if not callable(self.test):
            raise SettingError(f"a predicate must be callable, got {self.test!r}")

    def accepts(self, value: Any) -> bool:
        if value is ABSENT:
            return False
        try:
            return bool(self.test(value))
        except Exception as error:  # the user's function may raise anything
            name = getattr(self.test, "__name__", type(self.test).__name__)
            raise NotComparable(f"the predicate {name} raised {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True, repr=False)
class Verbatim(Matcher):
    """A value taken as it is, even where it looks like the JSON form of a matcher."""

    rule, written = "exact", "verbatim"
    value: Any

    def accepts(self, value: Any) -> bool:
        return equal(self.value, value)

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        yield from Is(self.value).faults(value, path)


@dataclass(frozen=True, slots=True, repr=False)
class Partly(Matcher):
    """A mapping that has at least these fields, at every level."""

    rule = "partial"
    value: Any

    def accepts(self, value: Any) -> bool:
        return matcher_of(self.value, "partial").accepts(value)

    def likeness(self, value: Any) -> float:
        return matcher_of(self.value, "partial").likeness(value)

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        yield from matcher_of(self.value, "partial").faults(value, path)
