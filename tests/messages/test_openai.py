"""Chat messages by role."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcall_evals import ToolInvocation, to_trajectory

USER = {"role": "user", "content": "go"}


def asks(*calls: tuple[str | None, str, Any], **more: Any) -> dict[str, Any]:
    """An assistant's message with calls, each (id, name, arguments)."""
    stated = [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} for id, name, arguments in calls]
    return {"role": "assistant", "content": None, "tool_calls": stated, **more}


def answers(id: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def read(*messages: Any) -> tuple[ToolInvocation, ...]:
    return to_trajectory([USER, *messages]).invocations


@pytest.mark.parametrize(
    ("stated", "args", "raw", "status"),
    [
        pytest.param('{"a": 1}', {"a": 1}, None, "success", id="an object's text"),
        pytest.param({"a": 1}, {"a": 1}, None, "success", id="an object (Ollama)"),
        pytest.param(' {"a": 1}\n', {"a": 1}, None, "success", id="white space around it"),
        pytest.param("", {}, None, "success", id="no text means no arguments"),
        pytest.param("null", {}, None, "success", id="null means no arguments"),
        pytest.param(None, {}, None, "success", id="None means no arguments"),
        pytest.param("[1]", None, "[1]", "invalid", id="a list's text"),
        pytest.param("3", None, "3", "invalid", id="a number's text"),
        pytest.param('{"a": 1', None, '{"a": 1', "invalid", id="cut off"),
        pytest.param('{"a":1}{"a":1}', None, '{"a":1}{"a":1}', "invalid", id="two objects"),
        pytest.param('"{}"', None, '"{}"', "invalid", id="an object's text as a text"),
        pytest.param([1], None, "[1]", "invalid", id="a list"),
        pytest.param(3, None, "3", "invalid", id="a number"),
    ],
)
def test_arguments_that_are_no_object_are_kept_as_text_and_invalid_even_when_answered(stated, args, raw, status):
    (call,) = read(asks(("c1", "add", stated)), answers("c1", "3"))
    assert (call.args, call.raw_args, call.status, call.result) == (args, raw, status, "3")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [asks(("a", "f", "{}"), ("b", "g", "{}")), answers("b", "2"), answers("a", "1")],
            [("f", "1"), ("g", "2")],
            id="by id, whatever the order",
        ),
        pytest.param(
            [asks(("a", "f", "{}")), answers("a", "1"), asks(("a", "f", "{}")), answers("a", "2")],
            [("f", "1"), ("f", "2")],
            id="an id that is used again",
        ),
        pytest.param(
            [asks(("a", "f", "{}"), ("a", "g", "{}")), answers("a", "2", name="g"), answers("a", "1", name="f")],
            [("f", "1"), ("g", "2")],
            id="one id twice in a message, by name",
        ),
        pytest.param(
            [asks(("a", "f", "{}"), ("a", "f", "{}")), answers("a", "1"), answers("a", "2")],
            [("f", "1"), ("f", "2")],
            id="one id twice in a message, in order",
        ),
        pytest.param(
            [asks((None, "f", "{}"), (None, "g", "{}")), answers(None, "1"), answers(None, "2")],
            [("f", "1"), ("g", "2")],
            id="no ids, in order",
        ),
        pytest.param(
            [asks(("", "f", "{}"), ("", "g", "{}")), answers("", "2", name="g"), answers("", "1", name="f")],
            [("f", "1"), ("g", "2")],
            id="empty ids, by name",
        ),
        pytest.param([asks((None, "f", "{}")), answers("x", "1", name="f")], [("f", "1")], id="only the result has an id"),
        pytest.param([asks(("x", "f", "{}")), answers(None, "1", name="f")], [("f", "1")], id="only the call has an id"),
        pytest.param([asks((None, "f", "{}")), answers(None, "1", tool_name="f")], [("f", "1")], id="tool_name (Ollama)"),
        pytest.param([asks((7, "f", "{}")), answers(7, "1")], [("f", "1")], id="numbers for ids"),  # type: ignore[arg-type]
        pytest.param([asks(("a", "f", "{}"))], [("f", None)], id="no result"),
        pytest.param([answers("a", "1", name="f")], [("f", "1")], id="no request"),
        pytest.param(
            [asks(("a", "f", "{}")), answers("z", "9", name="g")],
            [("f", None), ("g", "9")],
            id="a result of another id and name answers no other call",
        ),
    ],
)
def test_results_find_their_calls(messages, expected):
    assert [(call.name, call.result) for call in read(*messages)] == expected


def test_a_result_without_a_request_has_no_arguments_and_is_warned_of():
    run = to_trajectory([USER, answers("a", "1", name="f")])
    assert (run.invocations[0].args, run.invocations[0].status) == (None, "success")
    assert run.warnings == ("a result of f has no request in this record",)


def test_a_custom_tool_takes_one_plain_text():
    message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}]}
    (call,) = read(message, answers("c", "1 row"))
    assert (call.name, call.args, call.raw_args, call.status) == ("sql", None, "SELECT 1", "success")


def test_the_older_function_call_is_answered_by_name():
    asked = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}}
    (call,) = read(asked, {"role": "function", "name": "f", "content": "1"})
    assert (call.name, call.args, call.id, call.status, call.result) == ("f", {"a": 1}, None, "success", "1")


