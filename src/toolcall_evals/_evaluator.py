"""The Evaluator: one object that LangSmith, pytest, hooks and plain Python can all call."""

from __future__ import annotations

import hashlib
import logging
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._convert import describe, to_trajectory
from ._errors import CouldNotScore, NotApplicable, SettingError, TraceFormatError, said
from ._feedback import result_of, row
from ._json import json_ready
from ._model import Explanation, Score, ScoreStatus, Trajectory
from ._reference import Reference, reference_of
from ._represented import represented, writable
from ._runs import read_run
from ._settings import Scope

if TYPE_CHECKING:
    from langsmith.evaluation.evaluator import EvaluationResult

logger = logging.getLogger("toolcall_evals")

Finding: TypeAlias = tuple[float, Explanation]
"""What a measurement returns: a score in 0..1 (True and False will do) and what makes its comment and details."""

Measure: TypeAlias = Callable[..., Finding]
"""`measure(run, **settings)`; a module's function, so that evaluators pickle. May raise `CouldNotScore` and `NotApplicable`."""

Fill: TypeAlias = Callable[[Mapping[str, Any], Reference | None], Mapping[str, Any]]
"""Completes settings that were left out from an example's reference; raises `CouldNotScore` naming the key it looked for."""

Evidence: TypeAlias = Literal["text", "calls"]

_FOREIGN = re.compile(r"[^A-Za-z0-9_.:-]+")
_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_PART_LENGTH = 48
_REASON_LENGTH = 1000


