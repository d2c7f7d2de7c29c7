"""Items of OpenAI's Responses API."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import ToolInvocation, to_trajectory

USER = {"role": "user", "content": "go"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "add", "arguments": '{"a": 1}', "status": "completed"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "3"}
SAYS = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "done", "annotations": []}]}


def read(*items: Any) -> tuple[ToolInvocation, ...]:
    return to_trajectory([USER, *items]).invocations


def test_a_conversation_of_items():
    run = to_trajectory([USER, {"type": "reasoning", "id": "rs_1", "summary": []}, CALL, OUTPUT, SAYS])
    (call,) = run.invocations
    assert (call.name, call.args, call.id, call.result, call.status, call.kind) == ("add", {"a": 1}, "c1", "3", "success", "tool")
    assert (run.input, run.final_text, run.warnings) == ("go", "done", ())


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ("3", "3"),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb"),
        ({"x": 1}, '{"x": 1}'),
    ],
    ids=["text", "blocks", "object"],
)
def test_what_the_model_saw_of_a_result(output, result):
    assert read(CALL, {**OUTPUT, "output": output})[0].result == result


def test_a_custom_tool_takes_one_plain_text():
    asked = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "sql", "input": "SELECT 1"}
    (call,) = read(asked, {"type": "custom_tool_call_output", "call_id": "c", "output": "1 row"})
    assert (call.args, call.raw_args, call.status, call.result) == (None, "SELECT 1", "success", "1 row")


def test_a_call_that_was_cut_off_is_truncated_and_its_broken_arguments_invalid():
    (call,) = read({**CALL, "arguments": '{"a":1,', "status": "incomplete"})
    assert (call.args, call.raw_args, call.status, call.truncated) == (None, '{"a":1,', "invalid", True)


@pytest.mark.parametrize(
    ("item", "name", "args", "result", "status"),
    [
        pytest.param(
            {"type": "web_search_call", "id": "ws", "action": {"type": "search", "query": "q"}, "status": "completed"},
            *("web_search", {"type": "search", "query": "q"}, None, "success"),
            id="web search: what it found only the model saw",
        ),
        pytest.param(
            {"type": "file_search_call", "id": "fs", "queries": ["q"], "status": "completed", "results": [{"file_id": "f", "text": "t"}]},
            *("file_search", {"queries": ["q"]}, None, "success"),
            id="file search",
        ),
        pytest.param(
            {
                "type": "code_interpreter_call",
                "id": "ci",
                "code": "print(1)",
                "outputs": [{"type": "logs", "logs": "1"}],
                "status": "completed",
            },
            *("code_interpreter", {"code": "print(1)"}, "1", "success"),
            id="code",
        ),
        pytest.param(
            {"type": "mcp_call", "id": "mcp", "name": "roll", "arguments": '{"n":1}', "server_label": "dnd", "output": "4"},
            *("roll", {"n": 1}, "4", "success"),
            id="MCP, no status stated",
        ),
        pytest.param(
            {
                "type": "mcp_call",
                "id": "mcp",
                "name": "roll",
                "arguments": "{}",
                "server_label": "dnd",
                "error": "denied",
                "status": "failed",
            },
            *("roll", {}, "denied", "error"),
            id="MCP, failed with a text",
        ),
        pytest.param(
            {
                "type": "mcp_call",
                "id": "m",
                "name": "roll",
                "arguments": "{}",
                "error": {"type": "http_error", "code": 500, "message": "no"},
            },
            *("roll", {}, "no", "error"),
            id="MCP, failed with an object",
        ),
        pytest.param(
            {
                "type": "image_generation_call",
                "id": "ig",
                "status": "completed",
                "result": "AAAA",
                "revised_prompt": "a cat",
                "size": "auto",
            },
            *("image_generation", {"revised_prompt": "a cat"}, None, "success"),
            id="image",
        ),
        pytest.param(
            {"type": "web_search_call", "id": "ws", "action": {"type": "search", "query": "q"}, "status": "searching"},
            *("web_search", {"type": "search", "query": "q"}, None, "pending"),
            id="not finished",
        ),
        pytest.param({"type": "web_search_call", "id": "ws", "status": "failed"}, *("web_search", {}, None, "error"), id="failed"),
    ],
)
def test_openais_own_tools_are_a_call_and_its_result_in_one_item(item, name, args, result, status):
    (call,) = read(item, SAYS)
    assert (call.name, call.args, call.result, call.status, call.kind, call.id) == (name, args, result, status, "server", item["id"])


def test_what_only_the_provider_can_read_is_kept_as_the_value():
    (call,) = read({"type": "file_search_call", "id": "fs", "queries": ["q"], "status": "completed", "results": [{"file_id": "f"}]})
    assert call.raw_result == [{"file_id": "f"}]


@pytest.mark.parametrize(
    ("asked", "answered", "name", "kind"),
    [
        pytest.param(
            {"type": "computer_call", "id": "cu", "call_id": "c", "action": {"type": "click"}},
            {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot"}},
            *("computer", "tool"),
            id="computer",
        ),
        pytest.param(
            {"type": "local_shell_call", "id": "ls", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "c", "output": "a"},
            *("local_shell", "tool"),
            id="local shell: the output's id is the call's",
        ),
        pytest.param(
            {"type": "apply_patch_call", "id": "ap", "call_id": "c", "operation": {"type": "create_file"}},
            {"type": "apply_patch_call_output", "call_id": "c", "status": "completed", "output": "ok"},
            *("apply_patch", "tool"),
            id="patch",
        ),
        pytest.param(
            {"type": "tool_search_call", "id": "ts", "call_id": None, "execution": "server", "arguments": {"q": 1}, "status": "completed"},
            {"type": "tool_search_output", "id": "to", "call_id": None, "execution": "server", "tools": [], "status": "completed"},
            *("tool_search", "server"),
            id="tool search: nothing but the kind ties the two",
        ),
    ],
)
def test_some_of_openais_tools_are_answered_in_an_item_of_their_own(asked, answered, name, kind):
    assert read(asked)[0].status == "pending"
    (call,) = read(asked, answered)
    assert (call.name, call.kind, call.status) == (name, kind, "success")


def test_a_patch_that_failed_is_an_error():
    asked = {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "create_file"}}
    (call,) = read(asked, {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no such file"})
    assert (call.status, call.error) == ("error", "no such file")


APPROVAL = {"type": "mcp_approval_request", "id": "ap", "name": "roll", "arguments": '{"n": 1}', "server_label": "dnd"}


@pytest.mark.parametrize(
    ("items", "status", "result"),
    [
        pytest.param([APPROVAL], "pending", None, id="nobody answered"),
        pytest.param(
            [APPROVAL, {"type": "mcp_approval_response", "approval_request_id": "ap", "approve": True}], "pending", None, id="allowed"
        ),
        pytest.param(
            [APPROVAL, {"type": "mcp_approval_response", "approval_request_id": "ap", "approve": False, "reason": "no"}],
            *("rejected", "no"),
            id="refused",
        ),
        pytest.param(
            [
                APPROVAL,
                {"type": "mcp_approval_response", "approval_request_id": "ap", "approve": True},
                {"type": "mcp_call", "id": "m", "approval_request_id": "ap", "name": "roll", "arguments": '{"n": 1}', "output": "4"},
            ],
            *("success", "4"),
            id="allowed and run: one call",
        ),
    ],
)
def test_a_call_that_a_person_is_asked_about(items, status, result):
    (call,) = read(*items)
    assert (call.name, call.args, call.status, call.result, call.kind) == ("roll", {"n": 1}, status, result, "server")


def test_a_whole_response_with_what_was_asked():
    run = to_trajectory(
        {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "instructions": "be brief",
            "input": "go",
            "tools": [{"type": "function", "name": "add", "parameters": {"type": "object"}}, {"type": "web_search"}],
            "usage": {"total_tokens": 5},
            "output": [SAYS, CALL],
        }
    )
    assert [(call.name, call.truncated) for call in run.invocations] == [("add", True)]
    assert (run.input, run.texts, run.usage) == ("go", ("done",), {"total_tokens": 5})
    assert run.messages[0] == ("system", "be brief")
    assert [tool.name for tool in run.available_tools or ()] == ["add", "web_search"]


def test_a_response_that_failed_is_a_crashed_run():
    run = to_trajectory({"object": "response", "status": "failed", "error": {"code": "server_error", "message": "sorry"}, "output": []})
    assert (run.error, run.invocations) == ("sorry", ())


def test_input_and_output_are_one_conversation():
    run = to_trajectory({"input": [USER, CALL, OUTPUT], "output": [SAYS]})
    assert [call.result for call in run.invocations] == ["3"]
    assert run.texts[-1] == "done"


def test_a_call_follows_the_text_of_its_message():
    run = to_trajectory([USER, SAYS, CALL])
    assert run.texts == ("done",)
    assert to_trajectory([USER, SAYS, CALL], turns="last").invocations == run.invocations


def test_live_objects_of_the_library_are_read_like_their_json():
    responses = pytest.importorskip("openai.types.responses")
    response = responses.Response.model_validate(
        {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "output": [CALL],
        }
    )
    assert read(*response.output, OUTPUT) == read(response, OUTPUT) == read(CALL, OUTPUT)
