"""LangChain messages: live objects and every JSON form are one conversation to us."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from langchain_core.load import dumpd, dumps
from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict

from toolcall_evals import ToolInvocation, to_trajectory


def call(name: str, args: Any, id: str | None) -> dict[str, Any]:
    return {"name": name, "args": args, "id": id, "type": "tool_call"}


def ai(*calls: dict[str, Any], content: Any = "", **fields: Any) -> AIMessage:
    return AIMessage(content, tool_calls=list(calls), **fields)


def answer(call_id: str, text: Any, **fields: Any) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call_id, **fields)


CONVERSATION: list[BaseMessage] = [
    SystemMessage("Be brief.", id="s"),
    HumanMessage("1+2? And the weather?", id="h"),
    ai(
        call("add", {"a": 1, "b": 2}, "c1"),
        call("weather", {"city": "Oslo"}, "c2"),
        content="Let me see.",
        id="a1",
        name="agent",
        invalid_tool_calls=[{"type": "invalid_tool_call", "id": "c3", "name": "add", "args": '{"a": 1,', "error": "no JSON"}],
        response_metadata={"finish_reason": "tool_calls"},
        usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    ),
    answer("c2", [{"type": "text", "text": "sun"}, {"type": "text", "text": "22 C"}], name="weather", id="t2", artifact={"raw": [1]}),
    answer("c1", "no adder today", name="add", id="t1", status="error"),
    ai(content="I cannot add.", id="a2", name="agent"),
]

FORMS: dict[str, Any] = {
    "objects": lambda: CONVERSATION,
    "model_dump": lambda: [message.model_dump() for message in CONVERSATION],
    "model_dump as JSON": lambda: json.loads(json.dumps([message.model_dump(mode="json") for message in CONVERSATION])),
    "messages_to_dict": lambda: messages_to_dict(CONVERSATION),
    "dumpd": lambda: [dumpd(message) for message in CONVERSATION],
    "dumps": lambda: dumps({"messages": CONVERSATION}),
    "mixed": lambda: [message if number % 2 else message.model_dump() for number, message in enumerate(CONVERSATION)],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_conversation_is_read_alike(form: str) -> None:
    run = to_trajectory(FORMS[form]())
    assert [(each.name, each.args, each.raw_args, each.id, each.status, each.agent) for each in run.invocations] == [
        ("add", {"a": 1, "b": 2}, None, "c1", "error", "agent"),
        ("weather", {"city": "Oslo"}, None, "c2", "success", "agent"),
        ("add", None, '{"a": 1,', "c3", "invalid", "agent"),
    ]
    assert [each.result for each in run.invocations] == ["no adder today", "sun\n22 C", None]
    assert run.invocations[0].error == "no adder today"
    assert run.invocations[1].artifact == {"raw": [1]}
    assert run.invocations[2].error == "no JSON"
    assert run.texts == ("Let me see.", "I cannot add.")
    assert run.input == "1+2? And the weather?"
    assert [role for role, _ in run.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]


def test_the_callers_messages_are_not_changed() -> None:
    messages = [message.model_dump() for message in CONVERSATION]
    untouched = copy.deepcopy(messages)
    to_trajectory(messages)
    assert messages == untouched


def only(*messages: BaseMessage | dict[str, Any]) -> ToolInvocation:
    (found,) = to_trajectory([HumanMessage("q"), *messages]).invocations
    return found


@pytest.mark.parametrize(
    ("text", "status", "executed"),
    [
        pytest.param("Error: nope is not a valid tool, try one of [add].", "invalid", False, id="unknown tool"),
        pytest.param(
            "Error invoking tool 'nope' with kwargs {'a': 1} with error:\n a: Field required\n Please fix the error and try again.",
            "invalid",
            False,
            id="arguments that do not fit",
        ),
        pytest.param(
            "Error: 1 validation error for nope\na\n  Field required\n Please fix your mistakes.",
            "invalid",
            False,
            id="older wording of it",
        ),
        pytest.param(
            "Error: 1 validation error for User\na\n  Field required\n Please fix your mistakes.",
            "error",
            None,
            id="a model of the tool's own",
        ),
        pytest.param("Error: ValueError('boom')\n Please fix your mistakes.", "error", None, id="the tool raised"),
        pytest.param("Tool call limit exceeded. Do not call 'nope' again.", "rejected", False, id="limit of one tool"),
        pytest.param("Tool call limit exceeded. Do not make additional tool calls.", "rejected", False, id="limit of all"),
        pytest.param("User rejected the tool call for `nope` with id c1", "rejected", False, id="declined without a reason"),
        pytest.param("User rejected the tool call for `nope` with reason: no", "rejected", False, id="declined with a reason"),
        pytest.param("no", "error", None, id="a reviewer's own words look like a failure"),
        pytest.param(
            "Tool call nope with id c1 could not be executed - arguments were malformed or truncated.", "invalid", False, id="unreadable"
        ),
    ],
)
def test_an_error_message_says_who_failed(text: str, status: str, executed: bool | None) -> None:
    found = only(ai(call("nope", {"a": 1}, "c1")), answer("c1", text, status="error"))
    assert (found.status, found.executed, found.result) == (status, executed, text)


def test_a_reviewers_decision_is_marked_beside_the_text() -> None:
    def decided(decision: str, status: str) -> ToolInvocation:
        marks = {"lc_source": "hitl_interrupt_decision", "lc_data": {"decision": decision}}
        return only(ai(call("pay", {}, "c1")), answer("c1", "as you wish", status=status, additional_kwargs=marks))

    assert (decided("reject", "error").status, decided("reject", "error").executed) == ("rejected", False)
    assert (decided("respond", "success").status, decided("respond", "success").executed) == ("success", False)


def test_what_ran_instead_is_read_from_the_notice() -> None:
    notice = (
        "Note: a human reviewer replaced this tool call before it ran. The call recorded in your message is the one you produced, not "
        'the one that executed. Executed instead: weather with arguments {"city": "Rome, \\"Lazio\\""}.\n\nTool response:\nsunny'
    )
    found = only(ai(call("add", {"a": 1}, "c1")), answer("c1", notice, name="weather"))
    assert (found.name, found.args, found.executed_name, found.executed_args) == ("add", {"a": 1}, "weather", {"city": 'Rome, "Lazio"'})
    assert found.status == "success"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Returning structured response: value=3", "success"),
        ("Error: Failed to parse structured output for tool 'Answer': no.\n Please fix your mistakes.", "error"),
        ("Error: Model incorrectly returned multiple structured responses (Answer, B) when only one is expected.", "error"),
    ],
)
def test_an_answer_asked_for_as_a_call_is_no_tool_whatever_its_status_says(text: str, status: str) -> None:
    found = only(ai(call("Answer", {"value": 3}, "c1")), answer("c1", text, name="Answer"))
    assert (found.kind, found.status, found.executed) == ("structured_output", status, False)


@pytest.mark.parametrize(
    ("name", "args", "text", "metadata", "kind"),
    [
        pytest.param("transfer_to_math", {}, "Successfully transferred to math", {}, "handoff", id="by name and text"),
        pytest.param("transfer_to_math", {}, "off you go", {}, "handoff", id="by name, without arguments"),
        pytest.param("transfer_to_math", {"task": "add"}, "Successfully transferred to math", {}, "handoff", id="with a task"),
        pytest.param("ask_math", {"task": "add"}, "ok", {"__handoff_destination": "math"}, "handoff", id="by its marker"),
        pytest.param("transfer_to_savings", {"amount": 3}, "3 booked", {}, "tool", id="a bank's tool"),
        pytest.param("notes", {}, "Successfully transferred to disk", {}, "tool", id="a text alone"),
    ],
)
def test_handoffs_are_told_from_tools(name: str, args: Any, text: str, metadata: Any, kind: str) -> None:
    assert only(ai(call(name, args, "c1")), answer("c1", text, response_metadata=metadata)).kind == kind


@pytest.mark.parametrize(
    ("asked", "named", "ran"), [("look", "dig", "dig"), ("look", "transfer_to_bob", None), ("transfer_to_bob", "look", None)]
)
def test_a_handoffs_name_on_another_calls_answer_is_not_what_ran(asked: str, named: str, ran: str | None) -> None:
    assert only(ai(call(asked, {}, "c1")), answer("c1", "done", name=named)).executed_name == ran


def test_a_call_that_the_provider_could_not_record_is_warned_of() -> None:
    run = to_trajectory([HumanMessage("q"), ai(response_metadata={"finish_reason": "MALFORMED_FUNCTION_CALL"})])
    assert (run.invocations, run.warnings) == ((), ("the model tried a call that the provider did not record (MALFORMED_FUNCTION_CALL)",))


def test_the_failure_of_a_providers_own_tool_is_read_from_standard_blocks_too() -> None:
    failure = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    blocks = [
        {"type": "server_tool_call", "name": "web_search", "args": {"query": "zz"}, "id": "s1"},
        {"type": "server_tool_result", "tool_call_id": "s1", "status": "error", "output": failure},
    ]
    found = only(AIMessage(blocks))
    assert (found.status, found.kind, found.result) == ("error", "server", "max_uses_exceeded")


def test_a_handoff_back_is_the_frameworks_own() -> None:
    marks = {"__is_handoff_back": True}
    found = only(
        ai(call("transfer_back_to_boss", {}, "u"), name="math", response_metadata=marks),
        answer("u", "Successfully transferred back to boss", response_metadata=marks),
    )
    assert (found.kind, found.synthetic, found.agent) == ("handoff", True, "math")


@pytest.mark.parametrize(
    "metadata", [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}, {"finish_reason": "MAX_TOKENS"}, {"status": "incomplete"}]
)
def test_a_token_limit_truncates_the_last_call(metadata: dict[str, Any]) -> None:
    run = to_trajectory([ai(call("a", {"x": 1}, "1"), call("b", {"x": 2}, "2"), response_metadata=metadata)])
    assert [each.truncated for each in run.invocations] == [False, True]


def test_calls_that_only_the_providers_fields_hold_are_read_when_the_lists_are_empty() -> None:
    legacy = {"type": "ai", "content": "", "additional_kwargs": {"function_call": {"name": "add", "arguments": '{"a": 1}'}}}
    found = only(legacy, FunctionMessage("3", name="add"))
    assert (found.name, found.args, found.result, found.status) == ("add", {"a": 1}, "3", "success")
    twice = {"additional_kwargs": {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]}}
    assert only({"type": "ai", "content": "", "tool_calls": [call("add", {}, "c1")], **twice}).id == "c1"


def test_blocks_repeat_client_calls_and_alone_hold_server_calls() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
    ]
    run = to_trajectory([ai(call("add", {"a": 1}, "c1"), content=blocks), answer("c1", "1")])
    assert [(each.name, each.kind, each.status) for each in run.invocations] == [
        ("web_search", "server", "success"),
        ("add", "tool", "success"),
    ]


@pytest.mark.parametrize("id", ["", None, "c1"])
def test_calls_under_one_id_or_none_are_answered_in_order(id: str | None) -> None:
    asked = {"type": "ai", "content": "", "tool_calls": [call("add", {"a": 1}, id), call("add", {"a": 2}, id)]}
    run = to_trajectory([asked, answer(id or "", "one", name="add"), answer(id or "", "two", name="add")])
    assert [(each.args, each.result) for each in run.invocations] == [({"a": 1}, "one"), ({"a": 2}, "two")]


def test_a_message_is_a_repetition_only_with_equal_id_and_content() -> None:
    first, second = ai(call("add", {"a": 1}, "c1"), id="m"), ai(call("add", {"a": 2}, "c2"), id="m")
    assert len(to_trajectory([first, second, copy.deepcopy(first)]).invocations) == 2
    nameless = ai(call("add", {"a": 1}, "c1"))
    assert len(to_trajectory([nameless, copy.deepcopy(nameless)]).invocations) == 2


def test_an_injected_message_begins_no_turn() -> None:
    injected = HumanMessage("by a tool", additional_kwargs={"lc_source": "my_tool"})
    messages = [HumanMessage("q"), ai(call("a", {}, "1")), answer("1", "x"), injected, ai(call("b", {}, "2")), answer("2", "y")]
    assert [each.name for each in to_trajectory(messages, turns="last").invocations] == ["a", "b"]


@pytest.mark.parametrize(
    "broken",
    [
        {"tool_calls": 7},
        {"tool_calls": [None, 3, "x"]},
        {"tool_calls": [{"name": None, "args": "x", "id": []}]},
        {"invalid_tool_calls": [1, {}]},
        {"additional_kwargs": 3, "response_metadata": "x"},
        {"id": ["x"], "name": {}},
        {"content": 3},
        {"content": [None, 3, {"type": 7}]},
        {"content": None},
    ],
    ids=str,
)
def test_broken_fields_never_break_the_reading(broken: dict[str, Any]) -> None:
    run = to_trajectory(
        [{"type": "human", "content": "q"}, {"type": "ai", "content": "", **broken}, {"type": "tool", "content": "x", **broken}]
    )
    assert all(each.status in ("invalid", "success") for each in run.invocations)
