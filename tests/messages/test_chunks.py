"""Streamed chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import Trajectory, to_trajectory


def chunk(delta: dict[str, Any] | None = None, *, finish: str | None = None, id: str | None = "x", choice: int = 0) -> dict[str, Any]:
    return {"id": id, "object": "chat.completion.chunk", "choices": [{"index": choice, "delta": delta or {}, "finish_reason": finish}]}


def piece(arguments: str | None = None, *, index: int | None = 0, id: str | None = None, name: str | None = None) -> dict[str, Any]:
    """A piece of a call, as a chunk's delta."""
    stated: dict[str, Any] = {"function": {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}}
    if index is not None:
        stated["index"] = index
    if id is not None:
        stated["id"] = id
    return {"tool_calls": [stated]}


END = chunk(finish="tool_calls")


def read(*chunks: Any) -> Trajectory:
    return to_trajectory(list(chunks), form="openai_chunks")


def calls(*chunks: Any) -> list[tuple[str, Any]]:
    run = read(*chunks, END)
    assert not run.warnings
    return [(call.name, call.args) for call in run.invocations]


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param(
            [piece("", id="a", name="f"), piece('{"x"'), piece("", index=1, id="b", name="g"), piece(": 1}"), piece("{}", index=1)],
            [("f", {"x": 1}), ("g", {})],
            id="by index, interleaved",
        ),
        pytest.param(
            [piece('{"x": 1}', id="a", name="f"), piece('{"y": 2}', id="b", name="g")],
            [("f", {"x": 1}), ("g", {"y": 2})],
            id="two ids under one index",
        ),
        pytest.param(
            [piece('{"x"', id="a", name="f"), piece(": 1}", id="a", name="f")], [("f", {"x": 1})], id="id and name in every piece"
        ),
        pytest.param(
            [piece('{"x"', index=None, id="a", name="f"), piece(": 1}", index=None), piece("{}", index=None, id="b", name="g")],
            [("f", {"x": 1}), ("g", {})],
            id="no index",
        ),
        pytest.param(
            [piece('{"x": 1}', name="f"), piece('{"x": 2}', name="f")],
            [("f", {"x": 1}), ("f", {"x": 2})],
            id="no ids, whole calls under one index",
        ),
        pytest.param([piece(name="get_", id="a"), piece("{}", name="weather")], [("get_weather", {})], id="the name in pieces"),
        pytest.param([piece(id="a", name="f")], [("f", {})], id="no arguments at all"),
        pytest.param(
            [{"function_call": {"name": "f", "arguments": '{"x"'}}, {"function_call": {"arguments": ": 1}"}}],
            [("f", {"x": 1})],
            id="older form",
        ),
    ],
)
def test_pieces_are_put_together(chunks, expected):
    assert calls(*[chunk(delta) for delta in chunks]) == expected


def test_texts_and_the_usage_of_a_last_chunk_without_choices():
    run = read(
        chunk({"role": "assistant", "content": "Hel"}),
        chunk({"content": "lo"}),
        chunk(finish="stop"),
        {"id": "x", "choices": [], "usage": {"total_tokens": 9}},
    )
    assert (run.texts, run.usage, run.warnings) == (("Hello",), {"total_tokens": 9}, ())


def test_a_stream_is_recognised_without_its_form():
    assert [call.name for call in to_trajectory([chunk(piece("{}", id="a", name="f")), END]).invocations] == ["f"]


@pytest.mark.parametrize(
    ("arguments", "args", "raw", "truncated"),
    [
        pytest.param('{"x": 1}', {"x": 1}, None, False, id="complete"),
        pytest.param('{"x": ', None, '{"x": ', True, id="cut off"),
        pytest.param("", None, "", True, id="not begun: nobody knows that there are none"),
    ],
)
def test_a_call_of_a_stream_without_end_is_pending_and_never_made_up(arguments, args, raw, truncated):
    run = read(chunk(piece(arguments, id="a", name="f")))
    (call,) = run.invocations
    assert (call.args, call.raw_args, call.status, call.truncated) == (args, raw, "pending", truncated)
    assert run.warnings == ("the stream has no end: what it would have said or asked next is missing",)


def test_the_last_call_of_a_stream_that_hit_the_limit_is_truncated():
    run = read(chunk(piece("{}", id="a", name="f")), chunk(piece('{"x": ', index=1, id="b", name="g")), chunk(finish="length"))
    assert [(call.name, call.status, call.truncated) for call in run.invocations] == [("f", "pending", False), ("g", "invalid", True)]


def test_arguments_whose_call_began_before_the_record_are_no_call():
    run = read(chunk(piece(": 1}")), END)
    assert run.invocations == ()
    assert run.warnings == ("not read: pieces of arguments whose call's beginning is missing (1)",)


def test_each_completion_is_a_message():
    run = read(
        chunk(piece("{}", id="a", name="f"), id="1"),
        chunk(finish="tool_calls", id="1"),
        chunk({"content": "done"}, id="2"),
        chunk(finish="stop", id="2"),
    )
    assert (run.texts, [call.name for call in run.invocations]) == (("", "done"), ["f"])


def test_without_an_id_a_piece_after_the_end_begins_another_message():
    run = read(
        chunk({"content": "a"}, id=None), chunk(finish="stop", id=None), chunk({"content": "b"}, id=None), chunk(finish="stop", id=None)
    )
    assert run.texts == ("a", "b")


def test_only_the_first_of_several_answers_is_read():
    run = read(chunk({"content": "a"}), chunk({"content": "b"}, choice=1), chunk(finish="stop"))
    assert (run.texts, run.warnings) == (("a",), ("not read: pieces of alternative answers (1)",))


def test_what_was_said_before_the_stream():
    run = to_trajectory(
        {"messages": [{"role": "user", "content": "go"}], "chunks": [chunk(piece("{}", id="a", name="f")), END]}, form="openai_chunks"
    )
    assert (run.input, [call.name for call in run.invocations]) == ("go", ["f"])


def test_live_objects_of_the_library_are_read_like_their_json():
    chat = pytest.importorskip("openai.types.chat")
    pieces = [chunk(piece('{"x"', id="a", name="f")), chunk(piece(": 1}")), END]
    live = [chat.ChatCompletionChunk.model_validate({**each, "created": 1, "model": "m"}) for each in pieces]
    assert read(*live).invocations == read(*pieces).invocations


def test_ten_thousand_calls_of_a_stream():
    run = read(*[chunk(piece("{}", index=n, id=f"c{n}", name="f")) for n in range(10_000)], END)
    assert len(run.invocations) == 10_000


def test_items_that_are_no_chunks_are_counted_and_pieces_of_another_kind_left_alone():
    odd: list[Any] = [{"id": "x", "choices": [None, {"index": 0, "delta": None}]}, chunk({"tool_calls": [None]}), "text"]
    found = to_trajectory([chunk(piece("{}", id="a", name="f")), *odd, END], form="openai_chunks")
    assert [(call.name, call.args) for call in found.invocations] == [("f", {})]
    assert any("no mapping" in warning for warning in found.warnings)


def test_a_custom_tools_input_is_a_text():
    delta = {"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "run", "input": "SELECT"}}]}
    more = {"tool_calls": [{"index": 0, "custom": {"input": " 1"}}]}
    (call,) = read(chunk(delta), chunk(more), END).invocations
    assert (call.name, call.args, call.raw_args) == ("run", None, "SELECT 1")
