"""Assertions for tests: what an agent must have done, and a failure text that shows what it did."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from . import _settings as setting
from . import _table as table
from ._convert import describe, to_trajectory
from ._errors import TraceFormatError
from ._evaluator import Evaluator, could_not_score
from ._model import Score, Trajectory
from ._timeline import timeline

WIDTH = 100
"""Columns of a failure text."""

COMMENT_LINES = 20

SLACK = 1e-12
"""A score that is a sum of shares may miss its threshold by a rounding error."""


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
    scores = tuple([_scored(each.evaluator, trajectory, unread, reference) for each in wanted])
    for score in scores:
        _log(score)
    failed = [(score, each.threshold) for score, each in zip(scores, wanted, strict=True) if not _passes(score, each.threshold)]
    if failed:
        __tracebackhide__ = True
        head = f"{len(failed)} of {len(scores)} checks failed"
        text = "\n".join([head, *[_failure(score, threshold) for score, threshold in failed], *_shown(trajectory)])
        _fail((AssertionError if any(score.score is not None for score, _ in failed) else NotScoredError)(text))
    return scores


def soft() -> AbstractContextManager[None]:
    """
    Collect the failures of every `assert_scores` inside the block; they are raised together at its end, those of a block inside another
    at the end of the outer one.

    Raises:
        AssertionError: At the end of the block, with every failure text. Where the block itself raises, the texts are its error's notes,
            unless that is a skip or an xfail, which would hide them.
    """
    return _Soft()


class _Soft(AbstractContextManager[None]):
    def __enter__(self) -> None:
        self._failures: list[AssertionError] = []
        self._token = _collected.set(self._failures)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        __tracebackhide__ = True
        _collected.reset(self._token)
        outer = _collected.get()
        if error is not None and not (self._failures and _shows_nothing(error)):
            for failure in self._failures:
                error.add_note(f"{_NOTED[isinstance(failure, NotScoredError)]}:\n{failure}")
        elif outer is not None and error is None:
            outer += self._failures
        elif self._failures:
            unscored = all(isinstance(failure, NotScoredError) for failure in self._failures)
            raise (NotScoredError if unscored else AssertionError)("\n\n".join(map(str, self._failures))) from error


def _shows_nothing(error: BaseException) -> bool:
    """Whether pytest ends a test with one line for this: a skip or an xfail."""
    outcomes: Any = sys.modules.get("pytest")
    unittest: Any = sys.modules.get("unittest")
    kinds = () if outcomes is None else (outcomes.skip.Exception, outcomes.xfail.Exception)
    return isinstance(error, kinds if unittest is None else (*kinds, unittest.SkipTest))


_NOTED = ("before that, in the soft block", "before that, in the soft block, not scored")


def _failed_before(error: BaseException) -> bool:
    """Whether a check had failed in the `soft()` block that an error ended."""
    return any(str(note).startswith(f"{_NOTED[False]}:\n") for note in getattr(error, "__notes__", ()))


def _fail(failure: AssertionError) -> None:
    __tracebackhide__ = True
    collected = _collected.get()
    if collected is None:
        raise failure
    collected.append(failure)


def _refuse_unclear(evaluators: list[Any]) -> None:
    if not evaluators:
        setting.refuse("evaluators", evaluators, "at least one check or scorer")
    for each in evaluators:
        if isinstance(each, type) or not hasattr(each, "score") or not isinstance(getattr(each, "key", None), str):
            setting.refuse("evaluators", each, "checks and scorers of this package, or built with its Evaluator")
    keys = [each.key for each in evaluators]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        setting.refuse("evaluators", twice, "evaluators with different keys; give one of them key=")


def _read(run: Any) -> tuple[Trajectory | None, str]:
    try:
        inner = None if isinstance(run, Trajectory) else getattr(run, "trajectory", None)
        return (inner if isinstance(inner, Trajectory) else to_trajectory(run)), ""
    except TraceFormatError as error:
        return None, str(error)


def _scored(evaluator: Evaluator, trajectory: Trajectory | None, unread: str, reference: Any) -> Score:
    score: Any = could_not_score(evaluator.key, unread) if trajectory is None else evaluator.score(trajectory, reference)
    if not isinstance(score, Score):
        raise TypeError(f"the score method of {evaluator.key} must return a Score, got {describe(score)}")
    return score


def _passes(score: Score, threshold: float) -> bool:
    return score.status == "not_applicable" if score.score is None else score.score >= threshold - SLACK


def _failure(score: Score, threshold: float) -> str:
    got = "could not score"
    if score.score is not None:
        number = f"{score.score:g}" if f"{score.score:g}" != f"{threshold:g}" else repr(score.score)
        got = f"{number}, expected {'1' if threshold == 1 else f'at least {threshold:g}'}"
    lines = [line for part in score.comment.splitlines() for line in table.wrapped(table.one_line(part), WIDTH - 6, COMMENT_LINES)]
    return "\n".join([f"  {score.key}: {got}", *[f"      {line}" for line in lines[:COMMENT_LINES]]])


def _shown(trajectory: Trajectory | None) -> list[str]:
    if trajectory is None:
        return []
    return [f"the run ({trajectory.source}):", timeline(trajectory, WIDTH, colour=_colour())]


def _colour() -> bool:
    plugin = sys.modules.get("toolcall_evals.pytest_plugin")
    in_pytest = None if plugin is None else plugin.colour()
    if in_pytest is None:
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return bool(in_pytest)


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
