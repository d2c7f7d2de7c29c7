"""Gemini's contents."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import to_trajectory


def content(role: str | None, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args}}


def response(name: str, value: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": value}}


USER = content("user", {"text": "go"})


def test_a_conversation_in_camel_and_in_snake_case():
    camel = [USER, content("model", {"text": "I "}, {"text": "add."}, call("add", a=1)), content("user", response("add", {"result": "3"}))]
    snake = [
        USER,
        content("model", {"text": "I add.", "function_call": None}, {"function_call": {"id": None, "name": "add", "args": {"a": 1}}}),
        content("user", {"function_response": {"name": "add", "response": {"result": "3"}}}),
    ]
    run = to_trajectory(camel)
    assert [(each.name, each.args, each.result, each.status) for each in run.invocations] == [("add", {"a": 1}, "3", "success")]
    assert (run.input, run.texts) == ("go", ("I add.",))
    assert to_trajectory(snake).invocations == run.invocations


def test_results_go_by_name_then_by_order():
    asked = content("model", call("f", n=1), call("g"), call("f", n=2))
    answered = content("user", response("g", {"result": "g"}), response("f", {"result": "1"}), response("f", {"result": "2"}))
    assert [(each.name, each.result) for each in to_trajectory([USER, asked, answered]).invocations] == [("f", "1"), ("g", "g"), ("f", "2")]


def test_ids_go_before_names():
    asked = content("model", {"functionCall": {"id": "a", "name": "f"}}, {"functionCall": {"id": "b", "name": "f"}})
    answered = content("user", {"functionResponse": {"id": "b", "name": "f", "response": {"result": "2"}}})
    assert [each.result for each in to_trajectory([USER, asked, answered]).invocations] == [None, "2"]


@pytest.mark.parametrize(
    ("value", "status", "text"),
    [
        pytest.param({"result": "3"}, "success", "3", id="under result, alone (ADK)"),
        pytest.param({"output": 3}, "success", "3", id="under output, alone (the API's)"),
        pytest.param({"result": 3, "unit": "C"}, "success", '{"result": 3, "unit": "C"}', id="an object"),
        pytest.param({"error": "no such city"}, "error", "no such city", id="an error"),
        pytest.param({"error": {"code": 5}}, "error", '{"code": 5}', id="an error that is an object"),
        pytest.param({"error": None, "x": 1}, "success", '{"error": null, "x": 1}', id="an error that is none"),
        pytest.param({}, "success", "{}", id="an empty object"),
        pytest.param(None, "success", None, id="nothing"),
    ],
)
def test_results(value, status, text):
    (each,) = to_trajectory([USER, content("model", call("f")), content("user", response("f", value))]).invocations
    assert (each.status, each.result, each.raw_result) == (status, text, value)


def test_a_users_content_of_results_begins_no_turn():
    run = to_trajectory([USER, content("model", call("f")), content("user", response("f", {"result": "1"})), content("model", call("g"))])
    assert [each.turn for each in run.invocations] == [0, 0]


@pytest.mark.parametrize("role", ["function", "tool"])
def test_results_may_have_a_role_of_their_own(role):
    (each,) = to_trajectory([USER, content("model", call("f")), content(role, response("f", {"result": "1"}))]).invocations
    assert each.result == "1"


def test_without_a_role_the_first_content_is_the_users_and_others_are_the_models():
    run = to_trajectory([content(None, {"text": "go"}), content(None, call("f")), content(None, {"text": "done"})])
    assert (run.input, run.texts, [each.name for each in run.invocations]) == ("go", ("", "done"), ["f"])


def test_thoughts_are_no_text():
    assert to_trajectory([USER, content("model", {"text": "hm", "thought": True}, {"text": "done"})]).texts == ("done",)


@pytest.mark.parametrize(("outcome", "status"), [("OUTCOME_OK", "success"), ("OUTCOME_FAILED", "error"), ("Outcome.OUTCOME_OK", "success")])
def test_code_that_gemini_runs_itself(outcome, status):
    ran = content(
        "model",
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": outcome, "output": "1"}},
    )
    (each,) = to_trajectory([USER, ran]).invocations
    assert (each.name, each.args, each.kind) == ("code_execution", {"language": "PYTHON", "code": "print(1)"}, "server")
    assert (each.status, each.result) == (status, "1")


def test_searches_that_gemini_does_not_list_as_calls_are_warned_of():
    run = to_trajectory([USER, content("model", {"toolCall": {"id": "x", "toolType": "GOOGLE_SEARCH_WEB"}}, {"text": "so"})])
    assert (run.invocations, run.texts) == ((), ("so",))
    assert run.warnings == ("not read: searches of Gemini's own, which it does not list as calls (1)",)


def test_a_request_with_its_response():
    run = to_trajectory(
        {
            "systemInstruction": {"parts": [{"text": "be brief"}]},
            "contents": [USER],
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}, {"name": "g"}]}],
            "candidates": [
                {"content": content("model", call("f"), call("g")), "finishReason": "MAX_TOKENS"},
                {"content": content("model", call("f"))},
            ],
        }
    )
    assert [(each.name, each.truncated) for each in run.invocations] == [("f", False), ("g", True)]
    assert run.messages[0] == ("system", "be brief")
    assert [tool.name for tool in run.available_tools or ()] == ["f", "g"]
    assert run.warnings == ("not read: alternative answers (1)",)


def test_a_call_that_the_provider_could_not_record_is_warned_of():
    run = to_trajectory({"contents": [USER], "candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})
    assert run.invocations == ()
    assert run.warnings == ("the model tried a call that the provider did not record (MALFORMED_FUNCTION_CALL)",)


def test_arguments_that_are_left_out_are_none():
    (each,) = to_trajectory([USER, content("model", {"functionCall": {"name": "f"}})]).invocations
    assert (each.args, each.status) == ({}, "pending")


def test_a_response_is_read_by_its_first_answer():
    first = content(None, {"text": "I add."}, call("add", a=1))
    found = to_trajectory([{"candidates": [{"content": first, "finishReason": "STOP"}, {"content": content("model", {"text": "no"})}]}])
    assert ([each.name for each in found.invocations], found.texts) == (["add"], ("I add.",))
    assert any("alternative answer" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "other", [{"candidates": []}, {"candidates": ["x"]}, {"candidates": [{"content": "text"}]}, {"role": "judge", "parts": []}]
)
def test_what_is_no_content_is_said_beside_what_is(other):
    found = to_trajectory([USER, content("model", call("add", a=1)), other], form="gemini")
    assert [each.name for each in found.invocations] == ["add"]
    assert found.warnings


def test_a_system_content_is_no_request():
    found = to_trajectory([content("system", {"text": "Add."}), USER, content("model", call("add", a=1))])
    assert found.input == "go"


def test_a_result_among_the_models_own_parts_is_the_result_and_texts_may_stand_bare():
    found = to_trajectory([USER, content("model", "I add.", call("add", a=1), response("add", {"output": 3}))])
    assert [(each.result, each.status) for each in found.invocations] == [("3", "success")]
    assert found.texts == ("I add.",)


@pytest.mark.parametrize(
    ("error", "status"), [("", "success"), (False, "success"), (None, "success"), ("no", "error"), ({"code": 1}, "error")]
)
def test_an_empty_error_beside_a_result_is_none(error, status):
    found = to_trajectory([USER, content("model", call("add", a=1)), content("user", response("add", {"output": "3", "error": error}))])
    assert [each.status for each in found.invocations] == [status]
