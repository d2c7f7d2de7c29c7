"""An expectation as plain data, for a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from .._errors import SettingError
from ..matching import UNSTATED, Matcher
from ..matching._matchers import Loosely
from ..matching._values import AnyValue, Ignored, MayBeAbsent, Number, OneOf, Partly, Regex, TextLike, UnorderedList, Verbatim
from ._language import Alternatives, Before, Call, Expectation, Group, Never, Nothing, Optional, Sequence, Times
from ._read import MATCHER_KEY, VERSION

_RULES: dict[type[Matcher], str] = {
    AnyValue: "any_value",
    Ignored: "ignore",
    OneOf: "one_of",
    Regex: "regex",
    Number: "number",
    TextLike: "text_like",
    UnorderedList: "unordered_list",
    MayBeAbsent: "may_be_absent",
    Partly: "partial",
    Loosely: "loose",
    Verbatim: "literal",
}


def to_json(expectation: Expectation) -> dict[str, Any]:
    """
    The expectation as {"version", "expect"}, which `read` reads back: for `reference_outputs["expect"]`.

    Raises:
        ValueError: It has a predicate, which has no JSON form.
    """
    return {"version": VERSION, "expect": _node(expectation)}


def _node(node: Expectation) -> dict[str, Any]:
    return _WRITERS[type(node)](node)


def _call(node: Call) -> dict[str, Any]:
    written: dict[str, Any] = {"type": "call", "name": node.name}
    for name in ("args", "result"):
        value = getattr(node, name)
        if value is not UNSTATED:
            written[name] = encoded(value)
    for name in ("rule", "success", "agent"):
        value = getattr(node, name)
        if value is not None:
            written[name] = value
    if node.inside is not None:
        written["inside"] = _node(node.inside)
    return written


def _times(node: Times) -> dict[str, Any]:
    word = "at_least" if node.most is None else "exactly" if node.least == node.most else "at_most"
    return {"type": word, "times": node.least if node.most is None else node.most, "part": _node(node.part)}


def _never(node: Never) -> dict[str, Any]:
    written: dict[str, Any] = {"type": "never", "calls": [_node(call) for call in node.calls]}
    return {**written, "adjacent": True} if node.adjacent else written


def encoded(value: Any) -> Any:
    """Arguments in which matchers have become mappings with the key `$expect`."""
    if isinstance(value, Matcher):
        rule = _RULES.get(type(value))
        if rule is None:
            raise SettingError(f"{value!r} has no JSON form")
        given = {item.name: getattr(value, item.name) for item in fields(value) if item.init and getattr(value, item.name) != item.default}  # type: ignore[arg-type]  # every matcher is a dataclass
        return {MATCHER_KEY: rule, **{name: item if rule == "literal" else encoded(item) for name, item in given.items()}}
    if isinstance(value, Mapping):
        return {name: encoded(item) for name, item in value.items()}
    return [encoded(item) for item in value] if isinstance(value, list | tuple) else value


_WRITERS: dict[type[Expectation], Callable[[Any], dict[str, Any]]] = {
    Call: _call,
    Sequence: lambda node: {"type": "sequence", "parts": [_node(part) for part in node.parts]},
    Group: lambda node: {"type": "parallel" if node.at_once else "unordered", "parts": [_node(part) for part in node.parts]},
    Optional: lambda node: {"type": "optional", "part": _node(node.part)},
    Alternatives: lambda node: {
        "type": "any_of" if node.trajectories else "one_of",
        "options": [_node(option) for option in node.options],
    },
    Times: _times,
    Before: lambda node: {"type": "before", "earlier": _node(node.earlier), "later": _node(node.later)},
    Never: _never,
    Nothing: lambda node: {"type": "nothing"},
}