class Evaluator:
    """
    One configured check or scorer.

    Call `score(run)` for a `Score`. Pass the object itself in `evaluators=[...]` to LangSmith's `evaluate`, `aevaluate` and
    `evaluate_existing`; it is a `RunEvaluator` there (langsmith 0.15.1), though this package does not import langsmith. It
    holds no state of a run, is safe to share between threads, and pickles.

    Attributes:
        key: The feedback key; also `__name__` and the only one of `feedback_keys`.
    """

    def __init__(
        self,
        check: str,
        measure: Measure,
        settings: Mapping[str, Any],
        *,
        key: str | None = None,
        subject: str | Sequence[str] | None = None,
        variant: Iterable[str] = (),
        fill: Fill | None = None,
        evidence: Evidence = "calls",
        negative: bool = False,
        shown: Mapping[str, Any] | None = None,
    ) -> None:
        """
        Args:
            check: The name of the factory that builds it; the first part of its key.
            measure: What looks at the run.
            settings: What `measure` is given beside the run.
            key: The feedback key, instead of the one made of `check` and `subject`.
            subject: What tells two checks of a kind apart, in words; the second part of the key. None where it comes per example.
            variant: One word for each other setting that is not at its default; the last part of the key. A `Scope` among the
                settings adds its own.
            fill: Completes the settings per example; None when nothing was left out.
            evidence: `calls` when the run must come from a record that could have shown calls.
            negative: It asks that something did not happen: seen in a crashed run, that still counts as 0.
            shown: The settings for `repr`, where they are not `settings` itself.
        """
        if key is not None and (not isinstance(key, str) or not _KEY.fullmatch(key)):
            raise SettingError(f"key must be 1 to 100 letters, digits, '_', '.', ':' or '-', got {represented(key)}"[:500])
        scopes = [word for value in settings.values() if isinstance(value, Scope) for word in value.variant()]
        self.key = key or feedback_key(check, subject, [*variant, *scopes])
        self.__name__ = self.key
        self._check, self._measure, self._settings = check, measure, dict(settings)
        self._fill, self._evidence, self._negative = fill, evidence, negative
        self._shown = dict(settings if shown is None else shown)
        self._given = _in_order(measure, self._settings) if fill is None and type(self) is Evaluator else None

    @property
    def feedback_keys(self) -> list[str]:
        """The keys that LangSmith shows before the first result (langsmith 0.8.16)."""
        return [self.key]

    @property
    def __class__(self) -> type:
        """`RunEvaluator` once langsmith's evaluation is loaded, so that `evaluate` neither wraps nor traces each check."""
        module = sys.modules.get("langsmith.evaluation.evaluator")
        return getattr(module, "RunEvaluator", Evaluator)

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("the class of an evaluator cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.__dict__.copy())

    def __repr__(self) -> str:
        settings = [
            text
            for name, value in self._shown.items()
            for text in (value.settings() if isinstance(value, Scope) else [f"{name}={value!r}"])
        ]
        return writable(f"{self._check}({', '.join(settings)})"[:500])

    def score(self, run: Any, reference: Any = None) -> Score:
        """
        Score one run.

        Args:
            run: A `Trajectory`, or a trace in any form that `to_trajectory` reads.
            reference: What this example expects, where the evaluator was built without it: a mapping with the keys of
                `reference_outputs`, a list of {"name", "args"}, or a reference run.

        Returns:
            A `Score`; never raises for what is in the run or the reference. `score` is None, with the reason in
            `comment`, where it could not be scored.
        """
        try:
            if type(run) is not Trajectory:
                run = to_trajectory(run)
            return self._scored(run, None if reference is None else reference_of(reference))
        except Exception as error:  # noqa: BLE001 - one evaluator's fault must not end somebody's evaluation run
            return self._not_scored(error)

    def __call__(
        self,
        *,
        inputs: Any = None,
        outputs: Any = None,
        reference_outputs: Any = None,
        run: Any = None,
        example: Any = None,
        **_: Any,
    ) -> dict[str, Any]:
        """
        LangSmith's calling convention: score `run`, or `outputs` where there is no run.

        Returns:
            {"key", "score", "comment", "extra"}, as LangSmith takes it; `extra` holds status and details.
        """
        return row(self._of_call(inputs, outputs, reference_outputs, run, example))

    def evaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        """Score a run of LangSmith's; always a fresh result (langsmith writes into it)."""
        return self._result(self._of_call(None, None, None, run, example), evaluator_run_id)

    async def aevaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        """As `evaluate_run`; no thread is needed, since nothing waits."""
        return self.evaluate_run(run, example)

    def _of_call(self, inputs: Any, outputs: Any, reference_outputs: Any, run: Any, example: Any) -> Score:
        try:
            if example is not None:
                inputs = getattr(example, "inputs", None) if inputs is None else inputs
                reference_outputs = getattr(example, "outputs", None) if reference_outputs is None else reference_outputs
            trajectory = to_trajectory(outputs, inputs=inputs) if run is None else read_run(run, inputs)
            return self._scored(trajectory, reference_of(reference_outputs))
        except Exception as error:  # noqa: BLE001 - as in score
            return self._not_scored(error)

    def _result(self, score: Score, evaluator_run_id: Any) -> EvaluationResult:
        return result_of(score)

    def _not_scored(self, error: Exception) -> Score:
        if isinstance(error, NotApplicable):
            return _unscored(self.key, "not_applicable", str(error))
        if isinstance(error, CouldNotScore | TraceFormatError):
            return could_not_score(self.key, str(error), getattr(error, "details", None))
        logger.debug("%s failed", self.key, exc_info=error)
        return could_not_score(self.key, f"{self._check} failed: {said(error)}")

    def _scored(self, run: Trajectory, reference: Reference | None) -> Score:
        settings = self._settings if self._fill is None else self._fill(self._settings, reference)
        if run.has_call_record and not run.error:  # the usual case, told here for the sake of speed
            value, explain = self._measure(run, **settings)
            return Score.explained(self.key, value, explain)
        return self._found(run, self._measure(self._fit(run), **settings))

    def _fit(self, run: Trajectory) -> Trajectory:
        """The run, if it can be measured at all."""
        if self._evidence == "calls" and not run.has_call_record and not run.error:
            raise CouldNotScore(f"the record ({run.source}) could not have shown a tool call; pass messages or a traced run")
        if self._evidence == "text" and not run.has_call_record and not run.texts and not run.error:
            raise CouldNotScore(f"the record ({run.source}) holds no text of the agent's; pass its output, messages or a traced run")
        if run.error and not self._negative:
            raise CouldNotScore(f"the run crashed: {run.error}")
        return run

    def _found(self, run: Trajectory, finding: Finding) -> Score:
        value, explain = finding
        if run.error and value != 0:
            raise CouldNotScore(f"the run crashed before it was over: {run.error}")
        return Score.explained(self.key, value, explain)


def scores_of(evaluators: Sequence[Evaluator], run: Trajectory, reference: Any = None) -> list[Score]:
    """
    What each evaluator's `score` says of one run; half the time of asking them one by one where nothing is unusual.

    Args:
        evaluators: The evaluators.
        run: The run.
        reference: As for `Evaluator.score`.
    """
    if not run.has_call_record or run.error:
        return [evaluator.score(run, reference) for evaluator in evaluators]
    scores, explained = list[Score](), Score.explained
    for evaluator in evaluators:
        given = evaluator._given
        if given is None:
            scores.append(evaluator.score(run, reference))
            continue
        try:
            value, explain = evaluator._measure(run, *given)
            scores.append(explained(evaluator.key, value, explain))
        except Exception as error:  # noqa: BLE001 - as in Evaluator.score
            scores.append(evaluator._not_scored(error))
    return scores


def _in_order(measure: Measure, settings: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The settings in the order of the function's parameters, which are passed faster than by name; None where they do not go together."""
    code = getattr(measure, "__code__", None)
    names = code.co_varnames[1 : code.co_argcount] if code is not None else ()
    return tuple([settings[name] for name in names]) if set(names) == set(settings) else None


def could_not_score(key: str, reason: str, details: dict[str, Any] | None = None) -> Score:
    """The score of what could not be scored."""
    return _unscored(key, "could_not_score", reason, details)


def _unscored(key: str, status: ScoreStatus, reason: str, details: dict[str, Any] | None = None) -> Score:
    return Score(key, None, status, json_ready(reason if len(reason) <= _REASON_LENGTH else f"{reason[:_REASON_LENGTH]}..."), details or {})


def feedback_key(check: str, subject: str | Sequence[str] | None, variant: Sequence[str] = ()) -> str:
    """
    A readable feedback key, `check:subject::variant`, of letters, digits, `_ . : -`; different settings never share one.

    What is long, has other characters or could be read in two ways ends in a hash of all of it.
    """
    if isinstance(subject, str):
        whole, plain = subject, subject != "" and "::" not in f":{subject}:"
    else:
        whole, plain = ":".join(subject or ()), not any(part == "" or ":" in part for part in subject or ())
    readable, words = _shortened(whole), _shortened(":".join(variant))
    if not plain or readable != whole or words != ":".join(variant) or any(":" in word for word in variant):
        digest = hashlib.sha256(repr((subject, list(variant))).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        readable = f"{readable}-{digest}" if readable else digest
    return f"{check}{':' if readable else ''}{readable}{'::' if words else ''}{words}"


def _shortened(text: str) -> str:
    return _FOREIGN.sub("_", text)[:_PART_LENGTH]


def _restored(cls: type[Evaluator], state: dict[str, Any]) -> Evaluator:
    evaluator = object.__new__(cls)
    evaluator.__dict__.update(state)
    return evaluator


__all__ = ["Evaluator", "Finding", "could_not_score", "describe", "feedback_key"]
