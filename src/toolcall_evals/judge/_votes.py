"""Several verdicts on one run, made one by majority; of equally many votes those count that lower the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._model import ToolInvocation
from ._arithmetic import GRADES, join
from ._verdict import Evaluation, Grade, Verdict


def majority(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> Verdict:
    """
    One verdict: per call the grade most votes gave, whether making no call was right, the tools that are missing.

    Of equally many votes those count that lower the score: the lower grade, that no call was wrong, that the tool is missing. The
    reasoning on a call is taken from a vote that gave its grade; the reason for the whole from the vote that agrees with the majority on
    most of it, and without calls only from one that agrees on whether that was right.
    """
    if len(verdicts) == 1:
        return verdicts[0]
    columns = _columns(verdicts, calls)
    chosen = [_chosen([each.verdict for each in column]) for column in columns]
    right, missing = _no_call(verdicts, calls), _missing(verdicts)

    def agrees(vote: int) -> tuple[bool, int]:
        graded = sum(column[vote].verdict == grade for column, grade in zip(columns, chosen, strict=True))
        named = sum((name in verdicts[vote].missing_tools) == is_missing for name, is_missing in missing.items())
        return verdicts[vote].no_call_was_right == right or bool(calls), graded + named

    return Verdict(
        evaluations=tuple(next(each for each in column if each.verdict == grade) for column, grade in zip(columns, chosen, strict=True)),
        missing_tools=tuple(name for name, is_missing in missing.items() if is_missing),
        no_call_was_right=right,
        reason=verdicts[max(range(len(verdicts)), key=agrees)].reason,
    )


def split(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> dict[str, Any]:
    """
    How the votes fell.

    `split`: per call the count of each grade; without calls the count of each answer to whether that was right. `missing_split`: per tool
    that a vote misses, how many do and do not. `agreement`: the share of votes that agree with the majority, the mean over all of these
    (None where there is nothing to agree on).
    """
    counts: list[Counter[str]] = [Counter(each.verdict for each in column) for column in _columns(verdicts, calls)]
    right = Counter(str(verdict.no_call_was_right).lower() for verdict in verdicts if verdict.no_call_was_right is not None)
    missing = {
        name: {"missing": count, "not_missing": len(verdicts) - count} for name, count in sorted(_named(verdicts).items())
    }
    asked: list[dict[str, int]] = [*counts, *([right] if right and not calls else []), *missing.values()]
    shares = [max(count.values()) / sum(count.values()) for count in asked]
    return {
        "votes": len(verdicts),
        "split": [dict(count) for count in counts] if calls else dict(right),
        "missing_split": missing,
        "agreement": sum(shares) / len(shares) if shares else None,
    }


def _no_call(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> bool | None:
    said = [verdict.no_call_was_right for verdict in verdicts if verdict.no_call_was_right is not None]
    return None if calls or not said else said.count(True) * 2 > len(said)


def _missing(verdicts: Sequence[Verdict]) -> dict[str, bool]:
    """The tools that any vote misses, and whether the majority does."""
    return {name: count * 2 >= len(verdicts) for name, count in sorted(_named(verdicts).items())}


def _named(verdicts: Sequence[Verdict]) -> Counter[str]:
    return Counter(name for verdict in verdicts for name in set(verdict.missing_tools))


def _columns(verdicts: Sequence[Verdict], calls: Sequence[ToolInvocation]) -> list[list[Evaluation]]:
    joined = [join(verdict.evaluations, calls) for verdict in verdicts]
    return [
        [row[index] or Evaluation(tool_called=call.name, verdict="inappropriate") for row in joined] for index, call in enumerate(calls)
    ]


def _chosen(grades: Sequence[Grade]) -> Grade:
    counts = Counter(grades)
    return min(counts, key=lambda grade: (-counts[grade], GRADES[grade]))
