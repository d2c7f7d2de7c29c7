"""Values that no JSON holds: what may lie in a live record, and objects that fail when they are looked at."""

from __future__ import annotations

import itertools
from collections import UserDict, UserList, deque
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from uuid import UUID


class Failure(Exception):
    """What hostile objects raise."""


class Wordless(Exception):
    """An exception that has no words itself."""

    def __str__(self) -> str:
        raise Failure("no words")

    __repr__ = __str__


def _fails(*_: Any, **__: Any) -> Any:
    raise Failure("not to be looked at")


def _fails_wordlessly(*_: Any, **__: Any) -> Any:
    raise Wordless


class NoAttribute:
    __getattribute__ = _fails


class NoRepr:
    __repr__ = _fails


class NoWordsAtAll:
    __repr__ = _fails_wordlessly
    __str__ = _fails_wordlessly


class NoComparison:
    __eq__ = _fails
    __hash__ = object.__hash__


class NoTruth:
    __bool__ = _fails


class NoLength:
    __len__ = _fails


class NoIteration(list):  # type: ignore[type-arg]
    __iter__ = _fails


class NoHash(str):
    __hash__ = _fails  # type: ignore[assignment]


class NoField:
    """An object whose fields are properties that fail."""

    content = property(_fails)
    messages = property(_fails)
    tool_calls = property(_fails)
    outputs = property(_fails)


class BrokenMapping(Mapping[str, Any]):
    """A mapping with keys and no values."""

    def __getitem__(self, key: str) -> Any:
        raise Failure(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("role", "content", "type", "messages"))

    def __len__(self) -> int:
        return 4


class BrokenDict(dict):  # type: ignore[type-arg]
    """A dict that fails where it is asked by method."""

    get = _fails
    items = _fails
    keys = _fails


class Everything:
    """Has every attribute, as a mock object has; each is another one of these."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Everything()


class Text(str):
    """A text of a class of somebody's own."""

    __slots__ = ()


class NoEncoding(str):
    """A text that fails when it is written."""

    __str__ = _fails
    __repr__ = _fails
    __slots__ = ()


class Word(Enum):
    """An enumeration, as providers' libraries use them."""

    ASSISTANT = "assistant"
    STOP = "stop"


class Model:
    """Looks like a pydantic model without being one."""

    __pydantic_fields__ = {"role": None, "content": None}  # noqa: RUF012

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def model_dump(self) -> Any:
        raise Failure("not to be dumped")


class Slotted:
    __slots__ = ("content", "role")

    def __init__(self) -> None:
        self.role, self.content = "assistant", "said"


def _round() -> list[Any]:
    inside: list[Any] = [{"role": "user", "content": "round"}]
    inside.append(inside)
    return inside


def _round_dict() -> dict[str, Any]:
    inside: dict[str, Any] = {"role": "assistant", "content": "round"}
    inside["tool_calls"] = [inside]
    return inside


def nested(depth: int, key: str | None = None) -> Any:
    """Lists, or mappings of one key, inside one another."""
    value: Any = "core"
    for _ in range(depth):
        value = [value] if key is None else {key: value}
    return value


def _generator() -> Iterator[Any]:
    yield {"role": "assistant", "content": "one by one"}
    yield {"type": "text", "text": "two"}


PLAIN: tuple[Callable[[], Any], ...] = (
    *((lambda value=value: value) for value in (None, True, False, 0, -1, 1, 10**18, 10**700, 0.5, float("nan"), float("inf"))),
    *((lambda value=value: value) for value in ("", " ", "x", "\ud800", "null", "{", '{"a": 1}', "[]", "Ünï\u202e\x00", "x" * 3000)),
    *((lambda value=value: value) for value in ("assistant", "user", "tool", "ai", "human", "tool_use", "function_call", "error")),
    *((lambda value=value: value) for value in ("<script>alert(1)</script>", "../../etc/passwd", "$(id)", "a\nb", '"><img src=x>')),
    list,
    dict,
    lambda: [None],
    lambda: [[]],
    lambda: [["x"]],
    lambda: [{}],
    lambda: {"": None},
    lambda: {"type": "ai"},
    lambda: {"role": "assistant"},
    lambda: {"messages": []},
    lambda: {"type": "tool_use", "name": "f", "input": {}, "id": "a"},
    lambda: {"name": "f", "args": {}, "id": "a", "type": "tool_call"},
    lambda: {"id": "a", "function": {"name": "f", "arguments": "{}"}},
    lambda: nested(40),
    lambda: nested(150, "content"),
    lambda: nested(1_100),
)
"""Makers of values that JSON (as Python reads it) can hold."""

OBJECTS: tuple[Callable[[], Any], ...] = (
    NoAttribute,
    NoRepr,
    NoWordsAtAll,
    NoComparison,
    NoTruth,
    NoLength,
    lambda: NoIteration([1]),
    NoField,
    BrokenMapping,
    lambda: BrokenDict(role="assistant", content="x", type="ai"),
    Everything,
    Slotted,
    lambda: Text("assistant"),
    lambda: NoEncoding("assistant"),
    lambda: NoHash("f"),
    lambda: Word.ASSISTANT,
    lambda: Word.STOP,
    lambda: Model(role="assistant", content=[Model(type="text", text="x")]),
    lambda: SimpleNamespace(role="assistant", content="x", tool_calls=None),
    lambda: SimpleNamespace(type="ai", content="x", tool_calls=[{"name": "f", "args": {}, "id": "1"}], id=3),
    lambda: UserDict(role="assistant", content="x"),
    lambda: UserList([{"role": "assistant", "content": "x"}]),
    lambda: deque([{"type": "text", "text": "x"}]),
    _generator,
    itertools.count,
    lambda: range(10**9),
    lambda: iter([1, 2]),
    lambda: {1, "a"},
    lambda: frozenset({1}),
    lambda: (1, "a"),
    lambda: {1: "a", None: "b", ("c",): "d"},
    lambda: {b"role": "assistant"},
    lambda: b"\xff\x00",
    lambda: bytearray(b"abc"),
    lambda: memoryview(b"abc"),
    lambda: 1 + 2j,
    lambda: Decimal("sNaN"),
    lambda: Fraction(1, 3),
    lambda: UUID(int=7),
    lambda: datetime(2026, 1, 1, tzinfo=UTC),
    lambda: datetime(2026, 1, 1),
    lambda: date(2026, 1, 1),
    object,
    lambda: dict,
    lambda: len,
    lambda: itertools,
    lambda: Failure("an exception"),
    Wordless,
    _round,
    _round_dict,
)
"""Makers of values that only a live record can hold."""
