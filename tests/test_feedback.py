"""A score as LangSmith takes it: whole, however it is looked at, and no work before."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from toolcall_evals import Score
from toolcall_evals._feedback import result_of, row

pytest.importorskip("langsmith")

WHOLE = {"key": "k", "score": 1.0, "comment": "why", "extra": {"status": "scored", "details": {"a": 1}}}


def explained() -> tuple[Any, list[int]]:
    made: list[int] = []

    def explain() -> tuple[str, dict[str, Any]]:
        made.append(1)
        return "why", {"a": 1}

    return result_of(Score.explained("k", 1.0, explain)), made


def stated() -> Any:
    from langsmith.evaluation.evaluator import EvaluationResult

    return EvaluationResult(**WHOLE)


def test_key_and_score_are_there_without_making_the_explanation() -> None:
    result, made = explained()
    assert (result.key, result.score, result.value, result.evaluator_info, made) == ("k", 1.0, None, {}, [])


def test_comment_and_extra_are_made_once() -> None:
    result, made = explained()
    assert (result.comment, result.extra, result.comment, made) == ("why", WHOLE["extra"], "why", [1])


@pytest.mark.parametrize(
    "looked_at",
    [
        pytest.param(lambda result: result.model_dump(), id="model_dump"),
        pytest.param(lambda result: result.model_dump(mode="json"), id="model_dump json"),
        pytest.param(dict, id="iteration"),
        pytest.param(lambda result: pickle.loads(pickle.dumps(result)).model_dump(), id="pickle"),
        pytest.param(lambda result: copy.copy(result).model_dump(), id="copy"),
        pytest.param(lambda result: copy.deepcopy(result).model_dump(), id="deepcopy"),
        pytest.param(lambda result: result.model_copy().model_dump(), id="model_copy"),
    ],
)
def test_every_way_to_look_at_all_fields_shows_them(looked_at: Callable[[Any], dict[str, Any]]) -> None:
    assert looked_at(explained()[0]) == stated().model_dump()


def test_it_equals_and_reads_like_the_result_that_was_made_at_once() -> None:
    assert explained()[0] == stated() and stated() == explained()[0] and explained()[0] == explained()[0]
    assert str(explained()[0]) == str(stated())


def test_what_langsmith_writes_into_it_stays() -> None:
    result, _ = explained()
    result.source_run_id, result.comment = "run", "another"
    assert (result.source_run_id, result.comment, result.extra) == ("run", "another", WHOLE["extra"])


def test_two_results_of_one_score_share_nothing() -> None:
    score = Score("k", 1.0, "scored", "why", {"a": 1})
    first, second = result_of(score), result_of(score)
    first.evaluator_info["x"] = 1
    assert second.evaluator_info == {}


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = explained()[0].nothing


def test_what_could_not_be_scored_is_marked_as_an_error() -> None:
    assert row(Score("k", None, "could_not_score", "no trace")) == {
        "key": "k",
        "score": None,
        "comment": "no trace",
        "extra": {"status": "could_not_score", "details": {}, "error": True},
    }
    assert "error" not in row(Score("k", None, "not_applicable", "no call"))["extra"]