def test_a_function_call_that_only_repeats_a_tool_call_is_not_read_again():
    assert len(read({**asks(("a", "f", "{}")), "function_call": {"name": "f", "arguments": "{}"}})) == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [
        pytest.param({"content": "hello"}, "hello", id="a text"),
        pytest.param({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", id="blocks, without separator"),
        pytest.param({"content": None}, "", id="None"),
        pytest.param({}, "", id="no content at all"),
        pytest.param({"content": None, "refusal": "I cannot."}, "I cannot.", id="a refusal"),
        pytest.param({"content": [{"type": "refusal", "refusal": "No."}]}, "No.", id="a refusal in a block"),
        pytest.param({"content": {"type": "text", "text": "Yes."}}, "Yes.", id="one block that is in no list"),
        pytest.param({"content": None, "audio": {"id": "x", "transcript": "spoken"}}, "spoken", id="what it spoke"),
        pytest.param({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]}, "a", id="thoughts are no text"),
    ],
)
def test_what_the_assistant_says(message, text):
    run = to_trajectory([USER, {"role": "assistant", **message}])
    assert (run.texts, run.warnings) == ((text,), ())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("3", "3", id="a text"),
        pytest.param([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", id="blocks, a line each"),
        pytest.param({"a": 1}, '{"a": 1}', id="an object"),
        pytest.param(None, None, id="None"),
        pytest.param(
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}],
            'a\n{"type": "image_url", "image_url": {"url": "u"}}',
            id="an image",
        ),
    ],
)
def test_what_the_model_saw_of_a_result(content, text):
    (call,) = read(asks(("a", "f", "{}")), answers("a", content))
    assert (call.result, call.status) == (text, "success")


@pytest.mark.parametrize("mark", [{"status": "error"}, {"is_error": True}], ids=["status", "is_error"])
def test_a_result_that_is_marked_as_a_failure_is_an_error(mark):
    (call,) = read(asks(("a", "f", "{}")), answers("a", "boom", **mark))
    assert (call.status, call.error) == ("error", "boom")


def test_a_result_that_only_reads_like_a_failure_is_a_success():
    assert read(asks(("a", "f", "{}")), answers("a", "Error: boom"))[0].status == "success"


def test_the_name_of_an_assistant_is_the_agent():
    assert read(asks(("a", "f", "{}"), name="math"))[0].agent == "math"


def test_a_message_without_role_is_read_where_its_fields_leave_no_doubt():
    run = to_trajectory(
        [USER, {"tool_calls": asks(("a", "f", "{}"))["tool_calls"]}, {"tool_call_id": "a", "content": "1"}, {"content": "?"}]
    )
    assert [(call.name, call.result) for call in run.invocations] == [("f", "1")]
    assert run.warnings == ("not read: items of the list that are no messages (1)",)


def test_a_call_without_a_name_is_kept_as_invalid():
    (call,) = read({"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]})
    assert (call.name, call.status, call.error) == ("", "invalid", "the request names no tool")


def test_an_entry_that_holds_nothing_is_counted_in_the_warnings_and_one_that_cannot_be_read_is_a_faulty_request():
    run = to_trajectory([USER, {"role": "assistant", "tool_calls": [None, "f", *asks(("a", "f", "{}"))["tool_calls"]]}])
    assert [(call.name, call.status) for call in run.invocations] == [("", "invalid"), ("f", "pending")]
    assert run.warnings == ("not read: empty entries of 'tool_calls' (1)",)


def test_a_message_that_is_there_twice_is_read_once():
    message = asks(("a", "f", "{}"), id="m1")
    assert len(read(message, dict(message), {**message, "content": "other"})) == 2


def test_a_flat_call_of_a_local_server_is_read():
    (call,) = read({"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"a": 1}}]})
    assert (call.name, call.args) == ("f", {"a": 1})


@pytest.mark.parametrize(("reason", "cut"), [("length", True), ("tool_calls", False), (None, False)])
def test_the_last_call_of_an_answer_that_hit_the_limit_is_truncated(reason, cut):
    response = {"choices": [{"index": 0, "message": asks(("a", "f", "{}"), ("b", "g", '{"x":')), "finish_reason": reason}]}
    first, last = to_trajectory(response).invocations
    assert (first.truncated, last.truncated, last.status) == (False, cut, "invalid")


def test_only_the_first_of_several_answers_is_read():
    run = to_trajectory(
        {"choices": [{"message": {"role": "assistant", "content": text}} for text in ("a", "b")], "usage": {"total_tokens": 3}}
    )
    assert (run.texts, run.usage, run.warnings) == (("a",), {"total_tokens": 3}, ("not read: alternative answers (1)",))


def test_live_objects_of_the_library_are_read_like_their_json():
    chat = pytest.importorskip("openai.types.chat")
    message = asks(("a", "f", '{"a": 1}'))
    completion = chat.ChatCompletion.model_validate(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
    )
    expected = read(message, answers("a", "1"))
    assert read(completion, answers("a", "1")) == read(completion.choices[0].message, answers("a", "1")) == expected
    assert to_trajectory(completion).invocations == read(message)


def test_a_mebibyte_of_arguments_is_kept_whole():
    text = "x" * 2**20
    (call,) = read(asks(("a", "f", json.dumps({"t": text}))), answers("a", text))
    assert call.args == {"t": text}
    assert call.result == text
