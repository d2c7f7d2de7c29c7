"""Was the way that the agent went right, short, free of futile retries, and clear of what is forbidden?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, Trajectory
from .._reference import Reference
from .._shown import uncounted
from ..expect._setting import Expected, argument_defaults, expected_of, expected_setting
from ..matching import Rules
from ._trajectory_accuracy import ORDERINGS, OWN_SHARE, accuracy, level_details, level_text
from ._trajectory_parts import (
    Limits,
    Parts,
    efficiency_text,
    failures_text,
    forbidden_text,
    judge_efficiency,
    judge_failures,
    judge_forbidden,
    rounded,
)

WEIGHTS = {"accuracy": 0.4, "efficiency": 0.3, "tool_failures": 0.2, "forbidden": 0.1}
"""The weights of the parts where none are given; those of the parts that do not apply are left out."""

def trajectory_quality(
    expected: Any = None,
    ordering: str = "relaxed",
    allow_repeated_steps: bool = True,
    *,
    max_steps: float | None = None,
    max_total_tokens: float | None = None,
    max_total_duration_ms: float | None = None,
    no_redundant_calls: bool | None = None,
    forbidden_tools: Sequence[str] = (),
    forbidden_sequences: Sequence[Sequence[str]] = (),
    max_retries_per_tool: int = 2,
    weights: Mapping[str, float] | None = None,
    args: Any = "exact",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was the way right, short, free of futile retries, and clear of what is forbidden?

    The score is the weighted mean of the parts that apply:

    * `accuracy`, where something is expected: as `trajectory_accuracy`.
    * `efficiency`, where something is budgeted: the mean over the budgets of 1.0, less the share by which a budget is passed, and of
      redundant calls (a call equal to the one before it), 0.2 less for each.
    * `tool_failures`, where a call that did not succeed was followed by another of its tool: 0.2 less for each retry above
      `max_retries_per_tool`.
    * `forbidden`, where something is forbidden: any violation makes the whole score 0.0.

    The parts are rounded to two decimals, as `createTrajectoryScorerCode` (@mastra/evals 1.10.2) does, so that the score can be computed
    again from what is shown.

    Args:
        expected: As for `trajectory_accuracy`. None: each example's, where it has one; without one there is no accuracy.
        ordering: As for `trajectory_accuracy`.
        allow_repeated_steps: As for `trajectory_accuracy`.
        max_steps: How many calls are enough.
        max_total_tokens: How many tokens the run may use; without a count it could not be scored.
        max_total_duration_ms: How long the run may take; without a duration it could not be scored.
        no_redundant_calls: Whether redundant calls cost; None: yes, where anything else is budgeted.
        forbidden_tools: Tools of any kind that must not be called.
        forbidden_sequences: Tools that must not be called directly after one another.
        max_retries_per_tool: How many times a failed call may be tried again.
        weights: The weights of `accuracy`, `efficiency`, `tool_failures` and `forbidden`, instead of 0.4, 0.3, 0.2 and 0.1; one
            below 0 counts as 0, and one must be above it.
        args: How arguments are compared, as for `tool_calls_match`.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of the settings.

    Returns:
        An evaluator that scores 0.0 to 1.0; 1.0 where no part applies. `details["parts"]` has the parts and their weights.

    Raises:
        ValueError: A setting that is not as described.
    """
    rules = Rules(args)
    given = None if expected is None else expected_setting(expected, rules, nested=True)
    limits = Limits(
        _budget("max_steps", max_steps),
        _budget("max_total_tokens", max_total_tokens),
        _budget("max_total_duration_ms", max_total_duration_ms),
        None if no_redundant_calls is None else setting.flag("no_redundant_calls", no_redundant_calls),
        setting.count("max_retries_per_tool", max_retries_per_tool, 0),
        setting.names("forbidden_tools", forbidden_tools),
        _sequences(forbidden_sequences),
    )
    settings = {
        "expected": given,
        "ordering": setting.choice("ordering", ordering, ORDERINGS),
        "allow_repeated_steps": setting.flag("allow_repeated_steps", allow_repeated_steps),
        "limits": limits,
        "weights": _weights(weights),
        "rules": rules,
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    stated = {name: getattr(limits, name) for name in limits.__slots__ if getattr(limits, name) != getattr(Limits(), name)}
    shown = {"expected": given, "ordering": ordering, "allow_repeated_steps": allow_repeated_steps, **stated}
    shown |= {"weights": dict(weights)} if weights else {}
    shown |= {"args": args} if args != "exact" else {}
    defaults = {"expected": None, "ordering": "relaxed", "allow_repeated_steps": True}
    subject = ", ".join([f"{name}={value!r}" for name, value in shown.items() if value != defaults.get(name, ...)]) or None
    fill = _filled if given is None else None
    return Evaluator(
        "trajectory_quality", _measure, settings, key=key, subject=subject, fill=fill, shown={**shown, "scope": settings["scope"]}
    )


def _budget(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if not _is_finite(value) or value < 0:
        setting.refuse(name, value, "a finite number of at least 0, or None")
    return value  # type: ignore[no-any-return]  # a number, as was just asked


def _is_finite(value: Any) -> bool:
    """Whether it is a finite number, which a float can hold."""
    try:
        return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        return False


def _sequences(value: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        setting.refuse("forbidden_sequences", value, "a list of lists of tool names")
    return tuple([names for item in value if (names := setting.names("forbidden_sequences", item))])


def _weights(value: Any) -> Mapping[str, float]:
    if value is None:
        return WEIGHTS
    if not isinstance(value, Mapping) or not value.keys() <= WEIGHTS.keys():
        setting.refuse("weights", value, f"a mapping with some of {sorted(WEIGHTS)}")
    for weight in value.values():
        if not _is_finite(weight):
            setting.refuse("weights", value, "a mapping to finite numbers")
    weights = {name: max(0.0, weight) for name, weight in {**WEIGHTS, **value}.items()}
    if not any(weights.values()):
        setting.refuse("weights", value, "a mapping that leaves a weight above 0")
    if not math.isfinite(sum(weights.values())):
        setting.refuse("weights", value, "a mapping to numbers with a finite sum")
    return weights


def _filled(settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The expectation of an example, or none: the other parts need none."""
    try:
        return {**settings, "expected": expected_of(reference, settings["rules"], settings["scope"], nested=True)}
    except CouldNotScore:
        if reference is not None and reference.stated()[0] is not None:
            raise
        return settings


def _measure(
    run: Trajectory,
    expected: Expected | None,
    ordering: str,
    allow_repeated_steps: bool,
    limits: Limits,
    weights: Mapping[str, float],
    rules: Rules,
    scope: setting.Scope,
) -> Finding:
    calls, parts = scope.calls(run), Parts()
    if limits.forbidden_tools or limits.forbidden_sequences:
        judge_forbidden(run, calls, limits, scope, parts)
    if expected is not None:
        parts.level = accuracy(expected, calls, ordering, allow_repeated_steps, argument_defaults(run.available_tools))
        parts.scores["accuracy"] = rounded(parts.level.own)
    if limits.budgets:
        judge_efficiency(run, calls, limits, parts)
    judge_failures(calls, limits, parts)
    return _total(parts, weights), partial(_explained, run, scope, parts, weights, ordering)


def _total(parts: Parts, weights: Mapping[str, float]) -> float:
    if parts.scores.get("forbidden") == 0.0:
        return 0.0
    weight = sum([weights[name] for name in parts.scores])
    own = sum([weights[name] * value for name, value in parts.scores.items()]) / weight if weight else 1.0
    if parts.level is None or not parts.level.inside:
        return min(own, 1.0)
    below = [level.value if level else 0.0 for _, level in parts.level.inside]
    return min(OWN_SHARE * own + (1 - OWN_SHARE) * sum(below) / len(below), 1.0)


def _explained(
    run: Trajectory, scope: setting.Scope, parts: Parts, weights: Mapping[str, float], ordering: str
) -> tuple[str, dict[str, Any]]:
    facts = dict(parts.facts)
    texts = {"forbidden": forbidden_text(facts), "efficiency": efficiency_text(facts), "tool_failures": failures_text(facts)}
    if parts.level is not None:
        facts["accuracy"] = level_details(parts.level)
        texts["accuracy"] = level_text(parts.level, facts["accuracy"], ordering)
    said = [f"{name} {score:g} ({texts[name]})" for name, score in parts.scores.items()]
    details = {
        "parts": {name: {**facts.get(name, {}), "score": score, "weight": weights[name]} for name, score in parts.scores.items()},
        "ordering": ordering,
    }
    if parts.level is not None and parts.level.inside:
        details["inside"] = facts["accuracy"]["inside"]
    if parts.scores.get("forbidden") == 0.0:
        said = [f"forbidden: {texts['forbidden']}", *said[1:]]
    return ("; ".join(said) or "no part applies") + f"{scope}{uncounted(run, scope)}", details
