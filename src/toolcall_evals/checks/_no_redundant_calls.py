"""Is no call made again that was already answered?"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import amount, place, uncounted
from ..matching import succeeded
from ..matching._equality import NotComparable, frozen

_SHOWN = 3

_FEW = 8
"""Calls of one tool up to which each is held against each other one."""


def no_redundant_calls(
    *,
    ignore: Sequence[str] = (),
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Is no tool called twice with equal arguments?

    A call repeats an earlier one of the same name and equal arguments (1 equals 1.0, "1" is not 1), whatever lies between them. A retry is
    no repeat: the latest equal call did not succeed, and it was asked for in an earlier message. A call that was not allowed to run settles
    nothing. Whether a call between the two changed what the tool would say cannot be seen: name such tools in `ignore`.

    Args:
        ignore: Tools that may repeat, such as a status poll.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `no_redundant_calls`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0.

    Raises:
        ValueError: `ignore` is no list of names.
    """
    ignored, scope = sorted(set(setting.names("ignore", ignore))), setting.scope(kinds, agent, COUNTED_KINDS)
    settings = {"ignore": frozenset(ignored), "scope": scope}
    shown = {**({"ignore": ignored} if ignored else {}), "scope": scope}
    subject = ["but", *ignored] if ignored else None
    return Evaluator("no_redundant_calls", _measure, settings, key=key, subject=subject, negative=True, shown=shown)


def _measure(run: Trajectory, ignore: frozenset[str], scope: setting.Scope) -> Finding:
    names, calls = scope.names(run), scope.calls(run)
    repeats, unclear = ([], []) if len(set(names)) == len(names) else _repeats(names, calls, ignore)
    return not repeats, partial(_explained, run, scope, calls, ignore, repeats, unclear)


def _repeats(
    names: Sequence[str], calls: Sequence[ToolInvocation], ignore: frozenset[str]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The (call, earlier call) that repeat, and the calls whose arguments cannot be compared with those of the tool's other calls."""
    first: dict[str, int] = {}
    by_name: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if name not in first:
            first[name] = index
        elif name in by_name:
            by_name[name].append(index)
        else:
            by_name[name] = [first[name], index]
    latest: dict[Hashable, int] = {}
    repeats: list[tuple[int, int]] = []
    unclear: list[int] = []
    for name, places in by_name.items():
        if name in ignore or (len(places) <= _FEW and _all_differ([calls[index].args for index in places])):
            continue
        for index in places:
            call = calls[index]
            try:
                stamp = (name, call.raw_args if call.args is None else None, frozen(call.args))
            except NotComparable:
                unclear.append(index)
                continue
            earlier = latest.get(stamp)
            if earlier is not None and not _is_retry(call, calls[earlier]):
                repeats.append((index, earlier))
            if earlier is None or call.status != "rejected":
                latest[stamp] = index
    return sorted(repeats), sorted(unclear)


def _all_differ(args: Sequence[dict[str, Any] | None]) -> bool:
    """Whether each two surely differ, told from texts and numbers under one key: nearly all calls differ in their first argument."""
    for number, one in enumerate(args):
        for other in args[:number]:
            if one is None or other is None:
                return False
            for key, value in one.items():
                found = other.get(key)
                kind = type(value)
                if kind is not type(found) or value == found:
                    continue
                if kind is str:
                    if value.isascii() and found.isascii():  # type: ignore[union-attr]  # of one kind
                        break
                elif kind is int or kind is bool or (kind is float and (value == value or found == found)):
                    break
            else:
                return False
    return True


def _is_retry(call: ToolInvocation, earlier: ToolInvocation) -> bool:
    at_once = call.message_index is not None and call.message_index == earlier.message_index
    return not at_once and not succeeded(earlier)


def _explained(
    run: Trajectory,
    scope: setting.Scope,
    calls: Sequence[ToolInvocation],
    ignore: frozenset[str],
    repeats: Sequence[tuple[int, int]],
    unclear: Sequence[int],
) -> tuple[str, dict[str, Any]]:
    shown = "; ".join([f"{place(calls, index)} repeats call {earlier + 1}" for index, earlier in repeats[:_SHOWN]])
    rest = f"; and {len(repeats) - _SHOWN} more" if len(repeats) > _SHOWN else ""
    comment = f"{len(repeats)} of {amount(len(calls), 'call')}{scope} repeated an earlier one{': ' if repeats else ''}{shown}{rest}"
    comment += f"; {len(unclear)} whose arguments cannot be compared ({place(calls, unclear[0])})" if unclear else ""
    details = {
        "calls": len(calls),
        "repeats": [
            {"index": index, "name": calls[index].name, "id": calls[index].id, "args": calls[index].args, "repeats": earlier}
            for index, earlier in repeats
        ],
        "not_compared": list(unclear),
        "ignored": sorted(ignore),
    }
    return comment + uncounted(run, scope), details
