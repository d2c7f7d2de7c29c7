"""Chunks of a streamed message as JSON: whichever way a provider cuts it, the message is put together or said to have no end."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import to_trajectory
from toolcall_evals_langgraph._chunks import arguments_so_far, merged, whole_messages


def chunk(*pieces: dict[str, Any], id: str | None = "m", **fields: Any) -> dict[str, Any]:
    calls = [{"type": "tool_call_chunk", "name": None, "args": None, "id": None, "index": 0, **piece} for piece in pieces]
    return {"type": "AIMessageChunk", "id": id, "content": "", "tool_call_chunks": calls, **fields}


def test_a_message_ends_where_one_of_another_id_begins() -> None:
    first, other = chunk({"name": "a", "id": "1"}), chunk({"name": "b", "id": "2", "args": "{}"}, id="n")
    messages = [first, chunk({"args": '{"x": 1}'}, id=None), other, {"type": "human", "content": "q"}, 5]
    whole = whole_messages(messages, [])
    asked = [(each["id"], [(call["name"], call["args"]) for call in each["tool_calls"]]) for each in whole[:2]]
    assert asked == [("m", [("a", {"x": 1})]), ("n", [("b", {})])]
    assert whole[2:] == [{"type": "human", "content": "q"}, 5]


def test_the_tokens_and_the_metadata_of_the_last_chunk_are_those_of_the_message() -> None:
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    last = chunk({"args": "{}"}, usage_metadata=usage, response_metadata={"finish_reason": "tool_calls"})
    found = merged([chunk({"name": "a", "id": "1"}), last], [])
    assert (found["usage_metadata"], found["response_metadata"]) == (usage, {"finish_reason": "tool_calls"})


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        pytest.param([{"name": "a", "id": "1", "args": "{"}, {"id": "1", "args": "}"}], [("1", {})], id="by the id"),
        pytest.param([{"name": "a", "id": "1", "args": "{"}, {"args": '"x": 1}'}], [("1", {"x": 1})], id="by nothing: the last one"),
        pytest.param(
            [{"name": "a", "id": "1"}, {"name": "b", "id": "2", "args": '{"y": 1}'}], [("1", {}), ("2", {"y": 1})], id="another id"
        ),
        pytest.param([{"name": "a", "id": "1"}, {"name": "b"}], [("1", {}), (None, {})], id="another name"),
    ],
)
def test_pieces_without_an_index_go_on(pieces: list[dict[str, Any]], calls: list[Any]) -> None:
    found = merged([chunk({**piece, "index": None}) for piece in pieces], [])
    assert [(call["id"], call["args"]) for call in found["tool_calls"]] == calls


@pytest.mark.parametrize(
    ("text", "args"),
    [
        pytest.param("", {}, id="nothing yet"),
        pytest.param('{"x": "a\\"b", "y": "c', {"x": 'a"b', "y": "c"}, id="inside a text, after an escaped quote"),
        pytest.param('{"x": "a\\', {"x": "a"}, id="inside an escape"),
        pytest.param('{"x": [1, 2', {"x": [1, 2]}, id="inside a list"),
        pytest.param('{"x": [1], "y": tr', {"x": [1]}, id="inside a word: as far as the last comma"),
        pytest.param('{"x": [1}', None, id="closed by the wrong bracket"),
        pytest.param('{"x": 1}}', None, id="closed twice"),
        pytest.param("tru", None, id="no object"),
        pytest.param("[1", None, id="a list"),
    ],
)
def test_arguments_are_read_as_far_as_they_are_there(text: str, args: Any) -> None:
    assert arguments_so_far(text) == args


def test_arguments_that_are_no_object_make_an_invalid_call() -> None:
    found = to_trajectory([chunk({"name": "a", "id": "1", "args": "tru"})], form="message_chunks")
    assert [(call.name, call.status, call.raw_args) for call in found.invocations] == [("a", "invalid", "tru")]


def test_blocks_of_content_are_joined_by_their_index() -> None:
    contents: list[Any] = [
        [{"type": "text", "text": "one ", "index": 0}, "loose"],
        [{"type": "text", "text": "more", "index": 0}, {"type": "tool_use", "id": "1", "name": "a", "input": {}, "index": 1}],
        [{"type": "input_json_delta", "partial_json": '{"x"', "index": 1}],
        [{"type": "input_json_delta", "partial_json": ": 1}", "index": 1}, {"type": "text", "text": "without one"}],
        "plain",
        [{"type": "text", "text": "of another kind", "index": 1}],
    ]
    found = merged([chunk(content=content) for content in contents], [])
    assert found["content"] == [
        {"type": "text", "text": "one more", "index": 0},
        "loose",
        {"type": "tool_use", "id": "1", "name": "a", "input": {}, "index": 1, "partial_json": '{"x": 1}'},
        {"type": "text", "text": "without one"},
        {"type": "text", "text": "plain"},
        {"type": "text", "text": "of another kind", "index": 1},
    ]
