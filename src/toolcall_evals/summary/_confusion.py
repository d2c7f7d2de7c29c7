"""Which tool was called where another was expected?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .. import _table as table
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, Trajectory
from ..expect._setting import Expected, argument_defaults, expected_setting, filled_expected
from ..matching import Match, Rules, best_plan_match, pair_closely
from ._summary import RunScore, SummaryEvaluator, counted

NOTHING = "(none)"
"""Stands for no call: an expected call that nothing was called for, or a call that nothing was expected for."""

SHOWN = 12


def tool_confusion(
    expected: Any = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str = "tool_confusion",
) -> SummaryEvaluator:
    """
    For each expected tool: which tools were called in its place?

    Calls are paired by the optimal matching of the scorers, by name alone: a call of the tool with other arguments, or at another place, is
    a call of it. An expected call that is left is set against the unexpected call, if there is one, that follows the same paired call.

    Args:
        expected: What should have been done, as for `scorers.tool_call_f1`; per example from the reference outputs when left out.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key.

    Returns:
        A summary whose score is the share of expected calls for which the right tool was called, 0..1; None when none was expected. `extra`
        has `matrix`, {expected: {called: count}}, in which every expected call is in one cell ("(none)": nothing was called for it), and
        `unexpected`, {called: count}, of calls that stand for none.

    Raises:
        ValueError: An expectation that cannot be read.
    """
    rules = Rules("ignore")
    given = None if expected is None else expected_setting(expected, rules)
    settings = {"expected": given, "rules": rules, "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    evaluator = Evaluator("tool_confusion", _measure, settings, fill=filled_expected if given is None else None)
    return SummaryEvaluator(key, evaluator, _confusion, {"key": key})


def cells_of(run: Trajectory, reference: Any) -> tuple[list[tuple[str, str]], list[str]] | None:
    """
    One run's part of the confusion.

    Returns:
        (expected, called) for each expected call, and the tools of calls that stand for none; None where the reference states no calls.
    """
    score = _FROM_REFERENCE.score(run, reference)
    return None if score.score is None else (list(map(tuple, score.details["cells"])), score.details["unexpected"])


def _measure(run: Trajectory, expected: Expected, rules: Rules, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    found = best_plan_match(expected.plans, calls, False, argument_defaults(run.available_tools) if run.available_tools else None)
    right = len(found.pairs) / found.expected if found.expected else 1.0
    return right, partial(_cells, found)


def _cells(found: Match) -> tuple[str, dict[str, Any]]:
    """Every expected call with the tool called in its place."""
    rows, calls = found.plan.rows, found.calls
    left = pair_closely([rows[place] for place in found.missing], [calls[index] for index in found.extra], found.defaults)
    near = [(found.missing[row], found.extra[column]) for row, column in (*left.pairs, *left.near)]
    pairs = sorted([*found.pairs, *near], key=lambda pair: pair[1])
    gone, surplus = list(found.missing), list(found.extra)
    for place, index in near:
        gone.remove(place)
        surplus.remove(index)
    waiting: dict[int, list[int]] = {}
    for index in surplus:
        waiting.setdefault(_before(pairs, index, 1), []).append(index)
    cells = [(calls[index].name, calls[index].name) for _, index in pairs]
    for place in sorted(gone):
        queue = waiting.get(_before(pairs, place, 0))
        cells.append((rows[place][0].name, calls[queue.pop(0)].name if queue else NOTHING))
    unexpected = [calls[index].name for queue in waiting.values() for index in queue]
    return f"{len(pairs)} of {len(cells)} expected calls are of the right tool", {"cells": cells, "unexpected": unexpected}


def _before(pairs: Sequence[tuple[int, int]], position: int, side: int) -> int:
    """The paired call that comes before a place (side 0) or a call (side 1), as its index; -1 where there is none."""
    earlier = [pair for pair in pairs if pair[side] < position]
    return max(earlier, key=lambda pair: pair[side])[1] if earlier else -1


def _confusion(scores: Sequence[RunScore], key: str) -> list[dict[str, Any]]:
    scored = [each.details for each in scores if each.score is not None]
    cells = Counter([(wanted, called) for details in scored for wanted, called in details["cells"]])
    unexpected = Counter([called for details in scored for called in details["unexpected"]])
    matrix: dict[str, dict[str, int]] = {}
    for (wanted, called), count in sorted(cells.items()):
        matrix.setdefault(wanted, {})[called] = count
    total, right = cells.total(), sum(count for (wanted, called), count in cells.items() if wanted == called)
    comment = f"the right tool for {right} of {total} expected calls, in {len(scored)} runs{counted(scores)}"
    wrong = sorted([item for item in cells.items() if item[0][0] != item[0][1]], key=lambda item: (-item[1], item[0]))
    wrong += [((NOTHING, called), count) for called, count in sorted(unexpected.items(), key=lambda item: (-item[1], item[0]))]
    if wrong:
        head = ("expected", "called", "times")
        comment += "\n" + "\n".join(table.columns([head, *[(*map(table.one_line, pair), str(count)) for pair, count in wrong[:SHOWN]]]))
    extra = {"matrix": matrix, "unexpected": dict(unexpected)}
    return [{"key": key, "score": right / total if total else None, "comment": comment, "extra": extra}]


_SETTINGS = {"expected": None, "rules": Rules("ignore"), "scope": setting.scope(None, None, COUNTED_KINDS)}
_FROM_REFERENCE = Evaluator("tool_confusion", _measure, _SETTINGS, fill=filled_expected)
