from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks


def run(*calls: str | ToolInvocation, **fields: Any) -> Trajectory:
    made = [ToolInvocation(name=call, status="success") if isinstance(call, str) else call for call in calls]
    return Trajectory(invocations=tuple(made), **fields)


@pytest.mark.parametrize("status", ["success", "error", "pending", "invalid", "rejected"])
def test_a_call_counts_whatever_came_of_it(status: Any) -> None:
    asked = run(ToolInvocation(name="search", status=status))
    assert checks.called_tool("search").score(asked).score == 1.0
    assert checks.did_not_call("search").score(asked).score == 0.0


def test_a_hallucinated_call_is_none_and_the_comment_says_so() -> None:
    stated = run(ToolInvocation(name="search", status="hallucinated"))
    score = checks.called_tool("search").score(stated)
    assert score.score == 0.0
    assert score.comment == (
        "search was called 0 times, expected at least 1; calls: none; not counted: 1 stated by the model but never run (search)"
    )
    assert checks.did_not_call("search").score(stated).score == 1.0


def test_it_sees_every_kind_unless_told_otherwise() -> None:
    handed = run(ToolInvocation(name="transfer", kind="handoff"))
    assert checks.called_tool("transfer").score(handed).score == 1.0
    narrow = checks.called_tool("transfer", kinds="tool").score(handed)
    assert (narrow.score, narrow.comment) == (
        0.0,
        "transfer was called 0 times of kind tool, expected at least 1; calls: none; not counted: 1 of kind handoff (transfer)",
    )


def test_it_sees_every_agent_unless_told_otherwise() -> None:
    made = run(ToolInvocation(name="search", agent="writer"))
    assert checks.called_tool("search", agent="writer").score(made).score == 1.0
    assert checks.called_tool("search", agent=["editor", "writer"]).score(made).score == 1.0
    assert checks.called_tool("search", agent="editor").score(made).score == 0.0
    assert checks.did_not_call("search", agent="editor").score(made).score == 1.0


def test_times_is_a_least_number() -> None:
    twice = run("search", "other", "search")
    assert [checks.called_tool("search", times=times).score(twice).score for times in (1, 2, 3)] == [1.0, 1.0, 0.0]


def test_the_comment_says_which_call_and_where() -> None:
    made = run("other", ToolInvocation(name="search", id="call_7", message_index=3))
    score = checks.called_tool("search").score(made)
    assert score.comment == (
        "search was called 1 time (first call 2 of 2, search (id call_7, message 3)), expected at least 1; calls: other, search"
    )
    assert score.details == {"tool": "search", "count": 1, "times": 1, "at": [1], "calls": ["other", "search"]}


@pytest.mark.parametrize(
    ("reference", "score"),
    [
        pytest.param({"expected_tool": "search"}, 1.0, id="the tool"),
        pytest.param({"expected_tool": "other"}, 0.0, id="another tool"),
        pytest.param({"tool_calls": [{"name": "search", "args": {"q": 1}}, {"name": "search"}]}, 1.0, id="the only tool of the calls"),
        pytest.param([{"name": "search"}], 1.0, id="a list of calls"),
        pytest.param({"tool_calls": [{"name": "search"}, {"name": "other"}]}, None, id="several tools"),
        pytest.param({"tool_calls": []}, None, id="no call"),
        pytest.param({"expected_tool": ""}, None, id="an empty name"),
        pytest.param({"expected_output": "x"}, None, id="another key"),
        pytest.param(None, None, id="no reference"),
    ],
)
def test_the_tool_may_come_per_example(reference: Any, score: float | None) -> None:
    found = checks.called_tool().score(run("search"), reference)
    assert found.score == score
    if score is None:
        assert "expected_tool" in found.comment


@pytest.mark.parametrize("name", ["", None, 3, ["search"]])
def test_a_name_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(SettingError, match="name must be a non-empty text"):
        checks.did_not_call(name)


@pytest.mark.parametrize("times", [0, -1, True, 1.0, "2", None])
def test_a_number_of_times_below_one_is_refused(times: Any) -> None:
    with pytest.raises(SettingError, match="times must be a whole number of at least 1"):
        checks.called_tool("search", times=times)


def test_a_plain_text_shows_no_calls_so_nothing_is_said_of_them() -> None:
    for check in (checks.called_tool("search"), checks.did_not_call("search")):
        score = check.score("I called search.")
        assert (score.score, score.comment) == (None, "the record (text) could not have shown a tool call; pass messages or a traced run")


def test_a_crashed_run_never_passes() -> None:
    crashed = run("search", error="boom")
    assert checks.called_tool("search").score(crashed).comment == "the run crashed: boom"
    assert checks.did_not_call("search").score(crashed).score == 0.0
    assert checks.did_not_call("other").score(crashed).comment == "the run crashed before it was over: boom"


@pytest.mark.parametrize(
    ("limits", "passing"),
    [
        pytest.param({"at_most": 2}, [1, 2], id="at most"),
        pytest.param({"times": 2, "at_most": 3}, [2, 3], id="from to"),
        pytest.param({"exactly": 2}, [2], id="exactly"),
    ],
)
def test_the_number_of_times_may_be_bounded_above(limits: Any, passing: list[int]) -> None:
    check = checks.called_tool("search", **limits)
    assert [count for count in range(5) if check.score(run(*["search"] * count)).score == 1.0] == passing


def test_one_call_too_many_is_named() -> None:
    score = checks.called_tool("search", exactly=2).score(run("search", "other", "search", "search"))
    assert score.comment == (
        "search was called 3 times (one too many: call 4 of 4, search), expected exactly 2; calls: search, other, search, search"
    )
    assert score.details == {
        "tool": "search",
        "count": 3,
        "times": 2,
        "at_most": 2,
        "at": [0, 2, 3],
        "calls": ["search", "other", "search", "search"],
    }
    assert "expected 1 to 2" in checks.called_tool("search", at_most=2).score(run()).comment


def test_each_bound_has_a_key_of_its_own() -> None:
    made = [checks.called_tool("a"), checks.called_tool("a", 2), checks.called_tool("a", at_most=2), checks.called_tool("a", exactly=2)]
    assert [check.key for check in made] == ["called_tool:a", "called_tool:a::x2", "called_tool:a::most.2", "called_tool:a::x2:most.2"]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"at_most": 0}, "at_most must be a whole number of at least 1"),
        ({"times": 3, "at_most": 2}, "at_most must be a whole number of at least 3"),
        ({"exactly": 0}, "exactly must be a whole number of at least 1"),
        ({"exactly": 2, "times": 2}, "exactly must be given without times and at_most"),
        ({"exactly": 2, "at_most": 2}, "exactly must be given without times and at_most"),
    ],
)
def test_bounds_that_contradict_are_refused(limits: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        checks.called_tool("search", **limits)
