"""Does each turn of a conversation pass, each by its own expectation?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from . import _settings as setting
from ._convert import to_trajectory
from ._errors import CouldNotScore, NotApplicable
from ._evaluator import Evaluator, Finding
from ._model import Score, Trajectory
from ._reference import Reference, reference_of
from ._runs import read_run
from ._shown import amount, cut
from ._turns import UNTOLD, split

if TYPE_CHECKING:
    from langsmith.evaluation.evaluator import EvaluationResult

FOLDS = ("mean", "all", "min")

_SHOWN = 5
_NO_TURN = object()
_ANY = object()


def per_turn(evaluator: Evaluator, references: Sequence[Any] | None = None, fold: str = "mean", *, key: str | None = None) -> Evaluator:
    """
    How does each turn of a conversation score, each by its own expectation?

    A turn begins at a message of the user's. An evaluator that needs a reference takes that of the turn; one that was built with all it
    needs scores every turn alike.

    Args:
        evaluator: A check or scorer.
        references: What is expected of each turn, in order: what `evaluator.score` takes as `reference`, or None for a turn of which
            nothing is said. None: each example's `turns`, or the turns of its reference run.
        fold: `mean` of the turns' scores; `all`: 1.0 where every turn scores 1.0, else 0.0; `min`: the lowest.
        key: The feedback key, instead of `per_turn:<key of the evaluator>`.

    Returns:
        An evaluator that scores 0.0 to 1.0. A turn that is expected and was not made, or made and not expected, scores 0.0. One that is
        not applicable is left out. Where a turn could not be scored, neither could the whole, unless another one decides it.

    Raises:
        ValueError: No evaluator, no list of references, or an unknown fold.
    """
    if not isinstance(evaluator, Evaluator):
        setting.refuse("evaluator", evaluator, "a check or a scorer")
    if references is not None and (isinstance(references, str) or not isinstance(references, list | tuple)):
        setting.refuse("references", references, "a list with what is expected of each turn")
    settings = {
        "evaluator": evaluator,
        "references": None if references is None else tuple(references),
        "fold": setting.choice("fold", fold, FOLDS),
    }
    return (_Awaiting if hasattr(evaluator, "ascore") else Evaluator)(
        "per_turn",
        _measure,
        settings,
        key=key,
        subject=evaluator.key if references is None else f"{evaluator.key} {references!r}",
        variant=[] if fold == "mean" else [fold],
        fill=_references_of if references is None else None,
        evidence=evaluator._evidence,
        negative=evaluator._negative,
    )


def _references_of(settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The references of an example's turns; none where it says nothing of turns."""
    stated = reference.get("turns") if reference else None
    if stated is not None:
        if not isinstance(stated, list | tuple):
            raise CouldNotScore(f"reference 'turns' must be a list with what is expected of each turn, got {cut(repr(stated), 100)}")
        return {**settings, "references": tuple(stated)}
    run = reference.run() if reference else None
    return settings if run is None else {**settings, "references": tuple(split(run))}


class _Awaiting(Evaluator):
    """Turns that a judge scores, one after the other: `aevaluate` goes on with other rows meanwhile."""

    async def ascore(self, run: Any, reference: Any = None) -> Score:
        """As `score`, without holding up the event loop."""
        try:
            return await self._awaited(run if isinstance(run, Trajectory) else to_trajectory(run), reference_of(reference))
        except Exception as error:  # noqa: BLE001 - as in Evaluator.score
            return self._not_scored(error)

    async def aevaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        """Score a run of LangSmith's while other rows go on."""
        try:
            trajectory = read_run(run, getattr(example, "inputs", None))
            score = await self._awaited(trajectory, reference_of(getattr(example, "outputs", None)))
        except Exception as error:  # noqa: BLE001 - as in Evaluator.score
            score = self._not_scored(error)
        return self._result(score, evaluator_run_id)

    async def _awaited(self, run: Trajectory, reference: Reference | None) -> Score:
        settings = self._settings if self._fill is None else self._fill(self._settings, reference)
        evaluator: Any = settings["evaluator"]
        rounds = _rounds(self._fit(run), evaluator, settings["references"])
        scores = [
            _settled(evaluator.key, *each) or await evaluator.ascore(each[0], None if each[1] is _ANY else reference_of(each[1]))
            for each in rounds
        ]
        return self._found(run, _finding(scores, _made(rounds), **settings))


