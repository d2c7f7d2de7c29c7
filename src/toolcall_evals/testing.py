"""Assertions for tests: what an agent must have done, and a failure text that shows what it did."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from . import _settings as setting
from ._convert import to_trajectory
from ._errors import TraceFormatError
from ._evaluator import Evaluator
from ._model import Score, Trajectory
from ._timeline import timeline

WIDTH = 100
"""Columns of a failure text."""

class NotScoredError(AssertionError):
    """Nothing failed, but something could not be scored: in a repeated test this run counts neither way."""


_collected: ContextVar[list[AssertionError] | None] = ContextVar("toolcall_evals_collected", default=None)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """An evaluator whose score must reach a threshold instead of 1."""

    evaluator: Evaluator
    threshold: float


def at_least(evaluator: Evaluator, threshold: float) -> AtLeast:
    """
    For `assert_scores`: the score must reach `threshold`, a number in 0..1.

    Raises:
        ValueError: A threshold outside 0..1.
    """
    return AtLeast(evaluator, setting.fraction("threshold", threshold))


def assert_scores(run: Any, *evaluators: Evaluator | AtLeast, reference: Any = None) -> tuple[Score, ...]:
    """
    Assert that a run passes: every evaluator scores 1, or reaches the threshold of its `at_least`.

    What could not be scored fails too; what is not applicable passes. Inside `@pytest.mark.langsmith` every score is logged as feedback
    before the test fails; otherwise nothing is sent.

    Args:
        run: A `Trajectory`, a recorder or capture (what has a `trajectory`), or a trace in any form that `to_trajectory` reads.
        evaluators: Checks and scorers.
        reference: What the run should have done, for evaluators that were built without it.

    Returns:
        The scores, in order.

    Raises:
        AssertionError: Lists the checks that failed, with their reasons, and then the run.
        ValueError: No evaluator, or two with one key: the second would hide the first.
    """
    wanted = [each if isinstance(each, AtLeast) else AtLeast(each, 1.0) for each in evaluators]
    _refuse_unclear([each.evaluator for each in wanted])
    trajectory, unread = _read(run)
    scores = tuple([each.evaluator.score(run if trajectory is None else trajectory, reference) for each in wanted])
    for score in scores:
        _log(score)
    failed = [(score, each.threshold) for score, each in zip(scores, wanted, strict=True) if not _passes(score, each.threshold)]
    if failed:
        __tracebackhide__ = True
        shown = unread if trajectory is None else timeline(trajectory, WIDTH, colour=_colour())
        head = f"{len(failed)} of {len(scores)} checks failed"
        source = "not read" if trajectory is None else trajectory.source
        text = "\n".join([head, *[_failure(score, threshold) for score, threshold in failed], f"the run ({source}):", shown])
        _fail((AssertionError if any(score.score is not None for score, _ in failed) else NotScoredError)(text))
    return scores


@contextmanager
def soft() -> Iterator[None]:
    """
    Collect the failures of every `assert_scores` inside the block; they are raised together at its end.

    Raises:
        AssertionError: At the end of the block, with every failure text.
    """
    failures: list[AssertionError] = []
    token = _collected.set(failures)
    try:
        yield
    finally:
        _collected.reset(token)
    if failures:
        __tracebackhide__ = True
        unscored = all(isinstance(failure, NotScoredError) for failure in failures)
        raise (NotScoredError if unscored else AssertionError)("\n\n".join(str(failure) for failure in failures))


def _fail(failure: AssertionError) -> None:
    __tracebackhide__ = True
    collected = _collected.get()
    if collected is None:
        raise failure
    collected.append(failure)


def _refuse_unclear(evaluators: list[Evaluator]) -> None:
    if not evaluators:
        setting.refuse("evaluators", evaluators, "at least one check or scorer")
    keys = [each.key for each in evaluators]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        setting.refuse("evaluators", twice, "evaluators with different keys; give one of them key=")


def _read(run: Any) -> tuple[Trajectory | None, str]:
    if not isinstance(run, Trajectory) and isinstance(inner := getattr(run, "trajectory", None), Trajectory):
        return inner, ""
    try:
        return to_trajectory(run), ""
    except TraceFormatError as error:
        return None, f"  (unreadable: {error})"


def _passes(score: Score, threshold: float) -> bool:
    return score.status == "not_applicable" if score.score is None else score.score >= threshold


def _failure(score: Score, threshold: float) -> str:
    got = "could not score" if score.score is None else f"{score.score:g}, expected {'1' if threshold == 1 else f'at least {threshold:g}'}"
    reason = score.comment.replace("\n", "\n      ")
    return f"  {score.key}: {got}\n      {reason}"


def _colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _log(score: Score) -> None:
    """Feedback to LangSmith's pytest plugin, where it runs a marked test (langsmith 0.15.1)."""
    if "langsmith.testing._internal" not in sys.modules:
        return
    from langsmith import testing

    try:
        if score.score is None:  # its result table cannot show a feedback without number and value
            testing.log_feedback(key=score.key, value=score.status, comment=score.comment)
        else:
            testing.log_feedback(key=score.key, score=score.score, comment=score.comment)
    except ValueError:  # not in a marked test, or tracking is off
        return
