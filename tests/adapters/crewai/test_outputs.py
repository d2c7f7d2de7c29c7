"""What a kickoff returns, as an object and as a dict."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from adapters.crewai.recordings import recording
from toolcall_evals import checks, to_trajectory

FAILING = recording("native_limit_and_declared_failure__crew_output")["payload"]


def _live(value: Any) -> Any:
    """A value as pydantic objects would hold it: mappings with the fields of a model become objects; messages stay dicts."""
    if isinstance(value, dict) and ("tasks_output" in value or "expected_output" in value or "failure" in value or "reason" in value):
        fields = {name: _live(item) for name, item in value.items()}
        return type("Output", (SimpleNamespace,), {"__module__": "crewai.output"})(**fields)
    return [_live(item) for item in value] if isinstance(value, list) else value


def test_an_object_is_read_like_its_dict() -> None:
    live, dumped = to_trajectory(_live(FAILING)), to_trajectory(FAILING)
    assert live.invocations == dumped.invocations
    assert live.texts == dumped.texts


def test_an_output_lists_the_tasks_in_their_order() -> None:
    run = to_trajectory(recording("two_tasks_async__crew_output")["payload"])
    assert [(call.agent, call.task) for call in run.invocations] == [("R0", "ta"), ("R1", "tb")]
    assert run.input == "da\n\ndb"
    assert run.final_text == "B"


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        ({"reason": "tool_reported", "message": "no channel"}, "error"),
        ({"reason": "usage_limit", "message": "no channel"}, "rejected"),
        ({"reason": "unknown_tool", "message": "no channel"}, "invalid"),
        ({"reason": "tool_reported", "message": "another attempt"}, "success"),
    ],
)
def test_a_recorded_failure_corrects_the_call_whose_result_has_its_text(failure: dict[str, str], status: str) -> None:
    task = {
        "description": "d",
        "expected_output": "e",
        "agent": "Ann",
        "raw": "ok",
        "messages": [
            {"role": "user", "content": "d"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "post", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "no channel (code: x)"},
        ],
        "tool_failures": [{"tool_name": "post", "tool_args": {}, "failure": failure}],
    }
    run = to_trajectory(task)
    assert [call.status for call in run.invocations] == [status]
    assert any("is not among the messages" in warning for warning in run.warnings) == (status == "success")


def test_a_task_without_a_name_goes_by_its_description() -> None:
    task = {**recording("two_tasks_async__crew_output")["payload"]["tasks_output"][0], "name": None}
    assert [call.task for call in to_trajectory(task).invocations] == ["da"]


def test_an_output_without_messages_could_not_have_shown_a_call() -> None:
    run = to_trajectory({"raw": "42", "tasks_output": [{"description": "d", "agent": "Ann", "expected_output": "e", "raw": "42"}]})
    assert not run.has_call_record
    assert checks.used_no_tools().score(run).score is None
    assert checks.includes("42").score(run).score == 1.0


def test_the_final_answer_is_added_where_the_messages_do_not_hold_it() -> None:
    """The text path drops the final completion from the messages (crewai 1.14.5 and newer)."""
    messages = recording("react_basic_names__messages")["payload"]["messages"]
    run = to_trajectory({"description": "d", "expected_output": "e", "agent": "Ann", "raw": "the answer", "messages": messages})
    assert run.final_text == "the answer"
    assert any("final completion is not in the messages" in warning for warning in run.warnings)


def test_tokens_are_those_of_the_output() -> None:
    output = {**recording("two_tasks_async__crew_output")["payload"], "token_usage": {"total_tokens": 12, "prompt_tokens": 0}}
    assert to_trajectory(output).usage == {"total_tokens": 12}
