from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, Tool, ToolInvocation, Trajectory, checks


def run(*calls: ToolInvocation, tools: Any = None, **fields: Any) -> Trajectory:
    return Trajectory(invocations=calls, available_tools=tools, **fields)


AREA, RHYME = ToolInvocation("area", agent="geo"), ToolInvocation("rhyme", agent="poet")


@pytest.mark.parametrize(
    ("available", "passes"),
    [
        pytest.param(["area", "rhyme"], True, id="names"),
        pytest.param(["area"], False, id="one missing"),
        pytest.param([], False, id="none"),
        pytest.param({"geo": ["area"], "poet": ["rhyme"]}, True, id="each agent its own"),
        pytest.param({"geo": ["area"], "poet": ["area"]}, False, id="another agent's"),
        pytest.param([Tool("area"), {"name": "rhyme", "input_schema": {"type": "object"}}], True, id="tools and schemas"),
        pytest.param([{"type": "function", "function": {"name": "area"}}, len], False, id="a function"),
    ],
)
def test_every_call_is_of_a_tool_that_its_agent_has(available: Any, passes: bool) -> None:
    assert checks.no_unknown_tools(available).score(run(AREA, RHYME)).score == passes


def test_the_trace_may_say_what_was_available() -> None:
    check = checks.no_unknown_tools()
    assert check.score(run(AREA, tools=(Tool("area", agent="geo"),))).score == 1.0
    assert check.score(run(AREA, tools=(Tool("area", agent="poet"),))).score == 0.0
    assert check.score(run(ToolInvocation("area"), tools=(Tool("area", agent="poet"),))).score == 1.0
    assert check.score(run(AREA, tools=())).score == 0.0


def test_a_trace_that_does_not_say_it_is_not_scored() -> None:
    score = checks.no_unknown_tools().score(run(AREA))
    assert (score.status, score.comment) == (
        "could_not_score",
        "the trace does not say which tools were available; give available=",
    )
    assert checks.no_unknown_tools().score(run()).score == 1.0


def test_the_comment_says_whose_the_tool_is_or_which_is_nearest() -> None:
    tools = {"geo": ["area", "distance"], "poet": ["rhyme"]}
    score = checks.no_unknown_tools(tools).score(run(ToolInvocation("rhyme", agent="geo"), ToolInvocation("distanse", agent="geo")))
    assert score.comment == (
        "2 of 2 calls of unknown tools: call 1 of 2, rhyme, a tool of poet and not of geo; call 2 of 2, distanse, nearest distance; "
        "available: area, distance, rhyme"
    )
    assert [item["name"] for item in score.details["unknown"]] == ["rhyme", "distanse"]


def test_it_looks_at_tools_unless_told_otherwise() -> None:
    made = run(ToolInvocation("web_search", kind="server"), ToolInvocation("Answer", kind="structured_output"))
    assert checks.no_unknown_tools([]).score(made).score == 1.0
    assert checks.no_unknown_tools([], kinds="all").score(made).score == 0.0


def test_settings_that_are_none_are_refused() -> None:
    for available in ("area", [3], {"name": "area"}):
        with pytest.raises(SettingError, match="available must be"):
            checks.no_unknown_tools(available)
    assert checks.no_unknown_tools([]).key != checks.no_unknown_tools().key


def test_a_crashed_run_never_passes() -> None:
    assert checks.no_unknown_tools(["x"]).score(run(AREA, error="boom")).score == 0.0
    assert checks.no_unknown_tools(["area"]).score(run(AREA, error="boom")).score is None


def test_the_key_names_tools_with_the_agent_that_has_them() -> None:
    assert checks.no_unknown_tools([Tool("a", agent="x"), Tool("b")]).key == "no_unknown_tools:x.a:b"
