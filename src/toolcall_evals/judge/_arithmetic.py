"""From a verdict to a score: the arithmetic, apart from any model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

from .. import _settings as setting
from .._model import ToolInvocation, Trajectory
from ._data import cut, fence_free
from ._verdict import Evaluation, Verdict

Grading: TypeAlias = Literal["graded", "binary"]
Missing: TypeAlias = Literal["penalise", "ignore"]

NAME_LENGTH = 80

GRADES = {"appropriate": 1.0, "partial": 0.5, "inappropriate": 0.0}


def score_verdict(verdict: Verdict, trajectory: Trajectory, grading: Grading = "graded", missing: Missing = "penalise") -> float:
    """
    How well did the run use its tools, by this verdict?

    The sum of the grades, divided by the calls that were really made plus, when penalised, one for each missing tool. A call without
    verdict counts as inappropriate; a verdict on a call that was not made counts for nothing. Without calls: whether that was right, or,
    where the verdict does not say, the mean of the grades it gives all the same, or else 0 if a tool is missing and 1 otherwise.

    Args:
        verdict: What the judge said.
        trajectory: The run that it was shown.
        grading: `graded`: appropriate 1, partial 0.5, inappropriate 0. `binary`: appropriate 1, else 0, as
            `@mastra/evals` 1.10.2 counts.
        missing: Whether a missing tool lowers the score of a run that made calls.

    Returns:
        0.0 to 1.0.

    Raises:
        ValueError: An unknown `grading` or `missing`.
    """
    setting.choice("grading", grading, ("graded", "binary"))
    setting.choice("missing", missing, ("penalise", "ignore"))
    return score_calls(verdict, trajectory.calls(), grading, missing)


def score_calls(verdict: Verdict, calls: Sequence[ToolInvocation], grading: Grading, missing: Missing = "penalise") -> float:
    """As `score_verdict`, of calls that were chosen already."""
    if not calls:
        return _without_calls(verdict, grading)
    joined = [evaluation for evaluation in join(verdict.evaluations, calls) if evaluation is not None]
    return _total(joined, grading) / (len(calls) + (len(set(verdict.missing_tools)) if missing == "penalise" else 0))


def _without_calls(verdict: Verdict, grading: Grading) -> float:
    if verdict.no_call_was_right is not None:
        return float(verdict.no_call_was_right)
    if verdict.evaluations:  # as the reference does: a judge that saw calls where there were none is taken at its word
        return _total(verdict.evaluations, grading) / len(verdict.evaluations)
    return float(not verdict.missing_tools)


def _total(evaluations: Sequence[Evaluation], grading: Grading) -> float:
    return sum(GRADES[each.verdict] if grading == "graded" else float(each.was_appropriate) for each in evaluations)


def join(evaluations: Sequence[Evaluation], calls: Sequence[ToolInvocation]) -> list[Evaluation | None]:
    """
    The verdict of each call: by its number, else the first one of its name that is left and has no number.

    The first of two verdicts on one number counts.
    """
    joined: list[Evaluation | None] = [None] * len(calls)
    for each in evaluations:
        if each.call is not None and each.call <= len(calls) and joined[each.call - 1] is None:
            joined[each.call - 1] = each
    unnumbered = [each for each in evaluations if each.call is None]
    for index, call in enumerate(calls):
        if joined[index] is None:
            mine = next((each for each in unnumbered if each.tool_called == call.name), None)
            if mine is not None:
                joined[index] = mine
                unnumbered.remove(mine)
    return joined


def faults(verdict: Verdict, calls: Sequence[ToolInvocation], available: Sequence[str] | None) -> list[str]:
    """
    What is wrong with a verdict on these calls, in words a judge can mend; empty when nothing is.

    Args:
        available: The names of the tools that could be missing; None where they are not known.
    """
    counts = Counter([each.call for each in verdict.evaluations if each.call is not None])
    found = [f"call {number} has {count} verdicts, give one" for number, count in sorted(counts.items()) if count > 1]
    for each in verdict.evaluations:
        if each.call is not None and each.call > len(calls):
            found.append(f"there is a verdict on call {each.call}, but the run has {len(calls)} in all")
        elif each.call is not None and each.tool_called != calls[each.call - 1].name:
            found.append(f"call {each.call} was of {_named(calls[each.call - 1].name)}, its verdict names {_named(each.tool_called)}")
    joined = join(verdict.evaluations, calls)
    found += [
        f"call {index} ({_named(call.name)}) has no verdict"
        for index, (call, each) in enumerate(zip(calls, joined, strict=True), 1)
        if each is None
    ]
    used = [id(each) for each in joined if each is not None]
    found += [
        f"there is a verdict on a call of {_named(each.tool_called)} that was not made"
        for each in verdict.evaluations
        if each.call is None and id(each) not in used
    ]
    if not all(name.strip() for name in verdict.missing_tools):
        found.append("a missing tool has an empty name")
    if available is not None:
        found += [
            f"{_named(name)} is said to be missing, but no such tool was available"
            for name in dict.fromkeys(verdict.missing_tools)
            if name not in available
        ]
    if not calls and verdict.no_call_was_right is None:
        found.append("no call was made: say whether that was right (no_call_was_right)")
    if not calls and verdict.no_call_was_right and verdict.missing_tools:
        found.append("making no call is said to be right, yet tools are said to be missing")
    return found


def _named(name: str) -> str:
    """A name as data: it may come from the trace, and stands in what the judge is told next."""
    return fence_free(json.dumps(cut(name, NAME_LENGTH), ensure_ascii=False))
