from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks


def call(name: str, status: Any = "success", message: int | None = None, **args: Any) -> ToolInvocation:
    return ToolInvocation(name=name, args=args, status=status, message_index=message)


def run(*calls: ToolInvocation, **fields: Any) -> Trajectory:
    return Trajectory(invocations=calls, **fields)


@pytest.mark.parametrize(
    ("calls", "passes"),
    [
        pytest.param([], True, id="no calls"),
        pytest.param([call("search", q="cats"), call("search", q="dogs")], True, id="other arguments"),
        pytest.param([call("search", q="cats"), call("find", q="cats")], True, id="another tool"),
        pytest.param([call("search", q="cats"), call("search", q="cats")], False, id="same call twice"),
        pytest.param([call("search", q="cats"), call("open"), call("search", q="cats")], False, id="not only neighbours"),
        pytest.param([call("search", a=1, b=2), call("search", b=2, a=1)], False, id="other order of keys"),
        pytest.param([call("search", n=1), call("search", n=1.0)], False, id="1 equals 1.0"),
        pytest.param([call("search", n=1), call("search", n="1")], True, id="1 is not '1'"),
        pytest.param([call("search", n=1), call("search", n=True)], True, id="1 is not True"),
        pytest.param([call("search", q="é"), call("search", q="e\u0301")], False, id="composed or not"),
        pytest.param([call("search", "error", q="cats"), call("search", q="cats")], True, id="retry after an error"),
        pytest.param([call("search", "pending", q="cats"), call("search", q="cats")], True, id="asked again after an interruption"),
        pytest.param([call("search", "error", 1, q="cats"), call("search", "success", 1, q="cats")], False, id="twice at once is no retry"),
        pytest.param([call("pay", "success", n=1), call("pay", "rejected", n=1)], False, id="a refused repeat"),
        pytest.param([call("pay", "rejected", n=1), call("pay", n=1)], True, id="asked again after a refusal"),
        pytest.param([call("search", q="a"), call("search", "hallucinated", q="a")], True, id="a hallucinated call is none"),
        pytest.param([ToolInvocation("ask", raw_args="x"), ToolInvocation("ask", raw_args="y")], True, id="other texts"),
        pytest.param([ToolInvocation("ask", raw_args="x", status="success")] * 2, False, id="the same text"),
    ],
)
def test_a_repeat_is_the_same_name_and_arguments_after_a_success(calls: list[ToolInvocation], passes: bool) -> None:
    assert checks.no_redundant_calls().score(run(*calls)).score == passes


def test_a_result_that_states_an_error_may_be_retried() -> None:
    failed = ToolInvocation("search", {"q": 1}, status="success", result='{"error": "busy"}')
    assert checks.no_redundant_calls().score(run(failed, call("search", q=1))).score == 1.0


def test_the_comment_says_which_call_repeats_which() -> None:
    score = checks.no_redundant_calls().score(run(call("a", x=1), call("b"), call("a", x=1), call("a", x=1)))
    assert score.comment == "2 of 4 calls repeated an earlier one: call 3 of 4, a repeats call 1; call 4 of 4, a repeats call 3"
    assert score.details["repeats"][0] == {"index": 2, "name": "a", "id": None, "args": {"x": 1}, "repeats": 0}


def test_some_tools_may_repeat() -> None:
    polled = run(call("poll", id=1), call("poll", id=1))
    assert checks.no_redundant_calls(ignore=["poll"]).score(polled).score == 1.0
    assert checks.no_redundant_calls(ignore=["other"]).score(polled).score == 0.0
    keys = {checks.no_redundant_calls(ignore=names).key for names in ([], ["a"], ["a", "b"], ["a:b"], ["a.b"])}
    assert len(keys) == 5
    with pytest.raises(SettingError, match="ignore must be a list of tool names"):
        checks.no_redundant_calls(ignore="poll")


def test_arguments_that_cannot_be_compared_are_told_and_no_repeats() -> None:
    odd: Any = bytearray(b"x")
    score = checks.no_redundant_calls().score(run(call("a", x=odd), call("a", x=odd)))
    assert score.score == 1.0
    assert "2 whose arguments cannot be compared (call 1 of 2, a)" in score.comment


def test_a_crashed_run_never_passes() -> None:
    assert checks.no_redundant_calls().score(run(call("a"), call("a"), error="boom")).score == 0.0
    assert checks.no_redundant_calls().score(run(call("a"), error="boom")).score is None
