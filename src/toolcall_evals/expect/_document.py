"""The plain form of an expectation, version 1, as types from which its JSON schema is made. Imported only for that: it needs pydantic."""

from __future__ import annotations

from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,  # pydantic reads these on Python 3.11
    TypeAlias,
)

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from ..matching import RULES

_CLOSED = ConfigDict(extra="forbid", title=None)

assert RULES == ("exact", "ignore", "subset", "superset", "partial", "loose")
Rule: TypeAlias = Literal["exact", "ignore", "subset", "superset", "partial", "loose"]


class CallJson(TypedDict):
    """One call. In `args` and `result` a mapping with the key "$expect" is a matcher."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # how pydantic configures a TypedDict
    type: Literal["call"]
    name: str
    args: NotRequired[Any]
    rule: NotRequired[Rule]
    result: NotRequired[Any]
    success: NotRequired[bool]
    agent: NotRequired[str]
    inside: NotRequired[Node]


class SequenceJson(TypedDict):
    """Parts one after the other."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["sequence"]
    parts: list[Node]


class GroupJson(TypedDict):
    """Parts in any order."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["unordered", "parallel"]
    parts: list[Node]


class OptionalJson(TypedDict):
    """A part that may be absent."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["optional"]
    part: Node


class OneOfJson(TypedDict):
    """One of several calls."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["one_of"]
    options: list[CallJson]


class AnyOfJson(TypedDict):
    """One of several expectations."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["any_of"]
    options: list[Node]


class TimesJson(TypedDict):
    """A part so many times."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["at_least", "at_most", "exactly"]
    times: Annotated[int, Field(ge=1)]
    part: Node


class BeforeJson(TypedDict):
    """Whenever the later call is made, the earlier has been made before."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["before"]
    earlier: CallJson
    later: CallJson


class NeverJson(TypedDict):
    """A call that is not made, or a sequence of calls that does not occur."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["never"]
    calls: Annotated[list[CallJson], Field(min_length=1)]
    adjacent: NotRequired[bool]


class NothingJson(TypedDict):
    """No call at all."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    type: Literal["nothing"]


Node: TypeAlias = Annotated[
    CallJson | SequenceJson | GroupJson | OptionalJson | OneOfJson | AnyOfJson | TimesJson | BeforeJson | NeverJson | NothingJson,
    Field(discriminator="type"),
]


class Document(TypedDict):
    """An expectation with the version of its form."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]  # as above
    version: Literal[1]
    expect: Node
