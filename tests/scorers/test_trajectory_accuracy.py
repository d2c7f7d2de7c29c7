from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory
from toolcall_evals.expect import call, never, number, optional, sequence
from toolcall_evals.scorers import trajectory_accuracy


def run(*calls: ToolInvocation | str) -> Trajectory:
    return Trajectory(
        invocations=tuple([ToolInvocation(each, args={}, status="success") if isinstance(each, str) else each for each in calls])
    )


@pytest.mark.parametrize(
    ("expected", "calls", "relaxed", "strict", "unordered"),
    [
        pytest.param("", "", 1, 1, 1, id="nothing expected, nothing called"),
        pytest.param("", "a", 0, 0, 0, id="nothing expected, something called"),
        pytest.param("ab", "", 0, 0, 0, id="nothing called"),
        pytest.param("ab", "ab", 1, 1, 1, id="equal"),
        pytest.param("ab", "axb", 1, 0, 1, id="an extra costs nothing, but by strict order"),
        pytest.param("abc", "bca", 2 / 3, 0, 1, id="the longest part in order counts, not the first found"),
        pytest.param("ab", "a", 1 / 2, 0, 1 / 2, id="half of it"),
    ],
)
def test_each_ordering_counts_its_share(expected: str, calls: str, relaxed: float, strict: float, unordered: float) -> None:
    trajectory = run(*calls)
    scores = [trajectory_accuracy(list(expected), ordering).score(trajectory).score for ordering in ("relaxed", "strict", "unordered")]
    assert scores == pytest.approx([relaxed, strict, unordered])


@pytest.mark.parametrize(
    ("expected", "calls", "score"),
    [
        pytest.param("ab", "aab", 0.9, id="repeated and not expected to be"),
        pytest.param("aab", "aab", 1.0, id="repeated as expected"),
        pytest.param("ab", "abxx", 0.9, id="an extra twice"),
        pytest.param("ab", "abx", 1.0, id="an extra once is no repeat"),
        pytest.param("ab", "aabb", 0.8, id="each tool costs once"),
    ],
)
def test_repeats_cost_where_they_are_not_allowed(expected: str, calls: str, score: float) -> None:
    assert trajectory_accuracy(list(expected), allow_repeated_steps=False).score(run(*calls)).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("condition", "invocation", "met"),
    [
        pytest.param({"success": True}, ToolInvocation("a", status="success", result="fine"), True, id="success"),
        pytest.param({"success": True}, ToolInvocation("a", status="success", result='{"error": "boom"}'), False, id="an error as text"),
        pytest.param({"success": True}, ToolInvocation("a", status="success", raw_result={"error": None}), True, id="no error after all"),
        pytest.param({"success": True}, ToolInvocation("a", status="pending"), False, id="unanswered"),
        pytest.param({"success": False}, ToolInvocation("a", status="error"), True, id="failure"),
        pytest.param({"result": {"n": 1, "m": 2}}, ToolInvocation("a", status="success", result='{"m": 2, "n": 1.0}'), True, id="a result"),
        pytest.param({"result": 3}, ToolInvocation("a", status="success", raw_result=True), False, id="another result"),
        pytest.param({"result": {"value": 3}}, ToolInvocation("a", status="success", raw_result=3), True, id="a result in a wrapping"),
        pytest.param({"result": number(3, abs=1)}, ToolInvocation("a", status="success", result="2.5"), True, id="a matcher"),
        pytest.param({"agent": "x"}, ToolInvocation("a", agent="y"), False, id="another agent"),
        pytest.param({"args": {"q": 1}}, ToolInvocation("a", args={"q": 2}), False, id="other arguments"),
    ],
)
def test_a_step_may_state_more_than_its_name(condition: dict[str, Any], invocation: ToolInvocation, met: bool) -> None:
    score = trajectory_accuracy([call("a", **condition)]).score(run(invocation))
    assert score.score == float(met)
    assert bool(score.details["diff"]["wrong_arguments"]) is not met


def nested_run() -> Trajectory:
    return run(
        ToolInvocation("research", args={}, id="1", status="success"),
        ToolInvocation("search", args={}, id="2", parent_id="1", status="success"),
        ToolInvocation("open", args={}, id="3", parent_id="1", status="success"),
        ToolInvocation("write", args={}, id="4", status="success"),
    )


@pytest.mark.parametrize(
    ("expected", "score"),
    [
        pytest.param([call("research", inside=["search", "open"]), "write"], 1.0, id="as expected"),
        pytest.param([call("research", inside=["search", "quote"]), "write"], 0.85, id="half of what is inside"),
        pytest.param([call("research", inside=["search"]), "write", "send"], 0.7 * 2 / 3 + 0.3, id="own score"),
        pytest.param([call("review", inside=["search"]), "write"], 0.7 / 2, id="the call itself is missing"),
        pytest.param([optional(call("review", inside=["search"])), "write"], 1.0, id="an optional call is missing"),
        pytest.param([call("research", inside=[call("search", inside=[])]), "write"], 0.7 + 0.3, id="an empty level below the next"),
    ],
)
def test_what_is_done_inside_a_call_counts_three_tenths(expected: list[Any], score: float) -> None:
    found = trajectory_accuracy(expected).score(nested_run())
    assert found.score == pytest.approx(score)
    assert found.comment.count("inside") >= ("optionally" not in repr(sequence(*expected)))


def test_without_a_nested_expectation_every_call_is_a_step() -> None:
    assert trajectory_accuracy(["research", "search", "open", "write"], "strict").score(nested_run()).score == 1.0


def test_a_broken_statement_is_no_part_of_the_way() -> None:
    score = trajectory_accuracy(sequence("a", never("x"))).score(run(*"ax"))
    assert score.score == 0.0
    assert score.comment.startswith("relaxed order: 1 of 1 expected call matched; never x: x()")


def test_the_comment_says_what_is_missing() -> None:
    score = trajectory_accuracy(["a", "b", "c"]).score(run(*"bca"))
    assert score.comment == "relaxed order: 2 of 3 expected calls matched; out of order a()"


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(SettingError, match="ordering must be one of"):
        trajectory_accuracy(["a"], "loose")
    with pytest.raises(SettingError, match="allow_repeated_steps must be True or False"):
        trajectory_accuracy(["a"], allow_repeated_steps=1)  # type: ignore[arg-type]  # the mistake that is tested


def test_the_expectation_comes_per_example_where_none_is_given() -> None:
    assert trajectory_accuracy().score(nested_run(), {"expect": [call("research", inside=["search", "open"]), "write"]}).score == 1.0
    assert trajectory_accuracy().score(nested_run()).status == "could_not_score"
