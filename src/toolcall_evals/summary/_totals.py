"""Precision, recall and F1 of tool calls over a dataset: of all calls, by tool, and by run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..scorers import tool_call_f1
from ._summary import RunScore, SummaryEvaluator, counted

MEASURES = ("precision", "recall", "f1")


def tool_call_totals(
    expected: Any = None,
    args: Any = "exact",
    *,
    ordered: bool = False,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str = "tool_calls",
) -> SummaryEvaluator:
    """
    What are precision, recall and F1 of the tool calls over the dataset?

    Args:
        expected: As for `scorers.tool_call_f1`, and so are `args`, `ordered`, `kinds` and `agent`.
        key: What the keys begin with.

    Returns:
        Nine summaries, `tool_calls:micro_precision` and so on, each 0..1. `micro`: all calls of all runs together. `macro`: the mean
        over tools; a tool that was never called has no precision and one that was never expected no recall, so they are in neither mean.
        `per_run`: the mean over runs, as `tool_call_f1` scores them. None where nothing was scored, or nothing is there to divide by.

    Raises:
        ValueError: As `tool_call_f1`.
    """
    evaluator = tool_call_f1(expected, args, ordered=ordered, kinds=kinds, agent=agent)
    return SummaryEvaluator(key, evaluator, _totals, {"key": key})


def _totals(scores: Sequence[RunScore], key: str) -> list[dict[str, Any]]:
    scored = [each.details for each in scores if each.score is not None]
    tools: dict[str, Counter[str]] = {}
    for details in scored:
        for name, counts in details["by_tool"].items():
            tools.setdefault(name, Counter()).update(counts)
    total: Counter[str] = sum(tools.values(), Counter())
    of_tools = {name: _ratios(counts) for name, counts in tools.items()}
    micro = dict(zip(MEASURES, _ratios(total), strict=True))
    macro = {name: _mean([ratios[place] for ratios in of_tools.values()]) for place, name in enumerate(MEASURES)}
    per_run = {name: _mean([details[name] for details in scored]) for name in MEASURES}
    left_out = counted(scores)
    comments = {
        "micro": f"{total['matched']} matched of {total['expected']} expected and {total['actual']} made, in {len(scored)} runs{left_out}",
        "macro": f"mean over {len(tools)} tools, in {len(scored)} runs{left_out}",
        "per_run": f"mean over {len(scored)} runs{left_out}",
    }
    by_tool = {
        name: {**{count: counts[count] for count in ("expected", "actual", "matched")}, **dict(zip(MEASURES, of_tools[name], strict=True))}
        for name, counts in sorted(tools.items())
    }
    extras: dict[str, dict[str, Any]] = {"micro": {"extra": dict(total)}, "macro": {"extra": {"by_tool": by_tool}}, "per_run": {}}
    return [
        {"key": f"{key}:{way}_{measure}", "score": values[measure], "comment": comments[way], **extras[way]}
        for way, values in (("micro", micro), ("macro", macro), ("per_run", per_run))
        for measure in MEASURES
    ]


def _ratios(counts: Counter[str]) -> tuple[float | None, float | None, float | None]:
    matched, expected, made = counts["matched"], counts["expected"], counts["actual"]
    return (
        matched / made if made else None,
        matched / expected if expected else None,
        2 * matched / (expected + made) if expected + made else None,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
