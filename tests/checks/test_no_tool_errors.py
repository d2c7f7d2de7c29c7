from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import ToolInvocation, Trajectory, checks


def passes(**fields: Any) -> bool:
    call = ToolInvocation(**{"name": "search", "status": "success", **fields})
    score = checks.no_tool_errors().score(Trajectory(invocations=(ToolInvocation(name="other", status="success", result="ok"), call)))
    assert score.score is not None
    assert (score.score == 0.0) == ("failed: call 2 of 2, search: " in score.comment)
    return score.score == 1.0


@pytest.mark.parametrize(
    ("fields", "good"),
    [
        pytest.param({"result": "fine"}, True, id="a result"),
        pytest.param({"result": None}, True, id="no result known"),
        pytest.param({"status": "error", "result": "boom"}, False, id="status error"),
        pytest.param({"status": "invalid"}, False, id="status invalid"),
        pytest.param({"status": "pending"}, False, id="left unfinished"),
        pytest.param({"status": "rejected", "result": '{"error": "denied"}', "error": "denied"}, True, id="a rejection"),
        pytest.param({"error": "boom"}, False, id="an error text beside a result"),
        pytest.param({"raw_result": {"error": "boom"}}, False, id="a dict with an error"),
        pytest.param({"raw_result": {"error": {}}}, False, id="an empty object is an error"),
        pytest.param({"raw_result": {"error": []}}, False, id="an empty list is an error"),
        pytest.param({"raw_result": {"error": None}}, True, id="null"),
        pytest.param({"raw_result": {"error": False}}, True, id="false"),
        pytest.param({"raw_result": {"error": 0}}, True, id="zero"),
        pytest.param({"raw_result": {"error": 0.0}}, True, id="zero as a fraction"),
        pytest.param({"raw_result": {"error": ""}}, True, id="an empty text"),
        pytest.param({"raw_result": {"Error": "boom"}}, True, id="another key"),
        pytest.param({"raw_result": {"result": {"error": "boom"}}}, True, id="an error inside"),
        pytest.param({"raw_result": [{"error": "boom"}]}, True, id="a list"),
        pytest.param({"result": '{"error": "boom"}'}, False, id="JSON text"),
        pytest.param({"result": ' \n{"ok": 1, "error" : true}\n'}, False, id="JSON text in white space"),
        pytest.param({"result": '{"\\u0065rror": 1}'}, False, id="a key written with an escape"),
        pytest.param({"result": '{"e\\u0072r\\u006Fr": 1}'}, False, id="a key written with escapes"),
        pytest.param({"result": '{"n": ' + "9" * 5000 + ', "error": "boom"}'}, False, id="beside a huge number"),
        pytest.param({"result": '{"error": 0}'}, True, id="JSON text, zero"),
        pytest.param({"result": '{"error": null, "ok": true}'}, True, id="JSON text, null"),
        pytest.param({"result": '[{"error": "boom"}]'}, True, id="JSON text of a list"),
        pytest.param({"result": '{"error": "boom"'}, True, id="broken JSON"),
        pytest.param({"result": "[" * 5000 + '"error"'}, True, id="deep JSON"),
        pytest.param({"result": '{"error":' + "[" * 100_000}, True, id="deep and broken JSON"),
        pytest.param({"result": "Error: boom"}, True, id="a sentence"),
        pytest.param({"raw_result": '{"error": "boom"}'}, False, id="the value is JSON text"),
        pytest.param({"result": "ok", "raw_result": {"error": "boom"}}, False, id="the value says more than the text"),
    ],
)
def test_what_is_a_tool_error(fields: dict[str, Any], good: bool) -> None:
    assert passes(**fields) == good


def test_the_comment_names_the_calls_and_their_reasons() -> None:
    made = Trajectory(
        invocations=(
            ToolInvocation(name="a", status="error", error="boom", id="c1", message_index=2),
            ToolInvocation(name="b", status="pending"),
            ToolInvocation(name="c", status="success", result='{"error": {"code": 5}}'),
            ToolInvocation(name="d", status="invalid", result="no such tool"),
            ToolInvocation(name="e", status="rejected"),
            ToolInvocation(name="f", status="success", result="Error: not found"),
        )
    )
    score = checks.no_tool_errors().score(made)
    assert score.comment == (
        "4 of 6 calls failed: call 1 of 6, a (id c1, message 2): error, 'boom'; call 2 of 6, b: left unfinished; "
        "call 3 of 6, c: its result has the error {'code': 5}; and 1 more; "
        "not counted: a result that reads like an error (call 6 of 6, f: 'Error: not found'); 1 rejected call, no tool error"
    )
    assert [(each["index"], each["name"], each["id"]) for each in score.details["failed"]] == [
        (0, "a", "c1"),
        (1, "b", None),
        (2, "c", None),
        (3, "d", None),
    ]
    assert score.details["reads_like_an_error"] == [5]


def test_a_run_without_calls_has_no_errors() -> None:
    assert checks.no_tool_errors().score(Trajectory()).comment == "0 of 0 calls failed"
    assert checks.no_tool_errors().score(Trajectory()).score == 1.0
    assert checks.no_tool_errors().score("text").score is None


def test_it_looks_at_tools_and_server_tools_unless_told_otherwise() -> None:
    made = Trajectory(invocations=(ToolInvocation(name="hand", kind="handoff", status="pending", agent="a"),))
    assert checks.no_tool_errors().score(made).score == 1.0
    assert checks.no_tool_errors(kinds=["tool", "handoff"]).score(made).score == 0.0
    assert checks.no_tool_errors(kinds="all", agent="b").score(made).score == 1.0


def test_a_crashed_run_never_passes() -> None:
    failed = ToolInvocation(name="a", status="error", error="boom")
    assert checks.no_tool_errors().score(Trajectory(error="crash", invocations=(failed,))).score == 0.0
    assert checks.no_tool_errors().score(Trajectory(error="crash")).comment == "the run crashed before it was over: crash"
