from __future__ import annotations

import pickle
from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory
from toolcall_evals.expect import call
from toolcall_evals.scorers import trajectory_quality


def called(name: str, status: Any = "success", **args: Any) -> ToolInvocation:
    return ToolInvocation(name, args=args, status=status)


def run(*calls: ToolInvocation | str, **facts: Any) -> Trajectory:
    return Trajectory(invocations=tuple([called(each) if isinstance(each, str) else each for each in calls]), **facts)


@pytest.mark.parametrize(
    ("settings", "calls", "score"),
    [
        pytest.param({}, "aab", 1.0, id="nothing asked"),
        pytest.param({"expected": ["a", "b"]}, "a", 0.5, id="accuracy alone"),
        pytest.param({"expected": ["a"], "max_steps": 2, "no_redundant_calls": False}, "abc", 0.55 / 0.7, id="a step too many"),
        pytest.param({"max_steps": 0, "no_redundant_calls": False}, "a", 0.0, id="no step allowed"),
        pytest.param({"no_redundant_calls": True}, "aab", 0.8, id="a redundant call"),
        pytest.param({"no_redundant_calls": False}, "aab", 1.0, id="a check that is switched off adds nothing"),
        pytest.param({"max_steps": 5}, "aab", 0.9, id="redundancy counts where anything is budgeted"),
        pytest.param({"forbidden_tools": ["x"]}, "ab", 1.0, id="nothing forbidden called"),
        pytest.param({"expected": ["a"], "forbidden_tools": ["x"]}, "ax", 0.0, id="a forbidden call ends it"),
        pytest.param({"forbidden_sequences": [["a", "b"]]}, "ab", 0.0, id="a forbidden sequence"),
        pytest.param({"forbidden_sequences": [["a", "b"]]}, "axb", 1.0, id="not with a call in between"),
        pytest.param({"expected": ["a", "b"], "max_steps": 9, "weights": {"accuracy": 1, "efficiency": 0}}, "a", 0.5, id="weights"),
        pytest.param({"expected": ["a", "b"], "weights": {"accuracy": 0}}, "a", 1.0, id="no weight at all"),
        pytest.param({"expected": ["a", "b"], "max_steps": 9, "weights": {"accuracy": -1}}, "a", 1.0, id="a weight below 0 counts as 0"),
    ],
)
def test_the_score_is_the_weighted_mean_of_the_parts_that_apply(settings: dict[str, Any], calls: str, score: float) -> None:
    assert trajectory_quality(**settings).score(run(*calls)).score == pytest.approx(score)


def test_futile_retries_cost() -> None:
    calls = [called("a", "error"), called("a", "error"), called("a", "pending"), called("a", "error"), called("a")]
    score = trajectory_quality(max_retries_per_tool=1).score(run(*calls))
    assert score.score == pytest.approx(0.4)
    assert score.comment == "tool_failures 0.4 (a tried again 4 times, then right)"
    assert trajectory_quality(max_retries_per_tool=1).score(run(called("a", "error"))).score == 1.0


def test_budgets_of_tokens_and_time_need_their_measurements() -> None:
    scorer = trajectory_quality(max_total_tokens=100, max_total_duration_ms=1_000, no_redundant_calls=False)
    assert scorer.score(run("a", usage={"total_tokens": 150}, duration_s=0.5)).score == pytest.approx(0.75)
    assert scorer.score(run("a", usage={"input_tokens": 60, "output_tokens": 40}, duration_s=1.5)).score == pytest.approx(0.75)
    missing = scorer.score(run("a", duration_s=0.5))
    assert (missing.status, "tokens" in missing.comment) == ("could_not_score", True)
    assert "how long" in scorer.score(run("a", usage={"total_tokens": 1})).comment


def test_a_forbidden_tool_is_seen_whatever_its_kind_and_depth() -> None:
    deep = ToolInvocation("x", args={}, kind="handoff", parent_id="1")
    assert trajectory_quality(forbidden_tools=["x"]).score(run(ToolInvocation("a", args={}, id="1"), deep)).score == 0.0
    assert trajectory_quality(forbidden_tools=["x"]).score(run(called("x", "hallucinated"))).score == 1.0


