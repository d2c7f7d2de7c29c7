"""How much of the expected way did the agent go?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import CouldNotScore, SettingError
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._reference import Reference
from .._shown import amount, cut, listed, uncounted
from ..expect._nested import Levels
from ..expect._setting import Expected, argument_defaults, expected_setting, filled_expected
from ..matching import Defaults, Match, Rules, best_plan_match, diff_of, diff_text

ORDERINGS = ("relaxed", "strict", "unordered")

REPEAT_PENALTY = 0.1
"""What each tool costs that is called more than once and more often than expected, where repeats are not allowed."""

OWN_SHARE = 0.7
"""The weight of a level's own score; the rest is the mean of what happened inside its calls."""


@dataclass(slots=True)
class Level:
    """
    The accuracy of one level of calls.

    Attributes:
        value: The score, in 0..1, what is inside included.
        own: The score of the level itself.
        found: The match.
        repeated: The tools that were repeated more often than expected.
        inside: The levels expected inside calls of this one, by the call's tool; None where the call was not made.
    """

    value: float
    own: float
    found: Match
    repeated: list[str]
    inside: list[tuple[str, Level | None]]


def trajectory_accuracy(
    expected: Any = None,
    ordering: str = "relaxed",
    allow_repeated_steps: bool = True,
    *,
    args: Any = "exact",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    How much of the expected way did the agent go?

    Args:
        expected: As for `tool_calls_match`; a call may state `result`, `success` and, for a sub-agent, what is done `inside` it.
        ordering: `relaxed`: the share of expected calls made in this order; others cost nothing. `strict`: 1.0 for exactly these calls in
            order, else 0.0. `unordered`: the share made in any order.
        allow_repeated_steps: False: a tool called more than once, and more often than expected, costs 0.1.
        args: How arguments are compared, as for `tool_calls_match`; a call that states none takes any.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of the settings.

    Returns:
        An evaluator that scores 0.0 to 1.0. Nothing expected: 1.0 without calls, 0.0 with any. With expectations `inside` calls, 0.7 times
        the own score plus 0.3 times their mean. The arithmetic is that of `createTrajectoryAccuracyScorerCode` (@mastra/evals 1.10.2),
        with pairings as large as possible and a strict order that gives no part of a point.

    Raises:
        ValueError: An expectation that cannot be met or read, an unknown ordering or rule.
    """
    rules = Rules(args)
    given = None if expected is None else expected_setting(expected, rules, nested=True)
    settings = {
        "expected": given,
        "ordering": setting.choice("ordering", ordering, ORDERINGS),
        "allow_repeated_steps": setting.flag("allow_repeated_steps", allow_repeated_steps),
        "rules": rules,
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    parts = [ordering] if ordering != "relaxed" else []
    parts += [] if allow_repeated_steps else ["no repeats"]
    parts += [] if args == "exact" else [str(args)]
    parts += [] if given is None else [repr(given)]
    shown = {"expected": given, "ordering": ordering, "allow_repeated_steps": allow_repeated_steps, "args": args}
    shown["scope"] = settings["scope"]
    fill = filled if given is None else None
    return Evaluator("trajectory_accuracy", _measure, settings, key=key, subject=", ".join(parts) or None, fill=fill, shown=shown)


def filled(settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The settings with the expectation of an example, which may look inside calls."""
    return filled_expected(settings, reference, nested=True)


def _measure(
    run: Trajectory, expected: Expected, ordering: str, allow_repeated_steps: bool, rules: Rules, scope: setting.Scope
) -> Finding:
    calls = scope.calls(run)
    level = accuracy(expected, calls, ordering, allow_repeated_steps, argument_defaults(run.available_tools))
    return level.value, partial(_explained, run, scope, level, ordering)


def accuracy(
    expected: Expected, calls: Sequence[ToolInvocation], ordering: str, allow_repeated_steps: bool, defaults: Defaults | None
) -> Level:
    """
    The accuracy of calls.

    Args:
        expected: What is expected; where it looks inside calls, the outermost calls are matched with it.
        calls: The calls, in order.
        ordering: One of `ORDERINGS`.
        allow_repeated_steps: Whether repeats cost nothing.
        defaults: What an omitted argument equals, by tool.
    """
    levels = Levels(calls) if expected.nested else None
    mine = levels.outermost if levels else calls
    found = best_plan_match(expected.plans, mine, ordering != "unordered", defaults)
    repeated = [] if allow_repeated_steps else _repeated(found, mine)
    own = _own(found, mine, ordering, repeated)
    if levels is None:
        return Level(own, own, found, repeated, [])
    inside = _inside(found, mine, levels, expected.rules, ordering, allow_repeated_steps, defaults)
    below = [level.value if level else 0.0 for _, level in inside]
    value = OWN_SHARE * own + (1 - OWN_SHARE) * sum(below) / len(below) if below else own
    return Level(value, own, found, repeated, inside)


def _own(found: Match, calls: Sequence[ToolInvocation], ordering: str, repeated: list[str]) -> float:
    if found.violations:
        return 0.0
    if ordering == "strict":
        return float(found.complete and not found.extra)
    if not found.expected:
        return float(not found.extra or not _expects_nothing(found))
    return max(0.0, len(found.pairs) / found.expected - REPEAT_PENALTY * len(repeated))


def _expects_nothing(found: Match) -> bool:
    """Whether the plan is empty; one of statements alone (never, before) says nothing of other calls."""
    plan = found.plan
    return not plan.rows and not plan.forbidden and not plan.precedence


def _repeated(found: Match, calls: Sequence[ToolInvocation]) -> list[str]:
    """The tools called more than once and more often than the places take."""
    allowed: Counter[str] = Counter()
    for row, most in zip(found.plan.rows, found.plan.most, strict=True):
        for name in {wanted.name for wanted in row}:
            allowed[name] += len(calls) if most is None else most
    return [name for name, count in Counter(call.name for call in calls).items() if count > 1 and count > allowed[name]]


def _inside(
    found: Match,
    calls: Sequence[ToolInvocation],
    levels: Levels,
    rules: Rules,
    ordering: str,
    allow_repeated_steps: bool,
    defaults: Defaults | None,
) -> list[tuple[str, Level | None]]:
    pairs = dict(found.pairs)
    inside: list[tuple[str, Level | None]] = []
    for place, row in enumerate(found.plan.rows):
        for wanted in row:
            if wanted.inside is None:
                continue
            index = pairs.get(place)
            if index is None or calls[index].name != wanted.name:
                if len(row) == 1 and found.plan.need[place]:
                    inside.append((wanted.name, None))
                continue
            try:
                below = Expected(wanted.inside, rules)
            except SettingError as error:
                raise CouldNotScore(f"what is expected inside {wanted.name}: {error}") from error
            inner = levels.inside(calls[index])
            inside.append((wanted.name, accuracy(below, inner, ordering, allow_repeated_steps, defaults)))
    return inside


def level_details(level: Level) -> dict[str, Any]:
    """The numbers of a level and what differs, levels inside included."""
    found = level.found
    details: dict[str, Any] = {
        "score": level.value,
        "matched_steps": len(found.pairs),
        "total_expected_steps": found.expected,
        "total_actual_steps": len(found.calls),
        "repeated_steps": level.repeated,
        "bound": found.bound,
        "diff": diff_of(found),
    }
    if level.inside:
        details["own_score"] = level.own
        details["inside"] = [
            {"call": name, "made": below is not None, **(level_details(below) if below else {"score": 0.0})} for name, below in level.inside
        ]
    return details


def level_text(level: Level, details: Mapping[str, Any], ordering: str) -> str:
    """A level in words."""
    differences = diff_text(details["diff"], extras=ordering == "strict" or not level.found.expected, moves=ordering != "unordered")
    text = f"{details['matched_steps']} of {amount(details['total_expected_steps'], 'expected call')} matched"
    text += f"; {differences}" if differences else ""
    text += f"; repeated: {listed(level.repeated)}" if level.repeated else ""
    text += "; a size limit was passed, so that this is a lower bound" if level.found.bound else ""
    for (name, below), item in zip(level.inside, details.get("inside", ()), strict=True):
        text += f"; inside {cut(name)}: {level_text(below, item, ordering) if below else 'the call was not made'}"
    return text


def _explained(run: Trajectory, scope: setting.Scope, level: Level, ordering: str) -> tuple[str, dict[str, Any]]:
    details = level_details(level)
    return f"{ordering} order: {level_text(level, details, ordering)}{scope}{uncounted(run, scope)}", {"ordering": ordering, **details}
