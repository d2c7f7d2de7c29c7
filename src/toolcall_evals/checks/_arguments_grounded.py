"""Do the values of the arguments come from somewhere?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._available import available as stated_tools
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, Tool, ToolInvocation, Trajectory
from .._shown import amount, cut, place, uncounted
from ._grounds import Grounds, folded, number_in, scalars, written
from ._no_unknown_tools import offered_to, tool_of
from ._tool_schema import stated_values

_SHOWN = 5
_WORD = re.compile(r"\w+")
_LEAST_LETTERS = 3

Ungrounded = tuple[int, str, Any]
"""A call's index, the path of a value in its arguments, the value."""


def arguments_grounded(
    *,
    ignore: Sequence[str] = (),
    texts: str = "whole",
    own_words: bool = False,
    available: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Does each value of the arguments occur in the conversation before the call, or in an earlier result?

    Texts are compared after NFKC, case folding and with white space as one space, and occur as whole words; a date is a text. Numbers are
    equal however they are written: 1000, 1,000, 1000.0, 1e3; 0.5 is also 50%. The assistant's own words ground a value only once the user
    has spoken after them. Not judged are True, False and None, whole numbers of one digit, texts of one character, and values that the
    tool's schema states itself (`enum`, `const`, `default`).

    Args:
        ignore: Arguments that need no ground, as `argument` or `tool.argument`: what the model is to write itself.
        texts: `whole`: a text occurs as it is. `words`: each of its words of three letters or more occurs, in any order.
        own_words: Whether what the assistant said since the user last spoke grounds a value too.
        available: The tools with their schemas, as for `arguments_valid`. None: what the trace says was offered.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `arguments_grounded`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0. A record without any conversation could not be scored.

    Raises:
        ValueError: A setting that is not as described.
    """
    ignored, scope = sorted(set(setting.names("ignore", ignore))), setting.scope(kinds, agent, COUNTED_KINDS)
    tools = None if available is None else stated_tools("available", available)
    settings = {
        "ignore": frozenset(ignored),
        "texts": setting.choice("texts", texts, ("whole", "words")),
        "own_words": setting.flag("own_words", own_words),
        "available": tools,
        "scope": scope,
    }
    stated: dict[str, Any] = {"ignore": ignored} if ignored else {}
    stated |= {} if tools is None else {"available": [(tool.name, tool.agent, tool.parameters) for tool in tools]}
    variant = ["words"] * (texts == "words") + ["own_words"] * own_words
    shown = {**({"ignore": ignored} if ignored else {}), "texts": texts, "own_words": own_words, "scope": scope}
    subject = repr(stated) if stated else None
    return Evaluator("arguments_grounded", _measure, settings, key=key, subject=subject, variant=variant, negative=True, shown=shown)


def _measure(
    run: Trajectory, ignore: frozenset[str], texts: str, own_words: bool, available: tuple[Tool, ...] | None, scope: setting.Scope
) -> Finding:
    calls = scope.calls(run)
    stated = _Stated(run.available_tools if available is None else available)
    judged = [
        (index, path, value)
        for index, call in enumerate(calls)
        for path, value in _values(call)
        if not _is_trivial(value) and not _is_ignored(call.name, path, ignore) and not stated.has(call, value)
    ]
    if judged and run.input is None and not run.messages:
        raise CouldNotScore("the record has no conversation that the arguments could come from")
    ungrounded: list[Ungrounded] = []
    if judged:
        grounds = Grounds(run, own_words)
        ungrounded = [(index, path, value) for index, path, value in judged if not _is_grounded(grounds, calls[index], value, texts)]
    return not ungrounded, partial(_explained, run, scope, calls, len(judged), ungrounded)


def _values(call: ToolInvocation) -> Iterable[tuple[str, Any]]:
    if call.args is not None:
        return scalars(call.args)
    return [("", call.raw_args)] if call.raw_args is not None and call.status != "invalid" else []


def _is_trivial(value: Any) -> bool:
    """A value that says too little to have come from somewhere."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return value != value or (abs(value) < 10 and value == int(value))
    return len(written(value).strip()) < 2


def _is_ignored(tool: str, path: str, ignore: frozenset[str]) -> bool:
    if not ignore:
        return False
    top = re.split(r"[.\[]", path, maxsplit=1)[0]
    return not ignore.isdisjoint((top, f"{tool}.{top}", path, f"{tool}.{path}"))


class _Stated:
    """The values that the tools' schemas state."""

    __slots__ = ("_by_tool", "_offered")

    def __init__(self, tools: Iterable[Tool] | None) -> None:
        self._offered = offered_to(tools or ())
        self._by_tool: dict[int, frozenset[Any]] = {}

    def has(self, call: ToolInvocation, value: Any) -> bool:
        """Does the schema of the call's tool state the value?"""
        tool = tool_of(call, self._offered) if self._offered else None
        if tool is None or tool.parameters is None:
            return False
        if id(tool) not in self._by_tool:
            found = [_comparable(each) for stated in stated_values(tool.parameters) for _, each in scalars(stated)]
            self._by_tool[id(tool)] = frozenset(found)
        return _comparable(value) in self._by_tool[id(tool)]


def _comparable(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return folded(written(value))


def _is_grounded(grounds: Grounds, call: ToolInvocation, value: Any, texts: str) -> bool:
    if isinstance(value, int | float):
        return grounds.knew_number(call, value)
    text = folded(written(value))
    if grounds.knew_text(call, text):
        return True
    number = number_in(text)
    if number is not None and grounds.knew_number(call, number):
        return True
    words = [word for word in _WORD.findall(text) if len(word) >= _LEAST_LETTERS] if texts == "words" else []
    return bool(words) and all(grounds.knew_text(call, word) for word in words)


def _explained(
    run: Trajectory, scope: setting.Scope, calls: Sequence[ToolInvocation], judged: int, ungrounded: Sequence[Ungrounded]
) -> tuple[str, dict[str, Any]]:
    shown = "; ".join([_text(calls, *each) for each in ungrounded[:_SHOWN]])
    rest = f"; and {len(ungrounded) - _SHOWN} more" if len(ungrounded) > _SHOWN else ""
    comment = f"{len(ungrounded)} of {amount(judged, 'argument value')} in {amount(len(calls), 'call')}{scope} occurred nowhere before"
    comment += f"{': ' if ungrounded else ''}{shown}{rest}"
    details = {
        "calls": len(calls),
        "judged": judged,
        "ungrounded": [
            {"index": index, "name": calls[index].name, "id": calls[index].id, "path": path, "value": value}
            for index, path, value in ungrounded
        ],
        "warnings": list(run.warnings),
    }
    return comment + uncounted(run, scope), details


def _text(calls: Sequence[ToolInvocation], index: int, path: str, value: Any) -> str:
    shown = cut(repr(value) if isinstance(value, str) else written(value), 80)
    return f"{place(calls, index)}: {cut(path) or 'its text'}={shown}"
