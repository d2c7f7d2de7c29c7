from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks


def run(*calls: tuple[str, Any], texts: tuple[str, ...] = (), **fields: Any) -> Trajectory:
    return Trajectory(invocations=tuple(ToolInvocation(name, status=status) for name, status in calls), texts=texts, **fields)


@pytest.mark.parametrize(
    ("calls", "same_tool", "any_tool"),
    [
        pytest.param([("a", "error"), ("a", "success")], 1.0, 1.0, id="tried again"),
        pytest.param([("a", "error"), ("a", "error"), ("a", "success")], 1.0, 1.0, id="tried twice"),
        pytest.param([("a", "error"), ("b", "success")], 0.0, 1.0, id="another tool"),
        pytest.param([("a", "error")], 0.0, 0.0, id="left at that"),
        pytest.param([("a", "success"), ("a", "error")], 0.0, 0.0, id="a success before is none after"),
        pytest.param([("a", "error"), ("b", "error"), ("a", "success")], 0.0, 1.0, id="one of two"),
        pytest.param([("a", "invalid"), ("a", "success")], 1.0, 1.0, id="a faulty request"),
        pytest.param([("a", "pending"), ("a", "success")], 1.0, 1.0, id="never answered"),
        pytest.param([("a", "error"), ("a", "rejected")], 0.0, 0.0, id="a refused retry"),
        pytest.param([("a", "error"), ("a", "hallucinated")], 0.0, 0.0, id="an invented success"),
        pytest.param([("a", "success")], None, None, id="no failure"),
        pytest.param([("a", "rejected")], None, None, id="a refusal is no failure"),
        pytest.param([], None, None, id="no calls"),
    ],
)
def test_each_failed_call_is_followed_by_a_success(calls: Any, same_tool: float | None, any_tool: float | None) -> None:
    assert checks.recovered_from_errors().score(run(*calls)).score == same_tool
    score = checks.recovered_from_errors(by="any_tool").score(run(*calls))
    assert score.score == any_tool
    assert (score.status == "not_applicable") == (any_tool is None)


def test_a_result_that_states_an_error_is_a_failure() -> None:
    failed = ToolInvocation("a", status="success", raw_result={"error": "busy"})
    assert checks.recovered_from_errors().score(Trajectory(invocations=(failed,))).score == 0.0


def test_what_was_asked_for_at_once_does_not_follow() -> None:
    made = [ToolInvocation("a", status="error", message_index=1), ToolInvocation("a", status="success", message_index=1)]
    assert checks.recovered_from_errors().score(Trajectory(invocations=tuple(made))).score == 0.0
    later = ToolInvocation("a", status="success", message_index=3)
    assert checks.recovered_from_errors().score(Trajectory(invocations=(*made, later))).score == 1.0


def test_a_text_may_be_enough() -> None:
    check = checks.recovered_from_errors(by="text")
    assert check.score(run(("a", "error"), texts=("It is down.",))).score == 1.0
    assert check.score(run(("a", "error"))).score == 0.0
    placed = (ToolInvocation("a", status="error", message_index=1),)
    before, after = (("user", "x"), ("assistant", "I will ask.")), (("tool", "down"), ("assistant", "It is down."))
    assert check.score(Trajectory(messages=before, texts=("I will ask.",), invocations=placed)).score == 0.0
    assert check.score(Trajectory(messages=before + after, texts=("I will ask.", "It is down."), invocations=placed)).score == 1.0


def test_the_comment_names_what_was_left() -> None:
    failed = ToolInvocation("b", id="c2", status="error", error="boom")
    made = Trajectory(invocations=(ToolInvocation("a", status="error"), ToolInvocation("a", status="success"), failed))
    score = checks.recovered_from_errors().score(made)
    assert score.comment == (
        "1 of 2 failed calls followed by a successful call of the same tool; not followed: call 3 of 3, b (id c2): error, 'boom'"
    )
    assert score.details == {
        "calls": 3,
        "by": "same_tool",
        "failed": [0, 2],
        "not_recovered": [{"index": 2, "name": "b", "id": "c2", "status": "error"}],
    }


def test_a_crashed_run_could_not_be_scored() -> None:
    assert checks.recovered_from_errors().score(run(("a", "error"), error="boom")).status == "could_not_score"


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(SettingError, match="by must be one of"):
        checks.recovered_from_errors(by="luck")
    assert checks.recovered_from_errors().key != checks.recovered_from_errors(by="text").key
