"""Assertions of a test: what passes, and what the failure says."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_evals import Evaluator, ToolInvocation, Trajectory, checks, scorers
from toolcall_evals.testing import NotScoredError, assert_scores, at_least, soft

RUN = Trajectory(
    input="Is it raining in Oslo?",
    invocations=(ToolInvocation("get_weather", {"city": "Oslo"}, status="success", result="3 °C, snow", agent="weather"),),
    texts=("It snows.",),
)
FAILURE = """\
2 of 3 checks failed
  called_tool:book: 0, expected 1
      book was called 0 times, expected at least 1; calls: get_weather
  tool_calls_match: could not score
      no calls are expected: give 'expected', or 'expect' or 'tool_calls' in reference_outputs
the run (trajectory):
  user: Is it raining in Oslo?
  1. get_weather(city="Oslo")  [success, by weather]
     -> 3 °C, snow
  answer: It snows."""


def failure_of(*args: Any, **kwargs: Any) -> AssertionError:
    with pytest.raises(AssertionError) as failure:
        assert_scores(*args, **kwargs)
    return failure.value


def test_a_run_that_passes_gives_its_scores() -> None:
    scores = assert_scores(RUN, checks.called_tool("get_weather"), checks.no_tool_errors())
    assert [(score.key, score.score) for score in scores] == [("called_tool:get_weather", 1.0), ("no_tool_errors", 1.0)]


def test_the_failure_says_what_was_expected_what_differs_and_what_was_done() -> None:
    failure = failure_of(RUN, checks.called_tool("book"), checks.no_tool_errors(), scorers.tool_calls_match(key="tool_calls_match"))
    assert str(failure) == FAILURE
    assert type(failure) is AssertionError


def test_what_could_not_be_scored_fails_in_a_way_of_its_own() -> None:
    assert isinstance(failure_of("a plain text", checks.called_tool("book")), NotScoredError)
    failure = failure_of(5, checks.called_tool("book"))
    assert isinstance(failure, NotScoredError)
    assert str(failure) == (
        "1 of 1 checks failed\n  called_tool:book: could not score\n"
        "      expected messages, a run or a framework's output, found an object of type int; pass the run's\n      output or its run"
    )


def test_a_crashed_run_never_passes() -> None:
    assert isinstance(failure_of(Trajectory(error="down"), checks.did_not_call("book")), NotScoredError)


@pytest.mark.parametrize(("threshold", "passes"), [(0.5, True), (0.67, False), (2 / 3, True), (0, True)])
def test_at_least_lowers_the_bar(threshold: float, passes: bool) -> None:
    evaluator = scorers.tool_call_f1([{"name": "get_weather"}, {"name": "book"}], "ignore")  # one matched of two expected, one made: 2/3
    if passes:
        assert_scores(RUN, at_least(evaluator, threshold))
    else:
        assert "0.666667, expected at least 0.67" in str(failure_of(RUN, at_least(evaluator, threshold)))


def share(run: Trajectory, *, value: float) -> Any:
    return value, lambda: ("a share", {})


def test_a_rounding_error_is_no_failure_and_a_near_miss_is_not_shown_as_a_hit() -> None:
    total = sum([0.1] * 8)  # 0.7999999999999999
    assert_scores(RUN, at_least(Evaluator("share", share, {"value": total}), 0.8))
    assert "  share: 0.9999999, expected 1\n" in str(failure_of(RUN, Evaluator("share", share, {"value": 0.9999999})))


def test_the_reference_serves_evaluators_that_were_built_without_one() -> None:
    assert_scores(RUN, checks.called_tool(), reference={"expected_tool": "get_weather"})


def test_what_has_a_trajectory_is_read_from_it() -> None:
    assert_scores(SimpleNamespace(trajectory=RUN), checks.called_tool("get_weather"))


def test_a_comment_cannot_send_terminal_codes_nor_fill_the_screen() -> None:
    text = str(failure_of(Trajectory(texts=("\x1b[2J" + "word " * 5000,)), checks.excludes("word")))
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) < 40


def test_soft_collects_every_failure() -> None:
    with pytest.raises(AssertionError) as failure, soft():
        assert_scores(RUN, checks.called_tool("book"))
        assert_scores(RUN, checks.called_tool("get_weather"))
        with soft():
            pass
        assert_scores(RUN, checks.max_tool_calls(0))
    assert str(failure.value).count("the run (trajectory):") == 2
    assert "called_tool:book: 0" in str(failure.value) and "max_tool_calls:0: 0" in str(failure.value)


def test_soft_is_not_scored_only_where_nothing_failed() -> None:
    with pytest.raises(NotScoredError), soft():
        assert_scores(5, checks.called_tool("book"))
    with pytest.raises(AssertionError) as failure, soft():
        assert_scores(5, checks.called_tool("book"))
        assert_scores(RUN, checks.called_tool("book"))
    assert not isinstance(failure.value, NotScoredError)


def test_an_error_in_a_soft_block_carries_the_failures_before_it() -> None:
    with pytest.raises(KeyError) as error, soft():
        assert_scores(RUN, checks.called_tool("book"))
        raise KeyError("x")
    assert error.value.__notes__[0].startswith("before that, in the soft block:\n1 of 1 checks failed\n  called_tool:book")


@pytest.mark.parametrize("ended", [pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest])
def test_a_skip_in_a_soft_block_hides_no_failure(ended: type[Exception]) -> None:
    with pytest.raises(AssertionError, match="called_tool:book: 0") as error, soft():
        assert_scores(RUN, checks.called_tool("book"))
        raise ended("no key")
    assert isinstance(error.value.__cause__, ended)
    with pytest.raises(ended), soft():
        raise ended("no key")


class Fraction(Evaluator):
    def score(self, run: Any, reference: Any = None) -> Any:
        return 1.0


def nothing(run: Trajectory) -> Any:
    return 1.0, lambda: ("", {})


@pytest.mark.parametrize(
    ("evaluators", "problem"),
    [
        pytest.param([], "evaluators must be at least one check or scorer", id="none"),
        pytest.param([checks.called_tool("a")] * 2, r"different keys; give one of them key=, got \['called_tool:a'\]", id="a key twice"),
        pytest.param([checks.called_tool], "evaluators must be checks and scorers", id="a factory that was not called"),
        pytest.param([lambda run: 1.0], "evaluators must be checks and scorers", id="a function"),
        pytest.param([Evaluator], "evaluators must be checks and scorers", id="a class"),
    ],
)
def test_evaluators_that_are_none_are_refused(evaluators: list[Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        assert_scores(RUN, *evaluators)


def test_an_evaluator_that_returns_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="the score method of mine must return a Score, got an object of type float"):
        assert_scores(RUN, Fraction("mine", nothing, {}))


@pytest.mark.parametrize("threshold", [1.1, -0.1, True, "0.5", float("nan")])
def test_a_threshold_is_a_share(threshold: Any) -> None:
    with pytest.raises(ValueError, match="threshold must be a number between 0 and 1"):
        at_least(checks.no_tool_errors(), threshold)


def test_a_soft_block_in_another_leaves_its_failures_to_the_outer_one() -> None:
    with pytest.raises(AssertionError) as failure, soft():
        with soft():
            assert_scores(Trajectory(), checks.called_tool("inner"))
        assert_scores(Trajectory(), checks.called_tool("outer"))
    assert "called_tool:inner" in str(failure.value) and "called_tool:outer" in str(failure.value)
