"""Did the run go as an expectation says?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, Trajectory
from .._shown import amount, uncounted
from ..expect._setting import Expected, argument_defaults, expected_setting, filled_expected
from ..matching import Match, Plan, Rules, best_plan_match, diff_of, diff_text


def follows(
    expectation: Any = None,
    args: Any = "exact",
    *,
    extras: bool = True,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Did the run go as the expectation says: every call made, in its order, and no statement broken?

    Args:
        expectation: Anything that `toolcall_evals.expect` reads. None: each example's `expect` or `tool_calls`, or the calls of its
            reference run.
        args: How arguments are compared where the expectation does not say it, as for `tool_calls_match`.
        extras: Whether calls that the expectation says nothing of are allowed. An expectation of no call at all allows none.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of the expectation.

    Returns:
        An evaluator that scores 1.0 or 0.0; `details["diff"]` has what differs.

    Raises:
        ValueError: An expectation that cannot be met or read, or an unknown rule.
    """
    rules = Rules(args)
    given = None if expectation is None else expected_setting(expectation, rules, "expectation")
    settings = {
        "expected": given,
        "rules": rules,
        "extras": setting.flag("extras", extras),
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    parts = [] if args == "exact" else [str(args)]
    parts += [] if given is None else [repr(given)]
    shown = {"expectation": given, "args": args, "extras": extras, "scope": settings["scope"]}
    fill = filled_expected if given is None else None
    variant = [] if extras else ["no_extras"]
    return Evaluator("follows", _measure, settings, key=key, subject=", ".join(parts) or None, variant=variant, fill=fill, shown=shown)


def _measure(run: Trajectory, expected: Expected, rules: Rules, extras: bool, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    found = best_plan_match(expected.plans, calls, True, argument_defaults(run.available_tools) if run.available_tools else None)
    allowed = extras and not _expects_nothing(found.plan)
    return found.complete and (allowed or not found.extra), partial(_explained, run, scope, expected, found, allowed)


def _expects_nothing(plan: Plan) -> bool:
    """An empty list of calls says that none is made; statements alone (never, before) say nothing of other calls."""
    return not plan.rows and not plan.forbidden and not plan.precedence


def _explained(run: Trajectory, scope: setting.Scope, expected: Expected, found: Match, allowed: bool) -> tuple[str, dict[str, Any]]:
    diff = diff_of(found)
    passed = found.complete and (allowed or not found.extra)
    differences = "" if passed else diff_text(diff, extras=not allowed) or "the calls differ"
    matched = f"{len(found.pairs)} of {amount(found.expected, 'expected call')} matched{scope}"
    comment = f"as expected: {matched}" if passed else f"{differences}; {matched}"
    comment += "; a size limit was passed, so that a match may have been missed" if found.bound and not passed else ""
    details = {
        "expectation": repr(expected),
        "expected": found.expected,
        "matched": len(found.pairs),
        "actual": len(found.calls),
        "extras_allowed": allowed,
        "bound": found.bound,
        "diff": diff,
    }
    return comment + uncounted(run, scope), details
