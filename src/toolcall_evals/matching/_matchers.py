"""What one argument must be: each matcher accepts a value or says at which path, and by which rule, it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from ._equality import NotComparable, equal, loosened, needs_care

Closed = Literal["exact", "superset", "subset"]


class _Absent:
    """Stands where an argument is not given, which is not None."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(absent)"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Fault:
    """
    One argument that breaks its rule.

    Attributes:
        path: Where: `city`, `filter.days[0]`; empty for the arguments as a whole.
        expected: The expected value or its matcher; `ABSENT` where nothing was expected.
        actual: The value found, or `ABSENT`.
        rule: The rule that failed.
    """

    path: str
    expected: Any
    actual: Any
    rule: str


class Matcher:
    """
    What an argument must be. Immutable.

    Attributes:
        rule: The rule's name in a diff.
        written: The function of `expect` that makes it, for `repr`.
    """

    __slots__ = ()
    rule: ClassVar[str] = ""
    written: ClassVar[str] = ""

    def __repr__(self) -> str:
        shown = []
        for index, item in enumerate(fields(self)):  # type: ignore[arg-type]  # every matcher is a dataclass
            if (value := getattr(self, item.name)) != item.default:
                shown.append(f"{item.name}={value!r}" if index else repr(value))
        return f"{self.written or self.rule}({', '.join(shown)})"

    def accepts(self, value: Any) -> bool:
        """
        Is the value, or `ABSENT`, as it must be?

        Raises:
            NotComparable: It cannot be told.
        """
        raise NotImplementedError

    def likeness(self, value: Any) -> float:
        """How near the value comes, in 0..1; 1.0 where it is accepted."""
        return 1.0 if self.accepts(value) else 0.0

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Where the value breaks the rule; nothing where it is accepted."""
        if not self.accepts(value):
            yield Fault(path, self, value, self.rule)


@dataclass(frozen=True, slots=True, repr=False)
class Is(Matcher):
    """The value itself, by the one equality rule."""

    rule = "exact"
    value: Any
    careful: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "careful", needs_care(self.value))

    def __repr__(self) -> str:
        return repr(self.value)

    def accepts(self, value: Any) -> bool:
        return (not self.careful and type(value) is type(self.value) and value == self.value) or equal(self.value, value)

    def likeness(self, value: Any) -> float:
        if equal(self.value, value):
            return 1.0
        parts = _parts(self.value)
        return parts.likeness(value) if parts else 0.0

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        if equal(self.value, value):
            return
        parts = _parts(self.value)
        if parts is None or (isinstance(self.value, Mapping) != isinstance(value, Mapping)) or value is ABSENT:
            yield Fault(path, self.value, value, self.rule)
        else:
            yield from parts.faults(value, path)


@dataclass(frozen=True, slots=True, repr=False)
class Loosely(Matcher):
    """The value once numeric text is the number and case and white space are folded."""

    rule, written = "loose", "loosely"
    value: Any
    folded: Any = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", loosened(self.value))

    def __repr__(self) -> str:
        return f"loosely({self.value!r})"

    def accepts(self, value: Any) -> bool:
        return value is not ABSENT and equal(self.folded, loosened(value))

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        if not self.accepts(value):
            yield Fault(path, self.value, value, self.rule)


@dataclass(frozen=True, slots=True, repr=False)
class Fields(Matcher):
    """
    A mapping, matched field by field.

    Attributes:
        fields: What each field must be.
        closed: Which fields may differ: `exact` none; `superset` the mapping may have more; `subset` it may have fewer.
    """

    fields: Mapping[str, Matcher]
    closed: Closed = "exact"

    def __repr__(self) -> str:
        return repr(dict(self.fields))

    def accepts(self, value: Any) -> bool:
        if type(value) is not dict and not isinstance(value, Mapping):
            return False
        found = 0
        for name, matcher in self.fields.items():
            item = value.get(name, ABSENT)
            if item is not ABSENT:
                found += 1
            elif self.closed == "subset":
                continue
            if not matcher.accepts(item):
                return False
        return self.closed == "superset" or found == len(value)

    def likeness(self, value: Any) -> float:
        if not isinstance(value, Mapping):
            return 0.0
        names = self.judged(value)
        return sum([self._likeness(name, value.get(name, ABSENT)) for name in names]) / len(names) if names else 1.0

    def _likeness(self, name: str, item: Any) -> float:
        matcher = self.fields.get(name)
        return matcher.likeness(item) if matcher else 0.0

    def judged(self, value: Mapping[str, Any]) -> list[str]:
        """The fields that count: those expected, and those found where more are not allowed."""
        expected = [
            name for name, matcher in self.fields.items() if name in value or not (self.closed == "subset" or matcher.accepts(ABSENT))
        ]
        return expected if self.closed == "superset" else expected + [name for name in value if name not in self.fields]

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        if not isinstance(value, Mapping):
            yield Fault(path, self, value, "exact")
            return
        for name, matcher in self.fields.items():
            item = value.get(name, ABSENT)
            if item is not ABSENT or self.closed != "subset":
                yield from matcher.faults(item, _at(path, name))
        if self.closed != "superset":
            for name, item in value.items():
                if name not in self.fields:
                    yield Fault(_at(path, name), ABSENT, item, self.closed)


@dataclass(frozen=True, slots=True, repr=False)
class Items(Matcher):
    """A list, matched item by item."""

    items: tuple[Matcher, ...]

    def __repr__(self) -> str:
        return repr(list(self.items))

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, list | tuple) or len(value) != len(self.items):
            return False
        return all(matcher.accepts(item) for matcher, item in zip(self.items, value, strict=True))

    def likeness(self, value: Any) -> float:
        if not isinstance(value, list | tuple):
            return 0.0
        longest = max(len(value), len(self.items))
        return sum([matcher.likeness(item) for matcher, item in zip(self.items, value, strict=False)]) / longest if longest else 1.0

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        if not isinstance(value, list | tuple):
            yield Fault(path, self, value, "exact")
            return
        for index in range(max(len(value), len(self.items))):
            where, item = f"{path}[{index}]", value[index] if index < len(value) else ABSENT
            if index < len(self.items):
                yield from self.items[index].faults(item, where)
            else:
                yield Fault(where, ABSENT, item, "exact")


How = Literal["exact", "loose", "partial"]


def matcher_of(value: Any, how: How = "exact") -> Matcher:
    """The matcher that a value stands for: itself, or one that compares with the value; matchers deep inside keep their meaning."""
    if isinstance(value, Matcher):
        return value
    if isinstance(value, Mapping) and (how == "partial" or has_matcher(value)):
        return Fields({name: matcher_of(item, how) for name, item in value.items()}, "superset" if how == "partial" else "exact")
    if isinstance(value, list | tuple) and (how == "partial" or has_matcher(value)):
        return Items(tuple([matcher_of(item, how) for item in value]))
    return Loosely(value) if how == "loose" else Is(value)


def has_matcher(value: Any) -> bool:
    """Is there a matcher anywhere in the value?"""
    kind = type(value)
    if kind is str or kind is int or kind is float or value is None:
        return False
    if kind is dict or isinstance(value, Mapping):
        for item in value.values():  # noqa: SIM110 - a generator costs more than the question
            if has_matcher(item):
                return True
        return False
    if isinstance(value, list | tuple):
        return any(map(has_matcher, value))
    return isinstance(value, Matcher)


def raising_path(matcher: Matcher, value: Any, path: str = "") -> str:
    """The path at which a comparison raises `NotComparable`."""
    inner: list[tuple[Matcher, Any, str]] = []
    if isinstance(matcher, Fields) and isinstance(value, Mapping):
        inner = [(part, value.get(name, ABSENT), _at(path, name)) for name, part in matcher.fields.items()]
    elif isinstance(matcher, Items) and isinstance(value, list | tuple):
        inner = [(part, item, f"{path}[{index}]") for index, (part, item) in enumerate(zip(matcher.items, value, strict=False))]
    for part, item, where in inner:
        try:
            part.accepts(item)
        except NotComparable:
            return raising_path(part, item, where)
    return path


def _parts(value: Any) -> Matcher | None:
    if isinstance(value, Mapping):
        return Fields({name: Is(item) for name, item in value.items()})
    return Items(tuple([Is(item) for item in value])) if isinstance(value, list | tuple) else None


def _at(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)
