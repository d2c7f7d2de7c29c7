"""Several verdicts on one run, made one by majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._model import ToolInvocation
from ._arithmetic import GRADES, join
from ._verdict import Evaluation, Grade, Verdict


def majority(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> Verdict:
    """
    One verdict: per call the grade most votes gave (of equally many the lower one), the tools that more than half miss.

    The reasoning is taken from a vote that gave the grade, the whole's reason from the vote that agrees with most grades.
    """
    if len(verdicts) == 1:
        return verdicts[0]
    columns = _columns(verdicts, calls)
    chosen = [_chosen([each.verdict for each in column]) for column in columns]
    evaluations = tuple(next(each for each in column if each.verdict == grade) for column, grade in zip(columns, chosen, strict=True))
    missed = Counter(name for verdict in verdicts for name in set(verdict.missing_tools))
    right = [verdict.no_call_was_right for verdict in verdicts if verdict.no_call_was_right is not None]
    agreeing = [sum(column[vote].verdict == grade for column, grade in zip(columns, chosen, strict=True)) for vote in range(len(verdicts))]
    return Verdict(
        evaluations=evaluations,
        missing_tools=tuple(sorted(name for name, count in missed.items() if count * 2 > len(verdicts))),
        no_call_was_right=None if not right else right.count(True) * 2 > len(right),
        reason=verdicts[max(range(len(verdicts)), key=agreeing.__getitem__)].reason,
    )


def split(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> dict[str, Any]:
    """How the votes fell: per call the count of each grade, and the share of votes that agree with the majority (None without calls)."""
    columns = _columns(verdicts, calls)
    counts = [Counter(each.verdict for each in column) for column in columns]
    agreeing = [count[_chosen([each.verdict for each in column])] / len(verdicts) for count, column in zip(counts, columns, strict=True)]
    right = Counter(verdict.no_call_was_right for verdict in verdicts if verdict.no_call_was_right is not None)
    if not calls and right:
        agreeing = [max(right.values()) / right.total()]
    return {
        "votes": len(verdicts),
        "split": [dict(count) for count in counts] if calls else {str(answer).lower(): count for answer, count in right.items()},
        "agreement": sum(agreeing) / len(agreeing) if agreeing else None,
    }


def _columns(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> list[list[Evaluation]]:
    joined = [join(verdict.evaluations, calls) for verdict in verdicts]
    return [
        [row[index] or Evaluation(tool_called=call.name, verdict="inappropriate") for row in joined] for index, call in enumerate(calls)
    ]


def _chosen(grades: Sequence[Grade]) -> Grade:
    counts = Counter(grades)
    return min(counts, key=lambda grade: (-counts[grade], GRADES[grade]))
