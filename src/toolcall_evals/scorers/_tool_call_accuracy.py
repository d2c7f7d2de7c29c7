"""Were exactly the expected tools called?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .. import _settings as setting
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._filling import taken
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._order import in_order, told
from .._reference import Reference
from .._shown import amount, cut, listed, uncounted


def tool_call_accuracy(
    expected_tool: str | None = None,
    strict_mode: bool = False,
    expected_tool_order: Sequence[str] | None = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was the expected tool called, or were the expected tools called in order?

    | mode | strict | 1.0 when |
    |---|---|---|
    | single | no | the tool was called, whatever else was |
    | single | yes | exactly one call was made, and it is the expected tool |
    | order | no | the names occur in that order, a subsequence of the calls |
    | order | yes | the calls are exactly the names |

    Args:
        expected_tool: The tool of the single mode; ignored when an order is given.
        strict_mode: No other call is allowed.
        expected_tool_order: The tools of the order mode; an empty list states that no call is expected. Neither given: both are read per
            example from `reference_outputs`, or the order from the calls of its reference run.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise, and in the single mode the expected tool
            whatever its kind.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `tool_call_accuracy:<tool>`.

    Returns:
        An evaluator that scores 1.0 or 0.0. `details` holds `expected_tool`, `actual_tools`, `strict_mode`, `expected_tool_order`,
        `has_tool_calls`, `correct_tool_called`, `correct_order_called` (None outside the order mode) and `tool_call_infos`: per call its
        name, id, the index of the message that asked for it and its index within that message (None where the source does not say).

    Raises:
        ValueError: An empty name, or an order that is no list of names.
    """
    order = None if expected_tool_order is None else setting.names("expected_tool_order", expected_tool_order)
    settings = {
        "expected_tool": None if expected_tool is None else setting.text("expected_tool", expected_tool),
        "strict_mode": setting.flag("strict_mode", strict_mode),
        "expected_tool_order": order,
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    words = ["none" if order == () else "order"] * (order is not None) + ["strict"] * strict_mode
    subject = expected_tool if order is None else order
    fill = _fill if subject is None else None
    return Evaluator("tool_call_accuracy", _measure, settings, key=key, subject=subject, variant=words, fill=fill)


def _fill(settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    tool = order = None
    if reference is not None:
        tool, order = reference.get("expected_tool"), reference.get("expected_tool_order")
        if tool is None and order is None and (calls := reference.calls(settings["scope"])) is not None:
            order = [call.name for call in calls]
    if tool is None and order is None:
        raise CouldNotScore("nothing is expected: give expected_tool or expected_tool_order, or either of them in reference_outputs")
    return {
        **settings,
        "expected_tool": None if tool is None else taken("expected_tool", tool, setting.text),
        "expected_tool_order": None if order is None else taken("expected_tool_order", order, setting.names),
    }


def _measure(
    run: Trajectory, expected_tool: str | None, strict_mode: bool, expected_tool_order: tuple[str, ...] | None, scope: setting.Scope
) -> Finding:
    calls = _looked_at(run, expected_tool, scope) if expected_tool_order is None else scope.calls(run)
    names = [call.name for call in calls]
    found = _tool_was_called(names, expected_tool, strict_mode)
    in_place: list[int] = []
    if expected_tool_order is None:
        passed, kept = found, None
    elif strict_mode:
        passed = kept = tuple(names) == expected_tool_order
    else:
        in_place = in_order(expected_tool_order, names)
        passed = kept = len(in_place) == len(expected_tool_order)

    def explain() -> tuple[str, dict[str, Any]]:
        if expected_tool_order is None:
            what = _single(names, expected_tool or "", strict_mode, scope)
        elif strict_mode:
            what = _exactly(names, expected_tool_order, bool(kept))
        else:
            what = told(expected_tool_order, calls, in_place)
        details = {
            "expected_tool": expected_tool,
            "actual_tools": names,
            "strict_mode": strict_mode,
            "expected_tool_order": None if expected_tool_order is None else list(expected_tool_order),
            "has_tool_calls": bool(calls),
            "correct_tool_called": found,
            "correct_order_called": kept,
            "tool_call_infos": _infos(calls),
        }
        besides = expected_tool if expected_tool_order is None else None
        return f"{what}; calls{scope}: {listed(names)}{uncounted(run, scope, besides)}", details

    return passed, explain


def _looked_at(run: Trajectory, name: str | None, scope: setting.Scope) -> tuple[ToolInvocation, ...]:
    """The calls that count, and the named tool's also where it is of a kind that does not, such as a handoff."""
    if scope.kinds != scope.usual or scope.kinds is None:
        return scope.calls(run)
    kinds = scope.kinds
    return tuple([call for call in run.calls(None, scope.agents) if call.kind in kinds or call.name == name])


def _tool_was_called(names: Sequence[str], expected: str | None, strict: bool) -> bool:
    if expected is None:
        return False
    return len(names) == 1 and names[0] == expected if strict else expected in names


def _single(names: Sequence[str], expected: str, strict: bool, scope: setting.Scope) -> str:
    count = names.count(expected)
    only = f", of {amount(len(names), 'call')}{scope}, exactly 1 is allowed" if strict and len(names) != 1 else ""
    called = f"called {amount(count, 'time')}" if count else "not called"
    return f"{cut(expected)} was {called}{only}"


def _exactly(names: Sequence[str], expected: Sequence[str], kept: bool) -> str:
    if kept:
        return f"the calls are exactly {listed(expected)}" if expected else "no call was made, as expected"
    if not expected:
        return f"no call was expected, {amount(len(names), 'call')} made"
    pairs = enumerate(zip(expected, names, strict=False))
    at = next((index for index, (ours, theirs) in pairs if ours != theirs), min(len(expected), len(names)))
    ours = cut(expected[at]) if at < len(expected) else "no further call"
    theirs = f"it was {cut(names[at]) or '(no name)'}" if at < len(names) else "there was none"
    return f"expected exactly {listed(expected)}: as call {at + 1} {ours} was expected, {theirs}"


def _infos(calls: Sequence[ToolInvocation]) -> list[dict[str, Any]]:
    seen: dict[int, int] = {}
    infos = []
    for call in calls:
        message, within = call.message_index, None
        if message is not None:
            within = seen.get(message, 0)
            seen[message] = within + 1
        infos.append({"name": call.name, "id": call.id, "message_index": message, "index_in_message": within})
    return infos
