"""The mean of an evaluator over an experiment, and how many runs it could not score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._evaluator import Evaluator
from ..statistics import mean_interval
from ._summary import RunScore, SummaryEvaluator, counted, summarized


def mean_score(evaluator: Evaluator) -> SummaryEvaluator:
    """
    What is the mean score, and how sure is it?

    Repetitions of an example are averaged first: they tell nothing of other examples, and would make the interval too narrow.

    Args:
        evaluator: A check or scorer; a judge as `remembered(judge)`.

    Returns:
        A summary under `mean:` and the evaluator's key, 0..1, with the 95 % interval in comment and `extra`; None when nothing was scored.
    """
    key = f"mean:{summarized(evaluator).key}"
    return SummaryEvaluator(key, evaluator, _mean, {"key": key})


def unscored_rate(evaluator: Evaluator) -> SummaryEvaluator:
    """
    Of how many runs could nothing be said? Runs for which the question did not arise are not counted.

    Args:
        evaluator: A check or scorer; a judge as `remembered(judge)`.

    Returns:
        A summary under `unscored:` and the evaluator's key, 0..1 (0 is best); None when the question arose for no run.
    """
    key = f"unscored:{summarized(evaluator).key}"
    return SummaryEvaluator(key, evaluator, _unscored, {"key": key})


def _mean(scores: Sequence[RunScore], key: str) -> list[dict[str, Any]]:
    by_example: dict[str, list[float]] = {}
    for each in scores:
        if each.score is not None:
            by_example.setdefault(each.id, []).append(each.score)
    means = [math.fsum(of_example) / len(of_example) for of_example in by_example.values()]
    if not means:
        return [{"key": key, "score": None, "comment": f"no run of {len(scores)} was scored{counted(scores)}"}]
    mean, interval = math.fsum(means) / len(means), mean_interval(means)
    between = "" if interval is None else f", 95 % interval {interval[0]:.3f} to {interval[1]:.3f}"
    comment = f"mean {mean:.3f} of {len(means)} examples{between}{counted(scores)}"
    extra = {"mean": mean, "interval": None if interval is None else list(interval), "examples": len(means)}
    return [{"key": key, "score": mean, "comment": comment, "extra": extra}]


def _unscored(scores: Sequence[RunScore], key: str) -> list[dict[str, Any]]:
    asked = [each for each in scores if each.status != "not_applicable"]
    failed = [each for each in asked if each.status == "could_not_score"]
    named = "".join([f"; {each.id}: {each.comment[:200]}" for each in failed[:5]])
    comment = f"{len(failed)} of {len(asked)} runs could not be scored{named}"
    rate = len(failed) / len(asked) if asked else None
    return [{"key": key, "score": rate, "comment": comment, "extra": {"ids": [each.id for each in failed]}}]
