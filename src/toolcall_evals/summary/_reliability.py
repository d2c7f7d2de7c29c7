"""pass@k and pass^k over a dataset: how likely does one of k runs succeed, or all of them?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator
from ..statistics import pass_at_k, pass_hat_k
from ._summary import RunScore, SummaryEvaluator, summarized


@dataclass(frozen=True, slots=True)
class Reliability:
    """
    How reliable an agent is over a dataset.

    Attributes:
        k: How many runs the estimate is about.
        estimate: The mean of the examples' estimates, 0..1; None when no example has k scored runs.
        by_example: Each example's estimate, by id.
        counts: Each example's (successes, scored runs), by id, those that are left out too.
        left_out: The ids of examples with fewer than k scored runs: nothing is said of them.
    """

    k: int
    estimate: float | None
    by_example: Mapping[str, float]
    counts: Mapping[str, tuple[int, int]]
    left_out: tuple[str, ...]


def reliability(outcomes: Iterable[tuple[str, bool | None]], k: int, *, every: bool = True) -> Reliability:
    """
    pass^k (every one of k runs succeeds) or pass@k (one does), from how often each example was run.

    Args:
        outcomes: (the example's id, whether the run succeeded) of each run; None for a run that could not be scored.
        k: How many runs the estimate is about.
        every: pass^k; False: pass@k.

    Raises:
        ValueError: k is no whole number from 1, or an outcome is none of True, False and None.
    """
    setting.count("k", k, 1)
    counts: dict[str, tuple[int, int]] = {}
    for id, succeeded in outcomes:
        if succeeded is not None and not isinstance(succeeded, bool):
            setting.refuse("an outcome", succeeded, "True, False or None; compare a score with the threshold that means success")
        c, n = counts.get(id, (0, 0))
        counts[id] = (c, n) if succeeded is None else (c + bool(succeeded), n + 1)
    estimated = pass_hat_k if every else pass_at_k
    by_example = {id: estimated(n, c, k) for id, (c, n) in counts.items() if n >= k}
    estimate = math.fsum(by_example.values()) / len(by_example) if by_example else None
    return Reliability(k, estimate, by_example, counts, tuple([id for id, (_, n) in counts.items() if n < k]))


def pass_at(evaluator: Evaluator, k: int, *, at_least: float = 1.0) -> SummaryEvaluator:
    """
    How likely does at least one of k runs of an example succeed?

    Args:
        evaluator: A check or scorer; a judge as `remembered(judge)`.
        k: How many runs; `num_repetitions` must be at least as large.
        at_least: The score from which on a run succeeds, 0..1.

    Returns:
        A summary under `pass_at_k:` and the evaluator's key: the mean over examples, 0..1. Examples with fewer than k scored runs are left
        out and named; None when that leaves none.

    Raises:
        ValueError: A setting out of range.
    """
    return _built("pass_at", evaluator, k, at_least)


def pass_hat(evaluator: Evaluator, k: int, *, at_least: float = 1.0) -> SummaryEvaluator:
    """
    How likely do all of k runs of an example succeed? As `pass_at`, under `pass_hat_k:` and the evaluator's key.

    Raises:
        ValueError: A setting out of range.
    """
    return _built("pass_hat", evaluator, k, at_least)


def _built(name: str, evaluator: Evaluator, k: int, at_least: float) -> SummaryEvaluator:
    key = f"{name}_{setting.count('k', k, 1)}:{summarized(evaluator).key}"
    settings = {"key": key, "k": k, "every": name == "pass_hat", "at_least": setting.fraction("at_least", at_least)}
    return SummaryEvaluator(key, evaluator, _estimated, settings)


def _estimated(scores: Sequence[RunScore], key: str, k: int, every: bool, at_least: float) -> list[dict[str, Any]]:
    asked = [each for each in scores if each.status != "not_applicable"]
    found = reliability([(each.id, None if each.score is None else each.score >= at_least) for each in asked], k, every=every)
    name = f"pass{'^' if every else '@'}{k}"
    comment = f"{name} of {len(found.by_example)} examples"
    if found.left_out:
        comment += f"; {len(found.left_out)} had fewer than {k} scored runs: {', '.join(found.left_out[:5])}"
    extra = {"counts": {id: list(counts) for id, counts in found.counts.items()}, "left_out": list(found.left_out)}
    return [{"key": key, "score": found.estimate, "comment": comment, "extra": extra}]