def _measure(run: Trajectory, evaluator: Evaluator, references: tuple[Any, ...] | None, fold: str) -> Finding:
    rounds = _rounds(run, evaluator, references)
    scores = [
        _settled(evaluator.key, *each) or evaluator.score(each[0], None if each[1] is _ANY else reference_of(each[1])) for each in rounds
    ]
    return _finding(scores, _made(rounds), evaluator, references, fold)


def _rounds(run: Trajectory, evaluator: Evaluator, references: tuple[Any, ...] | None) -> list[tuple[Any, Any]]:
    """Each turn with its reference; `_ANY` where it needs none, `_NO_TURN` in the place of what is not there."""
    turns = list(split(run))
    if evaluator._evidence == "text" and UNTOLD in turns[0].warnings:
        raise CouldNotScore(UNTOLD)
    if references is None:
        return [(turn, _ANY) for turn in turns]
    return list(zip_longest(turns, references, fillvalue=_NO_TURN))


def _made(rounds: Sequence[tuple[Any, Any]]) -> int:
    return sum(turn is not _NO_TURN for turn, _ in rounds)


def _finding(scores: list[Score], made: int, evaluator: Evaluator, references: tuple[Any, ...] | None, fold: str) -> Finding:
    needs = evaluator._fill is not None and references is None
    value = _folded(scores, fold, "; per turn: give references=, or 'turns' in reference_outputs" if needs else "")
    return value, partial(_explained, evaluator.key, scores, fold, value, made, references)


def _settled(key: str, turn: Any, reference: Any) -> Score | None:
    """The score of a turn that needs no scoring."""
    if turn is _NO_TURN:
        return Score(key, 0.0, comment="a turn is expected and was not made")
    if reference is _NO_TURN:
        return Score(key, 0.0, comment="no such turn is expected")
    return Score(key, None, "not_applicable", "nothing is said of this turn") if reference is None else None


def _folded(scores: Sequence[Score], fold: str, hint: str) -> float:
    values = [score.score for score in scores if score.score is not None]
    open_turns = [(number, score) for number, score in enumerate(scores, 1) if score.status == "could_not_score"]
    decided = (fold == "all" and any(value < 1 for value in values)) or (fold == "min" and 0 in values)
    if open_turns and not decided:
        number, score = open_turns[0]
        raise CouldNotScore(f"turn {number} of {len(scores)} could not be scored: {score.comment}{hint}")
    if not values:
        raise NotApplicable(f"none of {amount(len(scores), 'turn')} can be asked this; the first: {scores[0].comment}")
    if fold == "mean":
        return sum(values) / len(values)
    return float(all(value == 1 for value in values)) if fold == "all" else min(values)


def _explained(
    key: str, scores: Sequence[Score], fold: str, value: float, made: int, references: tuple[Any, ...] | None
) -> tuple[str, dict[str, Any]]:
    scored = [score for score in scores if score.score is not None]
    low = [(number, score) for number, score in enumerate(scores, 1) if _is_low(score)]
    shown = "; ".join([f"turn {number}: {_value(score)}, {cut(score.comment, 200)}" for number, score in low[:_SHOWN]])
    rest = f"; and {len(low) - _SHOWN} more" if len(low) > _SHOWN else ""
    comment = f"{fold} {value:.3g} of {amount(len(scored), 'turn')}{': ' if low else ', each 1'}{shown}{rest}"
    if references is not None and len(references) != made:
        comment = f"{amount(made, 'turn')} made, {len(references)} expected; {comment}"
    details = {
        "evaluator": key,
        "fold": fold,
        "turns": made,
        "expected_turns": None if references is None else len(references),
        "failed": [number for number, _ in low],
        "scores": [
            {"turn": number, "score": score.score, "status": score.status, "comment": score.comment, "details": score.details}
            for number, score in enumerate(scores, 1)
        ],
    }
    return comment, details


def _is_low(score: Score) -> bool:
    return score.status == "could_not_score" if score.score is None else score.score < 1


def _value(score: Score) -> str:
    return "could not be scored" if score.score is None else f"{score.score:g}"
