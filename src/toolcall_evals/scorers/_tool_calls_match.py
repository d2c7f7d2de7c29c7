"""Are the calls the expected ones?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import amount, uncounted
from ..expect._setting import Expected, argument_defaults, expected_setting, filled_expected
from ..matching import Defaults, Match, Rules, all_paired, best_plan_match, diff_of, diff_text, occurs_in_order, strictly_equal

ORDERS = ("strict", "in_order", "unordered", "superset", "subset")
_ORDERED = ("strict", "in_order")
_WITHOUT_EXTRAS = ("strict", "unordered", "subset")
_IN_WORDS = {
    "strict": "one by one in this order",
    "in_order": "in this order, others in between allowed",
    "unordered": "in any order",
    "superset": "in any order, others allowed",
    "subset": "none but these",
}


def tool_calls_match(
    expected: Any = None,
    order: str = "strict",
    args: Any = "exact",
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Are the calls the expected ones?

    Every call counts, whatever came of it, but a hallucinated one: it satisfies no expectation. The pairing is one-to-one, as large as
    possible, and does not depend on the order in which calls are listed.

    Args:
        expected: An expectation (see `toolcall_evals.expect`), or a list of tool names and {"name", "args"}; a call without `args`
            takes any. None: each example's `expect` or `tool_calls`, or the calls of its reference run.
        order: `strict`: the expected calls in order and no others. `in_order`: in order, others in between allowed. `unordered`: in any
            order and no others. `superset`: in any order, others allowed. `subset`: nothing but expected calls, each at most once.
        args: How arguments are compared: `exact`; `ignore`; `superset` (the call may have more); `subset` (fewer); `partial` (more, at
            every level); `loose` (numeric text equals the number, case and white space are folded); or a mapping from tools to these or
            to {argument: rule}, with `*` for the rest.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of the settings.

    Returns:
        An evaluator that scores 1.0 or 0.0; `details["diff"]` has what differs. Nothing expected and nothing called scores 1.0.

    Raises:
        ValueError: An expectation that cannot be met or read, an unknown order or rule.
    """
    rules = Rules(args)
    given = None if expected is None else expected_setting(expected, rules)
    settings = {
        "expected": given,
        "order": setting.choice("order", order, ORDERS),
        "rules": rules,
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    parts = [order] if order != "strict" else []
    parts += [] if args == "exact" else [str(args)]
    parts += [] if given is None else [repr(given)]
    shown = {"expected": given, "order": order, "args": args, "scope": settings["scope"]}
    fill = filled_expected if given is None else None
    return Evaluator("tool_calls_match", _measure, settings, key=key, subject=", ".join(parts) or None, fill=fill, shown=shown)


def _measure(run: Trajectory, expected: Expected, order: str, rules: Rules, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    defaults = argument_defaults(run.available_tools) if run.available_tools else None
    if expected.plain:
        passed = _plain_verdict(expected, order, calls, defaults)
        return passed, partial(_told_later, run, scope, expected, order, calls, defaults, passed)
    found = best_plan_match(expected.plans, calls, order in _ORDERED, defaults)
    passed = _holds(found, order)
    return passed, partial(_explained, run, scope, expected, order, found, passed)


def _plain_verdict(expected: Expected, order: str, calls: Sequence[ToolInvocation], defaults: Defaults | None) -> bool:
    rows = expected.plans[0].rows
    if order == "strict":
        return strictly_equal(rows, calls, defaults)
    if order == "in_order":
        return occurs_in_order(rows, calls, defaults)
    surplus = len(calls) - len(rows)
    if (surplus > 0 and order != "superset") or (surplus < 0 and order != "subset"):
        return False
    return all_paired(rows, calls, defaults)


def _holds(found: Match, order: str) -> bool:
    complete = not found.violations if order == "subset" else found.complete
    return complete and not (found.extra and order in _WITHOUT_EXTRAS)


def _told_later(
    run: Trajectory,
    scope: setting.Scope,
    expected: Expected,
    order: str,
    calls: Sequence[ToolInvocation],
    defaults: Defaults | None,
    passed: bool,
) -> tuple[str, dict[str, Any]]:
    """The verdict needed no pairing; the explanation does."""
    return _explained(run, scope, expected, order, best_plan_match(expected.plans, calls, order in _ORDERED, defaults), passed)


def _explained(
    run: Trajectory, scope: setting.Scope, expected: Expected, order: str, found: Match, passed: bool
) -> tuple[str, dict[str, Any]]:
    diff = diff_of(found)
    bound = found.bound and not passed
    if passed:
        matched = f"as expected: {_counted(len(found.pairs))} matched{scope}, {_IN_WORDS[order]}"
        comment = matched if found.pairs else f"no call{scope} is missing"
    else:
        differences = diff_text(diff, missing=order != "subset", extras=order in _WITHOUT_EXTRAS, moves=order in _ORDERED)
        matched = f"{len(found.pairs)} of {_counted(found.expected)} matched{scope}, {_IN_WORDS[order]}"
        comment = f"{differences or 'the calls differ'}; {matched}"
    comment += "; a size limit was passed, so that a match may have been missed" if bound else ""
    details = {
        "order": order,
        "expectation": repr(expected),
        "expected": found.expected,
        "actual": len(found.calls),
        "matched": len(found.pairs),
        "bound": bound,
        "diff": diff,
    }
    return comment + uncounted(run, scope), details


def _counted(number: int) -> str:
    return amount(number, "call")
