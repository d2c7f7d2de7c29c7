"""The parts of the quality of a trajectory: what each is worth, and the facts behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._errors import CouldNotScore
from .._model import ToolInvocation, Trajectory
from .._settings import Scope
from .._shown import amount, cut, listed
from ..matching import Forbidden, Wanted, occurrence, succeeded
from ..matching._equality import equal
from ._trajectory_accuracy import Level

REDUNDANT_PENALTY = 0.2
RETRY_PENALTY = 0.2


@dataclass(frozen=True, slots=True)
class Limits:
    """What the way may cost, and what it must not touch."""

    max_steps: float | None = None
    max_total_tokens: float | None = None
    max_total_duration_ms: float | None = None
    no_redundant_calls: bool | None = None
    max_retries_per_tool: int = 2
    forbidden_tools: tuple[str, ...] = ()
    forbidden_sequences: tuple[tuple[str, ...], ...] = ()

    @property
    def budgets(self) -> bool:
        """Whether anything is budgeted; `no_redundant_calls=False` alone budgets nothing."""
        stated = (self.max_steps, self.max_total_tokens, self.max_total_duration_ms)
        return self.no_redundant_calls is True or any(limit is not None for limit in stated)


@dataclass(slots=True)
class Parts:
    """The parts of the score that apply, rounded to two decimals, and their facts."""

    scores: dict[str, float] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    level: Level | None = None


def judge_forbidden(run: Trajectory, calls: Sequence[ToolInvocation], limits: Limits, scope: Scope, parts: Parts) -> None:
    """Tools of any kind, and tools directly after one another, that must not be called."""
    of_any_kind = run.calls(None, scope.agents)
    tools = [name for name in limits.forbidden_tools if any(call.name == name for call in of_any_kind)]
    sequences = [
        list(names) for names in limits.forbidden_sequences if occurrence(Forbidden(tuple(map(Wanted, names)), True, ""), calls)
    ]
    parts.scores["forbidden"] = float(not tools and not sequences)
    parts.facts["forbidden"] = {"violated_tools": tools, "violated_sequences": sequences}


def judge_efficiency(run: Trajectory, calls: Sequence[ToolInvocation], limits: Limits, parts: Parts) -> None:
    """
    The mean over what is budgeted.

    Raises:
        CouldNotScore: The run does not say how many tokens it used, or how long it took.
    """
    facts: dict[str, Any] = {"total_steps": len(calls)}
    dimensions: list[float] = []
    if limits.max_steps is not None:
        dimensions.append(_within(len(calls), limits.max_steps))
    if limits.max_total_tokens is not None:
        facts["total_tokens"] = _tokens(run)
        dimensions.append(_within(facts["total_tokens"], limits.max_total_tokens))
    if limits.max_total_duration_ms is not None:
        if run.duration_s is None:
            raise CouldNotScore("max_total_duration_ms is set and the run does not say how long it took")
        facts["total_duration_ms"] = run.duration_s * 1000
        dimensions.append(_within(facts["total_duration_ms"], limits.max_total_duration_ms))
    if limits.no_redundant_calls is not False:
        redundant = [index for index in range(1, len(calls)) if _repeats(calls[index], calls[index - 1])]
        facts["redundant_calls"] = [{"name": calls[index].name, "index": index} for index in redundant]
        dimensions.append(max(0.0, 1 - REDUNDANT_PENALTY * len(redundant)))
    parts.scores["efficiency"] = rounded(sum(dimensions) / len(dimensions))
    parts.facts["efficiency"] = facts


def _within(used: float, limit: float) -> float:
    """1.0 within the limit, less by the share that is over it."""
    if used <= limit:
        return 1.0
    return max(0.0, 1 - (used - limit) / limit) if limit else 0.0


def _tokens(run: Trajectory) -> float:
    usage = run.usage or {}
    total = usage.get("total_tokens")
    if total is None:
        counted = [usage.get(name) for name in ("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens")]
        known = [number for number in counted if isinstance(number, int | float)]
        total = sum(known) if known else None
    if isinstance(total, bool) or not isinstance(total, int | float) or not math.isfinite(total) or total < 0:
        raise CouldNotScore("max_total_tokens is set and the run does not say how many tokens it used")
    return total


def _repeats(call: ToolInvocation, earlier: ToolInvocation) -> bool:
    return call.name == earlier.name and call.raw_args == earlier.raw_args and equal(call.args, earlier.args)


def judge_failures(calls: Sequence[ToolInvocation], limits: Limits, parts: Parts) -> None:
    """Runs of calls of one tool in which one that did not succeed was tried again."""
    patterns: list[dict[str, Any]] = []
    start = 0
    while start < len(calls):
        end = start + 1
        while end < len(calls) and calls[end].name == calls[start].name:
            end += 1
        retries = sum(not succeeded(call) for call in calls[start : end - 1])
        if retries:
            recovered = succeeded(calls[end - 1])
            patterns.append({"tool": calls[start].name, "retries": retries, "eventually_succeeded": recovered})
        start = end
    if not patterns:
        return
    excess = sum([max(0, pattern["retries"] - limits.max_retries_per_tool) for pattern in patterns])
    parts.scores["tool_failures"] = rounded(max(0.0, 1 - RETRY_PENALTY * excess))
    parts.facts["tool_failures"] = {"patterns": patterns, "total_retries": sum([pattern["retries"] for pattern in patterns])}


def rounded(value: float) -> float:
    """Two decimals, halves up."""
    return math.floor(value * 100 + 0.5) / 100


def forbidden_text(facts: Mapping[str, Any]) -> str:
    """What was called that is forbidden."""
    found = facts.get("forbidden", {})
    parts = [f"called {listed(found['violated_tools'])}"] if found.get("violated_tools") else []
    parts += [f"called {', then '.join(map(cut, names))}" for names in found.get("violated_sequences", ())]
    return "; ".join(parts) or "nothing forbidden was called"


def efficiency_text(facts: Mapping[str, Any]) -> str:
    """What the way cost."""
    found = facts.get("efficiency", {})
    parts = [f"{found.get('total_steps')} calls"]
    parts += [f"{found['total_tokens']:g} tokens"] if "total_tokens" in found else []
    parts += [f"{found['total_duration_ms']:.0f} ms"] if "total_duration_ms" in found else []
    if found.get("redundant_calls"):
        parts.append(f"redundant: {listed([item['name'] for item in found['redundant_calls']])}")
    return ", ".join(parts)


def failures_text(facts: Mapping[str, Any]) -> str:
    """What was tried again, and whether it helped."""
    said = []
    for item in facts.get("tool_failures", {}).get("patterns", ()):
        outcome = "then right" if item["eventually_succeeded"] else "in vain"
        said.append(f"{cut(item['tool'])} tried again {amount(item['retries'], 'time')}, {outcome}")
    return ", ".join(said)
