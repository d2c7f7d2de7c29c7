"""A call that a model states a result of, and that never ran."""

from __future__ import annotations

import pytest

from toolcall_evals import ToolInvocation, Trajectory, checks

INVENTED = ToolInvocation("search", {"q": "x"}, status="hallucinated", result="9 hits", agent="Ann")
RAN = ToolInvocation("search", {"q": "x"}, status="success", result="3 hits", agent="Ann")
RAN_AFTER_INVENTION = ToolInvocation("search", {"q": "x"}, status="success", result="3", extra={"fabricated_observation": "9"})


@pytest.mark.parametrize(
    ("calls", "passes"),
    [
        pytest.param([], True, id="no calls"),
        pytest.param([RAN], True, id="a call that ran"),
        pytest.param([INVENTED], False, id="an invented result"),
        pytest.param([RAN, INVENTED], False, id="one of two"),
        pytest.param([RAN_AFTER_INVENTION], True, id="it ran although the model had written its own result"),
        pytest.param([ToolInvocation("search", {}, status="pending")], True, id="asked and never answered"),
    ],
)
def test_it_passes_unless_a_result_was_stated_for_a_call_that_never_ran(calls: list[ToolInvocation], passes: bool) -> None:
    assert checks.no_hallucinated_tool_calls().score(Trajectory(invocations=tuple(calls))).score == float(passes)


def test_the_comment_names_the_tool_the_agent_and_the_invented_result() -> None:
    score = checks.no_hallucinated_tool_calls().score(Trajectory(invocations=(INVENTED, RAN_AFTER_INVENTION)))
    assert score.comment == (
        "1 call stated but never run: search by Ann: the model wrote '9 hits'; "
        "1 that the framework took up although the model had written a result of its own (search)"
    )
    assert score.details["hallucinated"] == [{"name": "search", "args": {"q": "x"}, "agent": "Ann", "result": "9 hits", "confidence": None}]


@pytest.mark.parametrize(("agent", "expected"), [("Ann", 0.0), ("Ben", 1.0), (["Ann", "Ben"], 0.0)])
def test_only_the_named_agents_calls_are_looked_at(agent: str | list[str], expected: float) -> None:
    assert checks.no_hallucinated_tool_calls(agent=agent).score(Trajectory(invocations=(INVENTED,))).score == expected


def test_a_violation_in_a_crashed_run_counts_and_its_absence_does_not() -> None:
    check = checks.no_hallucinated_tool_calls()
    assert check.score(Trajectory(invocations=(INVENTED,), error="boom")).score == 0.0
    assert check.score(Trajectory(invocations=(RAN,), error="boom")).score is None


def test_no_other_check_counts_an_invented_call_and_the_comment_says_so() -> None:
    score = checks.called_tool("search").score(Trajectory(invocations=(INVENTED,)))
    assert score.score == 0.0
    assert "stated by the model but never run" in score.comment
