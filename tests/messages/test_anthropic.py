"""Anthropic's messages, and Bedrock's Converse."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import to_trajectory

USER = {"role": "user", "content": "go"}
USE = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}}


def assistant(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks), **more}


def result(id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def test_a_conversation():
    run = to_trajectory(
        [USER, assistant({"type": "text", "text": "I add."}, USE), user(result("t1", "3")), assistant({"type": "text", "text": "3"})]
    )
    (call,) = run.invocations
    assert (call.name, call.args, call.id, call.result, call.status) == ("add", {"a": 1}, "t1", "3", "success")
    assert (run.input, run.texts) == ("go", ("I add.", "3"))


def test_a_users_message_of_results_begins_no_turn():
    whole = [
        USER,
        assistant(USE),
        user(result("t1", "3")),
        assistant({**USE, "id": "t2"}),
        user(result("t2", "4"), {"type": "text", "text": "go on"}),
    ]
    run = to_trajectory(whole, turns="last")
    assert [(call.turn, call.result) for call in run.invocations] == [(0, "3"), (0, "4")]
    assert ("user", "go on") in run.messages


@pytest.mark.parametrize(
    ("content", "more", "status", "text"),
    [
        pytest.param("3", {}, "success", "3", id="a text"),
        pytest.param([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], {}, "success", "a\nb", id="blocks"),
        pytest.param(None, {}, "success", None, id="nothing"),
        pytest.param("boom", {"is_error": True}, "error", "boom", id="declared a failure"),
        pytest.param("3", {"is_error": False}, "success", "3", id="declared no failure"),
    ],
)
def test_results(content, more, status, text):
    (call,) = to_trajectory([USER, assistant(USE), user(result("t1", content, **more))]).invocations
    assert (call.status, call.result, call.error) == (status, text, text if status == "error" else None)


SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}


@pytest.mark.parametrize(
    ("use", "answer", "status", "text"),
    [
        pytest.param(
            SEARCH,
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "encrypted_content": "e"}]},
            *("success", None),
            id="what it found only the model saw",
        ),
        pytest.param(
            SEARCH,
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
            },
            *("error", "max_uses_exceeded"),
            id="failed",
        ),
        pytest.param(
            {**SEARCH, "name": "bash_code_execution", "input": {"command": "ls"}},
            {
                "type": "bash_code_execution_tool_result",
                "tool_use_id": "s1",
                "content": {"type": "bash_code_execution_result", "stdout": "a", "stderr": "", "return_code": 0, "content": []},
            },
            *("success", None),
            id="a structured result is the value",
        ),
        pytest.param(
            {"type": "mcp_tool_use", "id": "s1", "name": "echo", "server_name": "srv", "input": {"p": "v"}},
            {"type": "mcp_tool_result", "tool_use_id": "s1", "is_error": False, "content": [{"type": "text", "text": "Hello"}]},
            *("success", "Hello"),
            id="MCP",
        ),
        pytest.param(
            {"type": "mcp_tool_use", "id": "s1", "name": "echo", "server_name": "srv", "input": {"p": "v"}},
            {"type": "mcp_tool_result", "tool_use_id": "s1", "is_error": True, "content": [{"type": "text", "text": "no"}]},
            *("error", "no"),
            id="MCP, failed",
        ),
    ],
)
def test_anthropics_own_tools_are_answered_inside_the_message(use, answer, status, text):
    run = to_trajectory([USER, assistant(use, answer, {"type": "text", "text": "so"}, USE)])
    own, ours = run.invocations
    assert (own.name, own.args, own.kind, own.status, own.result) == (use["name"], use["input"], "server", status, text)
    assert (ours.name, ours.kind, ours.status) == ("add", "tool", "pending")
    assert run.messages == (("user", "go"), ("assistant", "so"))


def test_an_own_tool_may_be_answered_in_a_later_message():
    later = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    first, second = to_trajectory([USER, assistant(SEARCH, USE), user(result("t1", "3")), assistant(later)]).invocations
    assert (first.name, first.status, second.name, second.status) == ("web_search", "success", "add", "success")


def test_a_result_of_an_own_tool_without_its_request_is_the_servers():
    (call,) = to_trajectory([USER, assistant({"type": "web_search_tool_result", "tool_use_id": "s9", "content": []})]).invocations
    assert (call.name, call.kind, call.args) == ("web_search", "server", None)


@pytest.mark.parametrize(("reason", "cut"), [("max_tokens", True), ("tool_use", False)])
def test_a_whole_response_that_hit_the_limit_has_a_truncated_call(reason, cut):
    (call,) = to_trajectory({"id": "msg", "type": "message", **assistant(USE), "stop_reason": reason}).invocations
    assert (call.name, call.truncated) == ("add", cut)


def test_a_request_with_its_system_text_and_tools():
    run = to_trajectory(
        {
            "system": [{"type": "text", "text": "be brief"}],
            "messages": [USER],
            "tools": [{"name": "add", "input_schema": {"type": "object"}}],
        }
    )
    assert run.messages == (("system", "be brief"), ("user", "go"))
    assert [(tool.name, tool.parameters) for tool in run.available_tools or ()] == [("add", {"type": "object"})]


def test_a_call_that_is_listed_beside_the_blocks_too_is_read_once():
    listed = [{"id": "t1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}]
    assert [call.name for call in to_trajectory([USER, {**assistant(SEARCH, USE), "tool_calls": listed}]).invocations] == [
        "web_search",
        "add",
    ]


def test_input_that_is_no_object_is_invalid():
    (call,) = to_trajectory([USER, assistant({**USE, "input": [1]})]).invocations
    assert (call.args, call.raw_args, call.status) == (None, "[1]", "invalid")


def test_a_block_that_nobody_knows_is_counted_in_the_warnings():
    run = to_trajectory([USER, assistant({"type": "telepathy"}, {"type": "telepathy"}, USE)])
    assert [call.name for call in run.invocations] == ["add"]
    assert run.warnings == ("not read: content blocks of type 'telepathy' (2)",)


@pytest.mark.parametrize(("stated", "status"), [("success", "success"), ("error", "error"), (None, "success")])
def test_bedrock_converse_writes_the_same_blocks_its_own_way(stated, status):
    use = {"toolUse": {"toolUseId": "a", "name": "sum", "input": {"v": [1, 2]}}}
    answer = {"toolResult": {"toolUseId": "a", "content": [{"text": "3"}, {"json": {"x": 1}}], **({"status": stated} if stated else {})}}
    run = to_trajectory([user({"text": "sum"}), assistant({"text": "ok"}, use), user(answer)])
    (call,) = run.invocations
    assert (call.name, call.args, call.status, call.result) == ("sum", {"v": [1, 2]}, status, '3\n{"x": 1}')
    assert (run.input, run.texts) == ("sum", ("ok",))
