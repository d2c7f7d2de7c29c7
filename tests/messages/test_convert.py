"""Where messages are found, and what is no conversation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from toolcall_evals import TraceFormatError, checks, to_trajectory

USER = {"role": "user", "content": "go"}
ASKS = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
ANSWERS = {"role": "tool", "tool_call_id": "c", "content": "1"}
SAYS = {"role": "assistant", "content": "done"}
WHOLE = [USER, ASKS, ANSWERS, SAYS]


@dataclass
class State:
    messages: list[Any]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(WHOLE, id="a list"),
        pytest.param(tuple(WHOLE), id="a tuple"),
        pytest.param({"messages": WHOLE}, id="under messages"),
        pytest.param(State(WHOLE), id="a dataclass"),
        pytest.param({"messages": WHOLE[:3], "choices": [{"message": SAYS, "finish_reason": "stop"}]}, id="a request with its response"),
        pytest.param([*WHOLE[:3], {"choices": [{"message": SAYS}]}], id="a response in a list"),
        pytest.param({"messages": WHOLE[:3], "message": SAYS, "done": True}, id="a request with its answer as a message"),
        pytest.param({"messages": WHOLE, "response": {"choices": [{"message": SAYS}]}}, id="a request that holds its answer already"),
        pytest.param({"messages": WHOLE, "output": WHOLE[1:]}, id="a conversation and its last messages"),
        pytest.param({"request": {"messages": WHOLE[:3]}, "response": {"choices": [{"message": SAYS}]}}, id="a log of both"),
        pytest.param({"input": "go", "output": WHOLE[1:]}, id="input as a text"),
        pytest.param({"inputs": {"messages": WHOLE[:1]}, "outputs": {"messages": WHOLE}}, id="an output that repeats the input"),
        pytest.param({"inputs": {"messages": WHOLE[:1]}, "outputs": {"messages": WHOLE[1:]}}, id="an output that does not"),
        pytest.param([("user", "go"), *WHOLE[1:]], id="a pair for a message"),
        pytest.param([WHOLE], id="a list in a list"),
        pytest.param({"run": {"steps": [{"chat": WHOLE}]}}, id="somewhere else"),
        pytest.param(json.dumps(WHOLE), id="JSON text of a list"),
        pytest.param(" " + json.dumps({"messages": WHOLE}), id="JSON text of a record"),
        pytest.param(
            [{"type": "human", "content": "go"}, *WHOLE[1:3], {"role": "model", "parts": [{"text": "done"}]}],
            id="several forms in one list",
        ),
    ],
)
def test_a_conversation_is_found(record):
    run = to_trajectory(record)
    assert [(call.name, call.result, call.status) for call in run.invocations] == [("f", "1", "success")]
    assert (run.input, run.texts, run.has_call_record, run.warnings) == ("go", ("", "done"), True, ())


def test_a_single_message_is_a_conversation():
    assert [call.name for call in to_trajectory(ASKS).invocations] == ["f"]


def test_of_several_lists_the_longest_is_read_and_the_others_are_named():
    run = to_trajectory({"draft": [USER], "state": {"chat": WHOLE}})
    assert len(run.invocations) == 1
    assert run.warnings == ("the messages under 'state.chat' are read; other lists are not (1): draft",)


@pytest.mark.parametrize("text", ["hello", '{"city": "Paris"}', "[1, 2]", '{"a": ', "[" * 100_000])
def test_a_text_that_holds_no_messages_is_what_the_agent_said(text):
    run = to_trajectory(text)
    assert (run.texts, run.has_call_record, run.warnings) == ((text,), False, ("a plain text cannot show tool calls",))
    assert checks.includes(text[:3]).score(text).score == 1.0
    assert checks.called_tool("f").score(text).status == "could_not_score"


def test_an_output_that_is_only_a_text_has_no_call_record():
    run = to_trajectory({"input": "go", "output": "done"})
    assert (run.input, run.texts, run.has_call_record) == ("go", ("done",), False)


def test_no_messages_yet_are_a_run_without_calls():
    assert to_trajectory({"messages": []}).invocations == ()


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        pytest.param(None, "found None", id="None"),
        pytest.param({}, "an empty mapping", id="an empty mapping"),
        pytest.param([], "an empty list", id="an empty list"),
        pytest.param(5, "type int", id="a number"),
        pytest.param(object(), "type object", id="an object"),
        pytest.param(["a", "b", "c"], "a list of 3 (str)", id="texts"),
        pytest.param([{"content": "a"}], "a list of 1 (dict)", id="messages without role"),
        pytest.param({"question": "1+2", "answer": "3"}, "['question', 'answer']", id="a record without messages"),
        pytest.param({"messages": ["a"]}, "a list of 1 (str)", id="texts under messages"),
        pytest.param({"messages": None}, "['messages']", id="None under messages"),
        pytest.param({"choices": []}, "['choices']", id="a response without answers"),
    ],
)
def test_what_is_no_conversation_is_refused_with_what_was_found(raw, found):
    with pytest.raises(TraceFormatError) as raised:
        to_trajectory(raw)
    assert found in str(raised.value)
    score = checks.called_tool("f").score(raw)
    assert (score.score, score.status) == (None, "could_not_score")
    assert found in score.comment


def test_history_that_the_run_was_given_is_not_scored():
    before = [{"role": "user", "content": "first"}, {**SAYS, "content": "hello"}, USER]
    run = to_trajectory({"messages": [*before, *WHOLE[1:]]}, inputs={"messages": before})
    assert (run.texts, run.input) == (("", "done"), "go")


class TestOddShapes:
    """What no provider writes, and some log does."""

    def test_a_record_that_holds_itself(self):
        record: dict[str, Any] = {"chat": WHOLE}
        record["self"] = record
        record["messages"] = record
        assert len(to_trajectory(record).invocations) == 1

    def test_arguments_that_hold_themselves(self):
        args: dict[str, Any] = {}
        args["self"] = [args, args]
        asks = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": args}}]}
        run = to_trajectory([USER, asks, {**ANSWERS, "content": args}])
        assert run.invocations[0].args is args
        assert checks.called_tool("f").score(run).score == 1.0

    def test_a_thousand_levels(self):
        nested: Any = "end"
        for _ in range(1000):
            nested = {"a": [nested]}
        asks = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": nested}}]}
        run = to_trajectory([USER, asks, {**ANSWERS, "content": nested}])
        assert [call.status for call in run.invocations] == ["success"]

    def test_messages_below_a_thousand_levels(self):
        record: Any = WHOLE
        for _ in range(1000):
            record = {"a": record}
        assert len(to_trajectory(record).invocations) == 1

    def test_lone_surrogates(self):
        asks = {
            "role": "assistant",
            "content": "\ud800",
            "tool_calls": [{"id": "\udfff", "function": {"name": "f\ud800", "arguments": '{"a": "\\ud800"}'}}],
        }
        run = to_trajectory([USER, asks, {"role": "tool", "tool_call_id": "\udfff", "content": "\udfff"}])
        (call,) = run.invocations
        assert (call.name, call.args, call.result) == ("f\ud800", {"a": "\ud800"}, "\udfff")
        assert json.dumps(checks.called_tool("f").score(run).details)

    @pytest.mark.parametrize("ids", ["own", "none", "one", "unknown"])
    def test_ten_thousand_calls(self, ids):
        def id_of(number: int) -> str | None:
            return {"own": f"c{number}", "none": None, "one": "c", "unknown": f"c{number}"}[ids]

        asks = [{"id": id_of(n), "function": {"name": f"f{n % 7}", "arguments": "{}"}} for n in range(10_000)]
        results = [
            {"role": "tool", "tool_call_id": id_of(n) if ids != "unknown" else f"x{n}", "content": "1", "name": f"f{n % 7}"}
            for n in range(10_000)
        ]
        run = to_trajectory([USER, {"role": "assistant", "tool_calls": asks}, *reversed(results)])
        assert len(run.invocations) == (20_000 if ids == "unknown" else 10_000)


def test_an_answer_that_asks_for_another_call_is_no_repetition():
    def asks(id):
        return {"role": "assistant", "content": "", "tool_calls": [{"id": id, "function": {"name": "look", "arguments": "{}"}}]}

    run = to_trajectory({"messages": [{"role": "user", "content": "go"}, asks("1")], "output": [asks("2")]})
    assert [call.id for call in run.invocations] == ["1", "2"]


@pytest.mark.parametrize(
    "response",
    [
        pytest.param({"model": "m", "message": {"role": "assistant", "content": "hi"}, "done": True}, id="Ollama"),
        pytest.param({"output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}}, "stopReason": "end_turn"}, id="Bedrock"),
        pytest.param(
            {"message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, "finish_reason": "COMPLETE"}, id="Cohere"
        ),
    ],
)
def test_a_response_that_holds_one_message_is_read(response):
    assert to_trajectory(response).texts == ("hi",)


def test_a_list_of_messages_beside_those_that_are_read_is_named() -> None:
    asked, answered = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "done"}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "x", "arguments": "{}"}}]}
    run = to_trajectory({"messages": [asked, answered], "sub": {"messages": [asked, call]}})
    assert run.warnings == ("not read: other lists of messages (1): sub.messages",)
    assert to_trajectory({"messages": [asked, answered], "seen": [dict(asked)]}).warnings == ()
    assert [each.name for each in to_trajectory({"messages": [], "sub": {"messages": [asked, call]}}).invocations] == ["x"]
