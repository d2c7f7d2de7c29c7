"""An expectation from plain data, as a dataset holds it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from .._errors import SettingError, said
from .._model import ToolInvocation, Trajectory
from .._reference import MISTAKEN_FOR_ARGS, unknown_key
from .._represented import represented, unfit
from .._shown import cut
from ..matching import UNSTATED, Matcher
from ..matching._matchers import Loosely
from ..matching._values import AnyValue, Ignored, MayBeAbsent, Number, OneOf, Partly, Regex, TextLike, UnorderedList, Verbatim
from . import _build
from ._language import Call, Expectation, Nothing, Sequence

VERSION = 1
"""The version of the JSON form that this package writes; older ones it reads."""

MATCHER_KEY = "$expect"
"""The key by which a mapping among arguments is a matcher."""

Made = TypeVar("Made")

_KEYS_OF_A_CALL = frozenset({"type", "name", "args", "rule", "result", "success", "agent", "inside"})

MATCHERS: dict[str, tuple[Callable[..., Matcher], tuple[str, ...], tuple[str, ...]]] = {
    "any_value": (AnyValue, (), ()),
    "ignore": (Ignored, (), ()),
    "one_of": (lambda values: OneOf(tuple(values)), ("values",), ()),
    "regex": (Regex, ("pattern",), ("ignore_case",)),
    "number": (Number, ("value",), ("rel", "abs")),
    "text_like": (TextLike, ("text",), ("threshold",)),
    "unordered_list": (lambda items: UnorderedList(tuple(items)), ("items",), ()),
    "may_be_absent": (MayBeAbsent, ("value",), ()),
    "partial": (Partly, ("value",), ()),
    "loose": (Loosely, ("value",), ()),
    "literal": (Verbatim, ("value",), ()),
}
"""The JSON form of each matcher: what makes it, the keys it must have, the keys it may have."""


def read(value: Any, where: str = "expect") -> Expectation:
    """
    The expectation that plain data states.

    Args:
        value: An `Expectation`; {"version", "expect"}; {"type", ...} as `to_json` writes it; a tool's name; {"name", "args"}; a
            list of these, one after the other; reference messages or a reference `Trajectory`, whose calls are taken as they are.
        where: What the value is, for error messages.

    Raises:
        SettingError: It states nothing that can be expected; points into the value.
    """
    try:
        return _read(value, where)
    except SettingError:
        raise
    except RecursionError as error:
        raise SettingError(f"{where} is nested in itself or too deep to be read"[:500]) from error
    except Exception as error:  # an object of somebody's that fails when it is looked at
        raise SettingError(f"{where} cannot be read: {said(error)}"[:500]) from error


def _read(value: Any, where: str) -> Expectation:
    if isinstance(value, Expectation):
        return value
    if isinstance(value, str):
        return Call(_name(value, where))
    if isinstance(value, ToolInvocation):
        return recorded(value)
    if isinstance(value, Trajectory):
        return Sequence(tuple([recorded(call) for call in value.calls()]))
    if isinstance(value, list | tuple):
        return _listed(value, where)
    if isinstance(value, Mapping):
        return _plain(value, where) if _is_plain(value) else _stated(value, where)
    raise _refused(where, value, "an expectation, a tool's name, {'name', 'args'} or a list of these")


def _is_plain(value: Mapping[str, Any]) -> bool:
    """Is it {"name", "args"}, as most are?"""
    return len(value) == 2 and "name" in value and "args" in value


def _plain(value: Mapping[str, Any], where: str) -> Call:
    name, args = _name(value["name"], f"{where}.name"), decoded(value["args"], f"{where}.args")
    _refuse_odd_arguments(args, f"{where}.args")
    if isinstance(args, Mapping) and not all(type(key) is str for key in args):
        return _at(where, lambda: Call(name, args))
    return Call(name, args)


def _name(name: Any, where: str) -> str:
    if not isinstance(name, str) or not name:
        raise _refused(where, name, "a non-empty text")
    return name if type(name) is str else str.__str__(name)


def _refuse_odd_arguments(args: Any, where: str) -> None:
    """Arguments by name; or, of calls whose arguments are no object, the plain value in their place."""
    if not (args is None or args is UNSTATED or isinstance(args, Mapping | str | list | bool | int | float | Matcher)):
        raise _refused(where, args, "a mapping, None for no arguments, or the plain value that stands in their place")


def recorded(call: ToolInvocation) -> Call:
    """A call that was made, as an expectation: its name and its very arguments, whatever they look like."""
    args: Any = call.args
    if call.args is None and call.raw_args is not None:
        args = call.raw_args
    if args and type(args) is not str and (fault := unfit(args)) is not None:
        raise SettingError(f"the arguments of the call {cut(call.name)} cannot be expected: {fault}"[:500])
    return Call(call.name, verbatim_where_needed(args))


def verbatim_where_needed(value: Any) -> Any:
    """The same value, with whatever looks like the JSON form of a matcher taken as it is."""
    if isinstance(value, Mapping):
        if MATCHER_KEY in value:
            return Verbatim(value)
        return {name: verbatim_where_needed(item) for name, item in value.items()}
    return [verbatim_where_needed(item) for item in value] if isinstance(value, list | tuple) else value


def decoded(value: Any, where: str) -> Any:
    """
    Arguments or a result in which mappings with the key `$expect` have become matchers.

    Raises:
        SettingError: A matcher that cannot be read, or a value that cannot be expected; points into the value.
    """
    if type(value) is not str and (fault := unfit(value, where)) is not None:
        raise SettingError(f"{fault}; it cannot be expected"[:500])
    return _decoded(value, where)


def _decoded(value: Any, where: str) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is float or value is None:
        return value
    if kind is dict or isinstance(value, Mapping):
        if MATCHER_KEY in value:
            return _matcher(value, where)
        return {name: item if type(item) is str else _decoded(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_decoded(item, f"{where}[{index}]") for index, item in enumerate(value)]
    return value


def _matcher(value: Mapping[str, Any], where: str) -> Matcher:
    rule = value[MATCHER_KEY]
    if not isinstance(rule, str) or rule not in MATCHERS:
        raise SettingError(f"{where}: {MATCHER_KEY!r} must be one of {sorted(MATCHERS)}, got {represented(rule)}"[:500])
    make, required, allowed = MATCHERS[rule]
    given = {name: item for name, item in value.items() if name != MATCHER_KEY}
    missing, unknown = set(required) - given.keys(), given.keys() - {*required, *allowed}
    if missing or unknown:
        needed = f"needs {sorted(required)}" if required else "needs nothing else"
        may = f" and may have {sorted(allowed)}" if allowed else ""
        raise SettingError(f"{where}: the matcher {rule!r} {needed}{may}, got {sorted(map(str, given))}"[:500])
    inner = {name: item if rule == "literal" else _decoded(item, f"{where}.{name}") for name, item in given.items()}
    for name in ("values", "items"):
        if name in inner and not isinstance(inner[name], list | tuple):
            raise _refused(f"{where}.{name}", inner[name], "a list")
    return _at(where, lambda: make(**inner))


def _at(where: str, make: Callable[[], Made]) -> Made:
    try:
        return make()
    except SettingError as error:
        message = str(error)
        raise SettingError(message if message.startswith(where) else f"{where}: {message}") from error


def _listed(items: Iterable[Any], where: str) -> Expectation:
    values = list(items)
    if any(_is_message(item) for item in values):
        return _reference_messages(values, where)
    parts = tuple([_read(item, f"{where}[{index}]") for index, item in enumerate(values)])
    return _at(where, lambda: _build.sequence(parts))


def _is_message(item: Any) -> bool:
    if isinstance(item, Mapping):
        return "role" in item or ("content" in item and "type" in item and "name" not in item) or "lc" in item
    return not isinstance(item, str | Expectation | ToolInvocation) and hasattr(item, "content") and hasattr(item, "type")


def _reference_messages(messages: list[Any], where: str) -> Expectation:
    from .._convert import to_trajectory
    from .._errors import TraceFormatError

    try:
        run = to_trajectory(messages)
    except TraceFormatError as error:
        raise SettingError(f"{where}: the reference messages cannot be read: {error}") from error
    return _read(run, where)


def _stated(value: Mapping[str, Any], where: str) -> Expectation:
    if "version" in value and "expect" in value:
        return _document(value, where)
    if "type" in value and isinstance(kind := value["type"], str) and kind in _KINDS:
        return _at(where, lambda: _KINDS[kind](value, where))
    if "function" in value and isinstance(value["function"], Mapping):
        return _stated(value["function"], f"{where}.function")
    if "name" in value:
        return _call(value, where, strict=False)
    if "messages" in value or "type" in value:
        kinds = f"'type' as one of {sorted(_KINDS)}"
        if "type" not in value and isinstance(value["messages"], list | tuple):
            return _reference_messages(list(value["messages"]), f"{where}.messages")
        raise _refused(where, value, kinds)
    raise _refused(where, value, f"a mapping with 'name', or with 'type' as one of {sorted(_KINDS)}")


def _document(value: Mapping[str, Any], where: str) -> Expectation:
    version = value["version"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise _refused(f"{where}.version", version, f"a whole number from 1 to {VERSION}")
    if version > VERSION:
        raise SettingError(f"{where}.version: {version} is newer than {VERSION}, which this release reads; update toolcall-evals")
    _known(value, where, "expect", "version")
    return _read(value["expect"], f"{where}.expect")


def _call(value: Mapping[str, Any], where: str, strict: bool = True) -> Expectation:
    args = value.get("args", UNSTATED)
    if args is UNSTATED and "arguments" in value and not strict:
        args = _argument_text(value["arguments"], where)
    unknown = next((str(key) for key in value if key not in _KEYS_OF_A_CALL), None) if strict else unknown_key(value, args is UNSTATED)
    if unknown is not None:
        hint = "; name it args" if unknown in MISTAKEN_FOR_ARGS else ""
        raise SettingError(f"{where}: a call has no {represented(unknown, 80)}{hint}"[:500])
    name = _name(value.get("name"), f"{where}.name")
    below = None if value.get("inside") is None else _read(value["inside"], f"{where}.inside")
    condition = {name: value[name] for name in ("rule", "success", "agent") if value.get(name) is not None}
    result = decoded(value["result"], f"{where}.result") if "result" in value else UNSTATED
    args = decoded(args, f"{where}.args")
    _refuse_odd_arguments(args, f"{where}.args")
    return Call(name, args, result=result, inside=below, **condition)


def _argument_text(arguments: Any, where: str) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments) if arguments.strip() else {}
    except ValueError as error:
        raise SettingError(f"{where}.arguments is no JSON: {error}") from error


def _several(make: Callable[[tuple[Expectation, ...]], Expectation], key: str) -> Callable[[Mapping[str, Any], str], Expectation]:
    def reader(value: Mapping[str, Any], where: str) -> Expectation:
        _known(value, where, "type", key)
        items = value.get(key)
        if not isinstance(items, list | tuple):
            raise _refused(f"{where}.{key}", items, "a list")
        return make(tuple([_read(item, f"{where}.{key}[{index}]") for index, item in enumerate(items)]))

    return reader


def _counted(word: str) -> Callable[[Mapping[str, Any], str], Expectation]:
    def reader(value: Mapping[str, Any], where: str) -> Expectation:
        _known(value, where, "type", "times", "part")
        return _build.times(word, value.get("times"), _read(value.get("part"), f"{where}.part"))

    return reader


def _optional(value: Mapping[str, Any], where: str) -> Expectation:
    _known(value, where, "type", "part")
    return _build.optional(_read(value.get("part"), f"{where}.part"))


def _before(value: Mapping[str, Any], where: str) -> Expectation:
    _known(value, where, "type", "earlier", "later")
    return _build.before(_read(value.get("earlier"), f"{where}.earlier"), _read(value.get("later"), f"{where}.later"))


def _never(value: Mapping[str, Any], where: str) -> Expectation:
    _known(value, where, "type", "calls", "adjacent")
    calls = value.get("calls")
    if not isinstance(calls, list | tuple) or not calls:
        raise _refused(f"{where}.calls", calls, "a list of one or more calls")
    parts = [_read(item, f"{where}.calls[{index}]") for index, item in enumerate(calls)]
    return _build.never(parts[0] if len(parts) == 1 else Sequence(tuple(parts)), value.get("adjacent", False))


def _nothing(value: Mapping[str, Any], where: str) -> Expectation:
    _known(value, where, "type")
    return Nothing()


def _known(value: Mapping[str, Any], where: str, *keys: str) -> None:
    unknown = [str(key) for key in value if key not in keys]
    if unknown:
        raise SettingError(f"{where}: {unknown[0]!r} is not one of {sorted(keys)}"[:500])


def _refused(where: str, value: Any, allowed: str) -> SettingError:
    return SettingError(f"{where} must be {allowed}, got {represented(value)}"[:500])


_KINDS: dict[str, Callable[[Mapping[str, Any], str], Expectation]] = {
    "call": _call,
    "sequence": _several(_build.sequence, "parts"),
    "unordered": _several(_build.group, "parts"),
    "parallel": _several(partial(_build.group, at_once=True), "parts"),
    "one_of": _several(_build.one_of, "options"),
    "any_of": _several(_build.any_of, "options"),
    "optional": _optional,
    "at_least": _counted("at_least"),
    "at_most": _counted("at_most"),
    "exactly": _counted("exactly"),
    "before": _before,
    "never": _never,
    "nothing": _nothing,
}
"""The readers of {"type": ...}."""
