from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks


def run(*names: str, **fields: Any) -> Trajectory:
    return Trajectory(invocations=tuple(ToolInvocation(name=name, status="success") for name in names), **fields)


@pytest.mark.parametrize(("n", "calls", "passes"), [(0, "", True), (0, "a", False), (2, "a b", True), (2, "a b a", False)])
def test_at_most_n_calls(n: int, calls: str, passes: bool) -> None:
    assert checks.max_tool_calls(n).score(run(*calls.split())).score == passes
    if n == 0:
        assert checks.used_no_tools().score(run(*calls.split())).score == passes


def test_the_comment_sets_the_count_against_the_limit() -> None:
    score = checks.max_tool_calls(1).score(run("a", "b"))
    assert score.comment == "2 calls made, at most 1 allowed; the first one too many is call 2 of 2, b; calls: a, b"
    assert score.details == {"count": 2, "max": 1, "calls": ["a", "b"]}
    assert checks.used_no_tools().score(run()).comment == "0 calls made, none allowed; calls: none"


def test_it_counts_tools_and_server_tools_but_no_invented_call() -> None:
    made = Trajectory(
        invocations=(
            ToolInvocation(name="a"),
            ToolInvocation(name="web", kind="server"),
            ToolInvocation(name="hand", kind="handoff"),
            ToolInvocation(name="Answer", kind="structured_output"),
            ToolInvocation(name="a", status="hallucinated"),
        )
    )
    score = checks.max_tool_calls(2).score(made)
    assert score.score == 1.0
    assert score.comment == (
        "2 calls made, at most 2 allowed; calls: a, web; not counted: 1 of kind handoff (hand), "
        "1 of kind structured_output (Answer), 1 stated by the model but never run (a)"
    )
    assert checks.max_tool_calls(3, kinds="all").score(made).score == 0.0
    assert checks.used_no_tools(kinds="framework").score(made).score == 1.0


def test_a_call_without_a_name_counts() -> None:
    score = checks.used_no_tools().score(run(""))
    assert score.score == 0.0
    assert score.comment.endswith("calls: (no name)")


def test_the_limit_may_come_per_example() -> None:
    check = checks.max_tool_calls()
    assert check.score(run("a"), {"max_tool_calls": 1}).score == 1.0
    assert check.score(run("a"), {"max_tool_calls": 0}).score == 0.0
    assert check.score(run("a"), {"tool_calls": [{"name": "b"}]}).score == 1.0
    refused = check.score(run("a"), {"max_tool_calls": -1}).comment
    assert refused == "reference 'max_tool_calls' must be a whole number of at least 0, got -1"
    assert check.score(run("a"), {}).comment == "no limit is set: give the number of calls, or 'max_tool_calls' in reference_outputs"


@pytest.mark.parametrize("n", [-1, 1.5, True, "1"])
def test_a_negative_limit_is_refused(n: Any) -> None:
    with pytest.raises(SettingError, match="n must be a whole number of at least 0"):
        checks.max_tool_calls(n)


def test_a_record_that_could_not_show_a_call_is_not_scored() -> None:
    assert checks.used_no_tools().score("text").score is None
    assert checks.used_no_tools().score({"messages": []}).score == 1.0


def test_a_crashed_run_never_passes() -> None:
    assert checks.used_no_tools().score(run("a", error="boom")).score == 0.0
    assert checks.used_no_tools().score(run(error="boom")).score is None
    assert checks.max_tool_calls(0).score(run("a", error="boom", has_call_record=False)).score == 0.0


def test_the_calls_of_one_tool_have_a_limit_of_their_own() -> None:
    made = run("a", "b", "a", "a")
    score = checks.max_tool_calls(2, tool="a").score(made)
    assert (score.score, score.comment) == (
        0.0,
        "3 calls of a made, at most 2 allowed; the first one too many is call 4 of 4, a; calls: a, b, a, a",
    )
    assert score.details == {"count": 3, "max": 2, "tool": "a", "calls": ["a", "b", "a", "a"]}
    assert checks.max_tool_calls(1, tool="b").score(made).score == 1.0
    assert checks.max_tool_calls(0, tool="c").score(made).score == 1.0


def test_a_tool_that_is_named_is_counted_whatever_its_kind() -> None:
    made = Trajectory(invocations=(ToolInvocation("hand", kind="handoff"), ToolInvocation("hand", kind="handoff")))
    assert checks.max_tool_calls(1, tool="hand").score(made).score == 0.0
    assert checks.max_tool_calls(1, tool="hand", kinds="tool").score(made).score == 1.0


@pytest.mark.parametrize(
    ("reference", "score"),
    [
        pytest.param({"max_tool_calls": {"a": 2, "b": 1}}, 1.0, id="by tool"),
        pytest.param({"max_tool_calls": {"a": 1}}, 0.0, id="by tool, passed"),
        pytest.param({"max_tool_calls": 1}, 0.0, id="for any tool"),
        pytest.param({"tool_calls": [{"name": "a"}, {"name": "b"}]}, 0.0, id="as many as the reference has"),
        pytest.param({"max_tool_calls": {"b": 1}}, None, id="of another tool"),
        pytest.param(None, None, id="no reference"),
    ],
)
def test_the_limit_of_a_tool_may_come_per_example(reference: Any, score: float | None) -> None:
    assert checks.max_tool_calls(tool="a").score(run("a", "b", "a"), reference).score == score


def test_each_tool_s_limit_has_a_key_of_its_own() -> None:
    made = [checks.max_tool_calls(3), checks.max_tool_calls(3, tool="a"), checks.max_tool_calls(tool="3"), checks.max_tool_calls(tool="a")]
    assert [check.key for check in made[:2]] == ["max_tool_calls:3", "max_tool_calls:a:3"]
    assert len({check.key for check in made}) == 4
    with pytest.raises(SettingError, match="tool must be a non-empty text"):
        checks.max_tool_calls(3, tool="")
