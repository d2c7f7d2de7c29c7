"""How many of the arguments are right, in the calls that were made as expected?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import NotApplicable
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import amount, uncounted
from ..expect._setting import Expected, argument_defaults, expected_setting, filled_expected
from ..matching import Defaults, Pairing, Rules, best_plan_match, diff_of, diff_text, pair_closely


def argument_accuracy(
    expected: Any = None,
    args: Any = "exact",
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    How many of the arguments are right, in the calls of expected tools?

    Each expected call is paired with a call of its tool, the whole so that as many as possible fit and the rest is as alike as possible.
    A pair's value is the share of its arguments that are as they must be; those of nested values count by their share. Calls without a
    counterpart are left out: `tool_call_f1` counts those.

    Args:
        expected: As for `tool_calls_match`.
        args: How arguments are compared, as for `tool_calls_match`.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of the settings.

    Returns:
        An evaluator that scores the mean over the pairs, in 0..1; not applicable where there is no pair.

    Raises:
        ValueError: An expectation that cannot be met or read, or an unknown rule.
    """
    rules = Rules(args)
    given = None if expected is None else expected_setting(expected, rules)
    settings = {"expected": given, "rules": rules, "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    parts = [] if args == "exact" else [str(args)]
    parts += [] if given is None else [repr(given)]
    shown = {"expected": given, "args": args, "scope": settings["scope"]}
    fill = filled_expected if given is None else None
    return Evaluator("argument_accuracy", _measure, settings, key=key, subject=", ".join(parts) or None, fill=fill, shown=shown)


def _measure(run: Trajectory, expected: Expected, rules: Rules, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    defaults = argument_defaults(run.available_tools)
    plan = best_plan_match(expected.plans, calls, False, defaults).plan if len(expected.plans) > 1 else expected.plans[0]
    places = [place for place, need in enumerate(plan.need) for _ in range(max(need, 1))]
    rows = [plan.rows[place] for place in places]
    paired = pair_closely(rows, calls, defaults)
    values = {
        (row, call): max([wanted.likeness(calls[call], defaults) for wanted in rows[row] if wanted.name == calls[call].name])
        for row, call in sorted([*paired.pairs, *paired.near])
    }
    if not values:
        raise NotApplicable(f"none of the expected tools ({', '.join(plan.names()) or 'none'}) was called{scope}")
    mean = sum(values.values()) / len(values)
    return mean, partial(_explained, run, scope, expected, calls, defaults, paired, values)


def _explained(
    run: Trajectory,
    scope: setting.Scope,
    expected: Expected,
    calls: tuple[ToolInvocation, ...],
    defaults: Defaults | None,
    paired: Pairing,
    values: dict[tuple[int, int], float],
) -> tuple[str, dict[str, Any]]:
    diff = diff_of(best_plan_match(expected.plans, calls, False, defaults))
    differences = diff_text(diff, missing=False, extras=False, moves=False)
    right = sum(value == 1.0 for value in values.values())
    comment = f"all arguments right in {right} of {amount(len(values), 'paired call')}{scope}"
    comment += f"; {differences}" if differences else ""
    comment += "; a size limit was passed, so that closer pairs may exist" if paired.bound else ""
    details = {
        "pairs": [{"call": calls[call].name, "index": call, "score": value} for (_, call), value in values.items()],
        "bound": paired.bound,
        "diff": diff,
    }
    return comment + uncounted(run, scope), details
