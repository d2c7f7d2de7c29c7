"""What all summary evaluators are: called with the runs and examples of an experiment, each run is scored by one evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import _settings as setting
from .._convert import describe
from .._evaluator import Evaluator
from .._model import ScoreStatus
from ..results import ResultsError


@dataclass(frozen=True, slots=True)
class RunScore:
    """What the evaluator said of one run: as `Score`, with the id of the run's example."""

    id: str
    score: float | None
    status: ScoreStatus
    comment: str
    details: Mapping[str, Any]


Summarize: TypeAlias = Callable[..., Sequence[Mapping[str, Any]]]
"""`summarize(scores, **settings)`: results as LangSmith takes them, each with key, score (or None) and comment. A module's function."""


class SummaryEvaluator:
    """
    One number, or several, about all runs of an experiment (langsmith 0.15.1: `summary_evaluators`, sync only).

    Attributes:
        key: The feedback key, or what the keys begin with; also `__name__`.
    """

    def __init__(self, key: str, evaluator: Evaluator, summarize: Summarize, settings: Mapping[str, Any]) -> None:
        self.key = self.__name__ = key
        self._evaluator, self._summarize, self._settings = evaluator, summarize, dict(settings)

    def __repr__(self) -> str:
        return f"{self.key} of {self._evaluator!r}"

    def __call__(self, runs: Sequence[Any], examples: Sequence[Any]) -> dict[str, Any]:
        """
        Summarize an experiment.

        Args:
            runs: LangSmith's runs, or runs in any form that `to_trajectory` reads.
            examples: The example of each: LangSmith's, or objects with `id`, `inputs` and `outputs`. An example comes as often as it was
                run.

        Returns:
            {"results": [{"key", "score", "comment", "extra"}]}; a score is None where nothing could be scored.
        """
        if len(runs) != len(examples):
            raise ResultsError(f"expected an example for each run, found {len(runs)} runs and {len(examples)} examples")
        scores = [_scored(self._evaluator, run, example) for run, example in zip(runs, examples, strict=True)]
        return {"results": [dict(result) for result in self._summarize(scores, **self._settings)]}


def _scored(evaluator: Evaluator, run: Any, example: Any) -> RunScore:
    id = getattr(example, "id", None)
    if id is None:
        raise ResultsError(f"expected an example with an id, found {describe(example)}")
    found = evaluator(run=run, example=example)
    return RunScore(str(id), found["score"], found["extra"]["status"], found["comment"], found["extra"]["details"])


def summarized(evaluator: Any) -> Evaluator:
    """The setting `evaluator` of a summary."""
    if isinstance(evaluator, type) or not callable(evaluator) or not isinstance(getattr(evaluator, "key", None), str):
        setting.refuse("evaluator", evaluator, "a check or a scorer of this package, or one built with its Evaluator")
    if hasattr(evaluator, "ascore"):
        setting.refuse("evaluator", evaluator, "remembered(judge), the same object as in evaluators=[...]: a judge would be paid again")
    found: Evaluator = evaluator
    return found


def counted(scores: Sequence[RunScore]) -> str:
    """How many runs are left out of a number and why, as the end of a comment."""
    unscored = [each for each in scores if each.status == "could_not_score"]
    other = sum(each.status == "not_applicable" for each in scores)
    parts = [f"{len(unscored)} could not be scored ({unscored[0].comment[:200]})"] if unscored else []
    parts += [f"{other} not applicable"] if other else []
    return f"; {', '.join(parts)}" if parts else ""
