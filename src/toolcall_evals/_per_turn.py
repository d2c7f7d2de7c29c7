"""Does each turn of a conversation pass, each by its own expectation?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from . import _settings as setting
from ._errors import CouldNotScore, NotApplicable
from ._evaluator import Evaluator, Finding
from ._model import Score, Trajectory
from ._reference import Reference, reference_of
from ._shown import cut
from ._turns import UNTOLD, split

FOLDS = ("mean", "all", "min")

_SHOWN = 5
_NO_TURN = object()


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
    return Evaluator(
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


def _measure(run: Trajectory, evaluator: Evaluator, references: tuple[Any, ...] | None, fold: str) -> Finding:
    turns = list(split(run))
    if evaluator._evidence == "text" and UNTOLD in turns[0].warnings:
        raise CouldNotScore(UNTOLD)
    if references is None:
        scores = [evaluator.score(turn) for turn in turns]
    else:
        scores = [_scored(evaluator, turn, reference) for turn, reference in zip_longest(turns, references, fillvalue=_NO_TURN)]
    needs = evaluator._fill is not None and references is None
    value = _folded(scores, fold, "; per turn: give references=, or 'turns' in reference_outputs" if needs else "")
    return value, partial(_explained, evaluator.key, scores, fold, value, len(turns), references)


def _scored(evaluator: Evaluator, turn: Any, reference: Any) -> Score:
    if turn is _NO_TURN:
        return Score(evaluator.key, 0.0, comment="a turn is expected and was not made")
    if reference is _NO_TURN:
        return Score(evaluator.key, 0.0, comment="no such turn is expected")
    if reference is None:
        return Score(evaluator.key, None, "not_applicable", "nothing is said of this turn")
    return evaluator.score(turn, reference_of(reference))


def _folded(scores: Sequence[Score], fold: str, hint: str) -> float:
    values = [score.score for score in scores if score.score is not None]
    open_turns = [(number, score) for number, score in enumerate(scores, 1) if score.status == "could_not_score"]
    decided = (fold == "all" and any(value < 1 for value in values)) or (fold == "min" and 0 in values)
    if open_turns and not decided:
        number, score = open_turns[0]
        raise CouldNotScore(f"turn {number} of {len(scores)} could not be scored: {score.comment}{hint}")
    if not values:
        raise NotApplicable(f"none of {len(scores)} turn(s) can be asked this; the first: {scores[0].comment}")
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
    comment = f"{fold} {value:.3g} of {len(scored)} turn(s){': ' if low else ', each 1'}{shown}{rest}"
    if references is not None and len(references) != made:
        comment = f"{made} turn(s) were made, {len(references)} expected; {comment}"
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
