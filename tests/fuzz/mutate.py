"""Changes to a record, each of a kind that broken writers, other versions and odd callers make; the record itself stays as it is."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

from .choices import Choices, one
from .hostile import OBJECTS, PLAIN, Failure, Model, Text, Wordless, nested

WORDS = (
    *("role", "type", "content", "name", "args", "arguments", "input", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "call_id"),
    *("function", "function_call", "output", "outputs", "messages", "parts", "response", "choices", "message", "delta", "candidates"),
    *("data", "kwargs", "status", "error", "event", "values", "tasks", "interrupts", "child_runs", "run_type", "metadata", "raw", "agent"),
    *("additional_kwargs", "response_metadata", "usage", "tools", "next", "config", "parent_run_id", "trace_id", "index", "custom"),
)
"""Names of fields that some format knows; a field is also renamed to one of these."""

Edit = Callable[[Any, Any], None]


def mutated(choices: Choices, value: Any, pool: Sequence[Any] = (), *, objects: bool = True) -> Any:
    """
    A changed copy of a value: one to four changes, of what lies anywhere inside it.

    Args:
        pool: Other values, parts of which may take the place of parts of this one.
        objects: Values that no JSON holds may come in.
    """
    for _ in range(1 + choices.below(4)):
        try:
            value = _changed(choices, value, pool, objects)
        except (Failure, Wordless):  # a hostile object does not let itself be changed any further
            break
    return value


def made(choices: Choices, depth: int = 4, *, objects: bool = True) -> Any:
    """A value out of nothing: random JSON with the fields that formats use, and now and then what no JSON holds."""
    kind = choices.below(8)
    if kind < 3 and depth > 0:
        return {one(choices, WORDS): made(choices, depth - 1, objects=objects) for _ in range(choices.below(5))}
    if kind < 5 and depth > 0:
        return [made(choices, depth - 1, objects=objects) for _ in range(choices.below(4))]
    return _junk(choices, objects)


def _junk(choices: Choices, objects: bool) -> Any:
    if objects and choices.below(4) == 0:
        return one(choices, OBJECTS)()
    return one(choices, PLAIN)()


def _place(choices: Choices, value: Any) -> list[Any]:
    """The path to something inside a value."""
    path: list[Any] = []
    while len(path) < 14 and (not path or choices.below(5)):
        if type(value) is dict and value:
            key = one(choices, list(value))
        elif type(value) is list and value:
            key = choices.below(len(value))
        else:
            break
        path.append(key)
        value = value[key]
    return path


def _changed(choices: Choices, value: Any, pool: Sequence[Any], objects: bool) -> Any:
    path = _place(choices, value)
    if not path:
        return _other(choices, value, objects) if choices.below(2) else made(choices, objects=objects)
    deed = choices.below(14)
    edit: Edit
    if deed == 0:
        edit = _delete
    elif deed <= 3:
        other = _junk(choices, objects)
        edit = lambda holder, key: holder.__setitem__(key, other)  # noqa: E731
    elif deed == 4:
        edit = _doubled(choices)
    elif deed == 5:
        edit = _renamed(choices)
    elif deed <= 7:
        edit = lambda holder, key: holder.__setitem__(key, _other(choices, holder[key], objects))  # noqa: E731
    elif deed <= 9:
        elsewhere = _at(value, _place(choices, value))
        edit = lambda holder, key: holder.__setitem__(key, elsewhere)  # noqa: E731
    elif deed == 10 and pool:
        source = one(choices, pool)
        elsewhere = _at(source, _place(choices, source))
        edit = lambda holder, key: holder.__setitem__(key, elsewhere)  # noqa: E731
    elif deed == 11:
        edit = _reordered(choices)
    elif deed == 12:
        word, other = one(choices, WORDS), _junk(choices, objects)
        edit = lambda holder, key: holder.__setitem__(word, other) if type(holder) is dict else holder.insert(key, other)  # noqa: E731
    else:
        edit = lambda holder, key: holder.__setitem__(key, _edited(choices, holder[key]))  # noqa: E731
    return _rebuilt(value, path, 0, edit)


def _rebuilt(value: Any, path: list[Any], at: int, edit: Edit) -> Any:
    """A copy in which only what lies along the path is new."""
    copy = value.copy()
    if at == len(path) - 1:
        edit(copy, path[at])
    else:
        copy[path[at]] = _rebuilt(value[path[at]], path, at + 1, edit)
    return copy


def _at(value: Any, path: list[Any]) -> Any:
    for key in path:
        value = value[key]
    return value


def _delete(holder: Any, key: Any) -> None:
    del holder[key]


def _doubled(choices: Choices) -> Edit:
    def edit(holder: Any, key: Any) -> None:
        if type(holder) is list:
            for _ in range(1 + choices.below(3)):
                holder.append(holder[key])
                at = choices.below(len(holder))
                holder[at], holder[-1] = holder[-1], holder[at]
        else:
            holder[one(choices, WORDS)] = holder[key]

    return edit


def _renamed(choices: Choices) -> Edit:
    def edit(holder: Any, key: Any) -> None:
        if type(holder) is list:
            holder.append(holder.pop(key))
        else:
            item, names = holder.pop(key), list(holder) or [""]
            holder[one(choices, WORDS) if choices.below(3) else one(choices, names)] = item

    return edit


def _reordered(choices: Choices) -> Edit:
    def edit(holder: Any, key: Any) -> None:
        if type(holder) is not list:
            holder[key] = holder.pop(key)
        elif choices.below(2):
            del holder[key:]
        else:
            other = choices.below(len(holder))
            holder[key], holder[other] = holder[other], holder[key]

    return edit


def _edited(choices: Choices, value: Any) -> Any:
    """A text cut, doubled or with a character changed; anything else inside a list or more."""
    if type(value) is not str:
        return one(choices, ([value], [[value]], {"content": value}, nested(20) if value is None else [value, value]))
    at = choices.below(len(value) + 1) if len(value) < 60_000 else 0
    return one(
        choices, (value[:at], value[at:], value[:at] + one(choices, ('"', "\\", "\n", "\ud83d", "{", "}", " ", "\x00", "<")) + value[at:])
    )


def _other(choices: Choices, value: Any, objects: bool) -> Any:
    """The same in another type."""
    kind = type(value)
    if kind is dict:
        text = _json(value)
        if not objects:
            return one(choices, ([value], text, list(value.values()), [[key, item] for key, item in value.items()]))
        names = {key: item for key, item in value.items() if type(key) is str}
        return one(
            choices,
            (
                *([value], text, list(value.values()), list(value.items())),
                *(MappingProxyType(value), UserDict(value), OrderedDict(value), SimpleNamespace(**names), Model(**names)),
            ),
        )
    if kind is list:
        text = _json(value)
        if not objects:
            return one(choices, (text, [value], dict(enumerate(map(str, range(len(value))))), value[:1], {"content": value}))
        return one(
            choices,
            (text, [value], tuple(value), deque(value), (item for item in value), UserList(value), {"messages": value}, iter(value)),
        )
    if kind is str:
        loaded = _loaded(value)
        plain = ([value], {"text": value}, [{"type": "text", "text": value}], loaded, 7, value * 2, value.upper(), "")
        return one(choices, plain if not objects else (*plain, value.encode("utf-8", "replace"), Text(value)))
    if kind is int or kind is float:
        return one(
            choices,
            (str(value)[:50] if kind is float or abs(value) < 10**50 else "0", [value], -value, value / 2 if abs(value) < 2**60 else 0),
        )
    return one(choices, (None, "", [], {}, "null", False))


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=lambda _: "?", skipkeys=True)[:4000]
    except Exception:  # noqa: BLE001 - a hostile object is in it, or it holds itself
        return '{"broken": '


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"arguments": text}
