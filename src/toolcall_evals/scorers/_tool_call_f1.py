"""How many of the calls are right, and how many of the right ones were made?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import uncounted
from ..expect._setting import Expected, argument_defaults, expected_setting, filled_expected
from ..matching import Match, Rules, best_plan_match, diff_of, diff_text


def tool_call_f1(
    expected: Any = None,
    args: Any = "exact",
    *,
    ordered: bool = False,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    What is the F1 of the calls: of how many are right, and of how many right ones were made?

    Calls are counted as often as they are made and paired one-to-one, as many as possible. A hallucinated call counts on neither side.

    Args:
        expected: As for `tool_calls_match`.
        args: How arguments are compared, as for `tool_calls_match`.
        ordered: Whether pairs must keep the expected order.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of the settings.

    Returns:
        An evaluator that scores 2 * matched / (expected + made), in 0..1; nothing expected and nothing called scores 1.0. `details` has
        `precision` (matched / made; 0.0 when nothing was called that was expected), `recall` (matched / expected; 1.0 when nothing was
        expected), `f1`, the counts, `by_tool` and the `diff`.

    Raises:
        ValueError: An expectation that cannot be met or read, or an unknown rule.
    """
    rules = Rules(args)
    given = None if expected is None else expected_setting(expected, rules)
    settings = {
        "expected": given,
        "ordered": setting.flag("ordered", ordered),
        "rules": rules,
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    parts = ["ordered"] if ordered else []
    parts += [] if args == "exact" else [str(args)]
    parts += [] if given is None else [repr(given)]
    shown = {"expected": given, "args": args, "ordered": ordered, "scope": settings["scope"]}
    fill = filled_expected if given is None else None
    return Evaluator("tool_call_f1", _measure, settings, key=key, subject=", ".join(parts) or None, fill=fill, shown=shown)


def _measure(run: Trajectory, expected: Expected, ordered: bool, rules: Rules, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    defaults = argument_defaults(run.available_tools) if run.available_tools else None
    found = best_plan_match(expected.plans, calls, ordered, defaults)
    total = found.expected + len(calls)
    return 2 * len(found.pairs) / total if total else 1.0, partial(_explained, run, scope, found, calls)


def _explained(run: Trajectory, scope: setting.Scope, found: Match, calls: Sequence[ToolInvocation]) -> tuple[str, dict[str, Any]]:
    matched, expected, made = len(found.pairs), found.expected, len(calls)
    precision = matched / made if made else float(not expected)
    recall = matched / expected if expected else 1.0
    f1 = 2 * matched / (expected + made) if expected + made else 1.0
    diff = diff_of(found)
    differences = diff_text(diff, moves=found.ordered)
    comment = f"F1 {f1:.3g}: {matched} matched of {expected} expected and {made} made{scope}"
    comment += f"; {differences}" if differences else ""
    comment += "; a size limit was passed, so that this is a lower bound" if found.bound else ""
    details = {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "matched": matched,
        "expected": expected,
        "actual": made,
        "by_tool": _by_tool(found, calls),
        "bound": found.bound,
        "diff": diff,
    }
    return comment + uncounted(run, scope), details


def _by_tool(found: Match, calls: Sequence[ToolInvocation]) -> dict[str, dict[str, int]]:
    made = Counter(call.name for call in calls)
    matched = Counter(calls[index].name for _, index in found.pairs)
    missing = Counter(found.plan.rows[place][0].name for place in found.missing)
    return {
        name: {"expected": matched[name] + missing[name], "actual": made[name], "matched": matched[name]}
        for name in dict.fromkeys([*missing, *made])
    }
