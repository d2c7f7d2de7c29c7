"""A judge that is asked once for each run, whoever asks: the rows of an experiment, then its summaries."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .. import _settings as setting
from .._evaluator import Evaluator
from .._model import Score

if TYPE_CHECKING:
    from langsmith.evaluation.evaluator import EvaluationResult


def remembered(evaluator: Evaluator) -> Evaluator:
    """
    An evaluator that scores each run once and remembers the score by the run's id.

        judge = remembered(scorers.tool_call_accuracy_llm(...))
        evaluate(..., evaluators=[judge], summary_evaluators=[summary.mean_score(judge)])

    Args:
        evaluator: The evaluator; of an experiment of its own, since it remembers as long as it lives. Runs without an id (a
            `Trajectory`, `score`) are not remembered. Copies that were pickled begin with nothing.
    """
    if isinstance(evaluator, type) or not hasattr(evaluator, "aevaluate_run") or not isinstance(getattr(evaluator, "key", None), str):
        setting.refuse("evaluator", evaluator, "a check or a scorer of this package, or one built with its Evaluator")
    return _Remembered(evaluator)


class _Remembered(Evaluator):
    def __init__(self, inner: Evaluator) -> None:
        self.key = self.__name__ = inner.key
        self._inner = inner
        self._scores: dict[str, Score] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return remembered, (self._inner,)

    def __repr__(self) -> str:
        return f"remembered({self._inner!r})"

    def score(self, run: Any, reference: Any = None) -> Score:
        return self._inner.score(run, reference)

    async def aevaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        id = _id(run)
        score = self._scores.get(id) if id else None
        if score is None:
            result = await self._inner.aevaluate_run(run, example, evaluator_run_id)
            extra = result.extra or {}
            score = Score(self.key, _number(result.score), extra["status"], result.comment or "", extra["details"])
            if id:
                score = self._scores.setdefault(id, score)
        return self._result(score, evaluator_run_id)

    def _of_call(self, inputs: Any, outputs: Any, reference_outputs: Any, run: Any, example: Any) -> Score:
        id = _id(run)
        if id is None:
            return self._inner._of_call(inputs, outputs, reference_outputs, run, example)
        with self._lock:
            lock = self._locks.setdefault(id, threading.Lock())
        with lock:  # two threads with one run: the second waits for the first one's score
            if id not in self._scores:
                found = self._inner._of_call(inputs, outputs, reference_outputs, run, example)
                # a copy, so that what the explanation was made from (the whole run) can go
                self._scores[id] = Score(found.key, found.score, found.status, found.comment, found.details)
            return self._scores[id]


def _id(run: Any) -> str | None:
    id = getattr(run, "id", None)
    return None if id is None else str(id)


def _number(score: Any) -> float | None:
    return None if score is None else float(score)