def test_the_parts_and_their_weights_are_shown() -> None:
    score = trajectory_quality(["a", "b", "c"], max_steps=1, forbidden_tools=["x"]).score(run("a", "b"))
    parts = {name: (part["score"], part["weight"]) for name, part in score.details["parts"].items()}
    assert parts == {"forbidden": (1.0, 0.1), "accuracy": (0.67, 0.4), "efficiency": (0.5, 0.3)}
    assert score.score == pytest.approx((0.1 + 0.67 * 0.4 + 0.5 * 0.3) / 0.8)
    assert score.comment == (
        "forbidden 1 (nothing forbidden was called); accuracy 0.67 (2 of 3 expected calls matched; missing c); efficiency 0.5 (2 calls)"
    )


def test_what_is_inside_a_call_counts_three_tenths_of_the_whole() -> None:
    trajectory = run(ToolInvocation("a", args={}, id="1"), ToolInvocation("b", args={}, parent_id="1"))
    score = trajectory_quality([call("a", inside=["b", "c"])]).score(trajectory)
    assert score.score == pytest.approx(0.85)
    assert "inside" in score.details


def test_what_was_forbidden_is_said_first() -> None:
    score = trajectory_quality(["a"], forbidden_tools=["x"]).score(run("a", "x"))
    assert score.score == 0.0
    assert score.comment.startswith("forbidden: ")


def test_the_expectation_comes_per_example_where_there_is_one() -> None:
    scorer = trajectory_quality(max_steps=5, no_redundant_calls=False)
    assert scorer.score(run("a")).score == 1.0
    assert scorer.score(run("a"), {"tool_calls": [{"name": "b"}]}).score == pytest.approx(0.3 / 0.7)
    assert scorer.score(run("a"), {"expect": {"version": 9, "expect": "a"}}).status == "could_not_score"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"max_steps": -1}, "max_steps must be a finite number of at least 0"),
        ({"max_total_tokens": float("nan")}, "max_total_tokens"),
        ({"max_total_duration_ms": "1"}, "max_total_duration_ms"),
        ({"max_retries_per_tool": -1}, "max_retries_per_tool"),
        ({"forbidden_tools": "x"}, "forbidden_tools"),
        ({"forbidden_sequences": ["ab"]}, "forbidden_sequences"),
        ({"forbidden_sequences": "ab"}, "a list of lists of tool names"),
        ({"weights": {"accuracy": 1e308, "efficiency": 1e308}}, "a finite sum"),
        ({"weights": {"speed": 1}}, "weights must be a mapping with some of"),
        ({"weights": {"accuracy": float("inf")}}, "finite numbers"),
        ({"weights": {"accuracy": 10**400}}, "finite numbers"),
        ({"max_steps": 10**400}, "max_steps must be a finite number"),
        ({"weights": dict.fromkeys(["accuracy", "efficiency", "tool_failures", "forbidden"], 0)}, "a weight above 0"),
        ({"agent": {"a": 1}}, "agent must be the name of an agent or several names"),
        ({"ordering": "any"}, "ordering"),
        ({"no_redundant_calls": "yes"}, "no_redundant_calls"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        trajectory_quality(**settings)


def test_scorers_with_other_settings_have_keys_of_their_own_and_pickle() -> None:
    scorers = [trajectory_quality(), trajectory_quality(max_steps=1), trajectory_quality(["a"]), trajectory_quality(forbidden_tools=["a"])]
    assert len({scorer.key for scorer in scorers}) == 4
    assert scorers[0].key == "trajectory_quality"
    assert pickle.loads(pickle.dumps(scorers[2])).score(run("a")).score == 1.0


def test_a_count_too_long_to_write_is_refused() -> None:
    with pytest.raises(SettingError, match="max_retries_per_tool must be a whole number"):
        trajectory_quality(max_retries_per_tool=10**5000)
