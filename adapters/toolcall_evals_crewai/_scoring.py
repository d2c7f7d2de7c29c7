"""Score a run that has just ended, and tell who wants to know; whatever fails here, the run goes on."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from toolcall_evals import Evaluator, Score, SettingError, Trajectory

logger = logging.getLogger("toolcall_evals_crewai")

Report: TypeAlias = Callable[[tuple[Score, ...], Trajectory], Any]
"""Called with the scores of one run and what they are of."""

_ATTEMPTS = 3
"""How often one feedback is tried (langsmith's default of 10 can take minutes, and the crew waits)."""


class Scoring:
    """Some evaluators, and who is told their scores."""

    def __init__(self, evaluators: Iterable[Evaluator] | Evaluator, report: Report | None, reference: Any) -> None:
        self._evaluators: tuple[Evaluator, ...] = (evaluators,) if isinstance(evaluators, Evaluator) else tuple(evaluators)
        for evaluator in self._evaluators:
            if not callable(getattr(evaluator, "score", None)):
                raise SettingError(f"evaluators must be checks or scorers, got {evaluator!r}")
        if not self._evaluators:
            raise SettingError("evaluators must hold at least one check or scorer, got none")
        if report is not None and not callable(report):
            raise SettingError(f"report must be a callable that takes the scores and the trajectory, or None, got {report!r}")
        self._report, self._reference = report, reference

    def of(self, run: Callable[[], Trajectory]) -> tuple[Score, ...]:
        """
        The scores of a run; logged, reported, and sent to the LangSmith run that is active. Never raises.

        Args:
            run: Gives the trajectory; a trajectory that cannot be had is logged, and there are no scores.
        """
        try:
            trajectory = run()
        except Exception as error:  # noqa: BLE001 - whatever it is, the crew goes on
            log_fault("the run could not be read, so it was not scored", error)
            return ()
        scores = tuple(self._score(evaluator, trajectory) for evaluator in self._evaluators)
        logger.info("scored a run: %s", ", ".join(f"{score.key}={_shown(score)}" for score in scores))
        for tell in (self._tell_report, _tell_langsmith):
            try:
                tell(scores, trajectory)
            except Exception as error:  # noqa: BLE001 - whatever it is, the crew goes on
                log_fault("the scores of a run could not be reported", error)
        return scores

    def _score(self, evaluator: Evaluator, trajectory: Trajectory) -> Score:
        try:
            return evaluator.score(trajectory, self._reference)
        except Exception as error:  # noqa: BLE001 - whatever it is, the crew goes on
            log_fault("an evaluator failed", error)
            key = str(getattr(evaluator, "key", type(evaluator).__name__))
            return Score(key, None, "could_not_score", f"the evaluator failed: {type(error).__name__}: {error}")

    def _tell_report(self, scores: tuple[Score, ...], trajectory: Trajectory) -> None:
        if self._report is not None:
            self._report(scores, trajectory)


def log_fault(what: str, error: Exception) -> None:
    """A fault by its kind alone; its text, which may hold the trace, at the level DEBUG."""
    logger.warning("%s: %s", what, type(error).__name__)
    logger.debug("%s", what, exc_info=error)


def _shown(score: Score) -> str:
    return str(score.status if score.score is None else score.score)


def _tell_langsmith(scores: tuple[Score, ...], trajectory: Trajectory) -> None:
    """Feedback for the run that LangSmith is tracing; none where it traces nothing, or only on this machine."""
    if "langsmith" not in sys.modules:
        return  # nobody can have begun a run
    from langsmith.run_helpers import get_current_run_tree
    from langsmith.utils import tracing_is_enabled

    run = get_current_run_tree()
    if run is None or tracing_is_enabled() is not True:
        return
    session = getattr(run, "session_id", None)
    for score in scores:
        extra = {"status": score.status, "details": score.details}
        run.client.create_feedback(
            run.id,
            score.key,
            score=score.score,
            comment=score.comment,
            trace_id=run.trace_id,  # with it, feedback is sent in the background
            feedback_source_type="model",
            extra={**extra, "error": True} if score.status == "could_not_score" else extra,
            stop_after_attempt=_ATTEMPTS,
            **({} if session is None else {"session_id": session}),
        )
