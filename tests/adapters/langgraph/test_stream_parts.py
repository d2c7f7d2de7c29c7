"""Parts of streams that a graph yields seldom: written by hand, in the shapes of langgraph 1.2.24."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import Trajectory, to_trajectory


def ai(id: str, *calls: tuple[str, str, dict[str, Any]], **fields: Any) -> dict[str, Any]:
    calls_asked = [{"name": name, "args": args, "id": call_id, "type": "tool_call"} for call_id, name, args in calls]
    return {"type": "ai", "id": id, "content": "", "tool_calls": calls_asked, **fields}


def answer(call_id: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool", "content": content, "tool_call_id": call_id, **fields}


def updates(node: str, *messages: Any, ns: tuple[str, ...] = ()) -> Any:
    return (ns, "updates", {node: {"messages": list(messages)}})


def rows(found: Trajectory) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.status, call.result) for call in found.invocations]


ONE = ai("m", ("1", "look", {"x": "a"}))
ANSWERED = [("look", {"x": "a"}, "success", "saw a")]


def test_a_debug_stream_of_checkpoints_alone_says_what_its_last_one_says() -> None:
    def checkpoint(*messages: Any) -> dict[str, Any]:
        return {"type": "checkpoint", "payload": {"values": {"messages": list(messages)}}}

    found = to_trajectory([checkpoint(ONE), checkpoint(ONE, answer("1", "saw a"))], form="stream_debug")
    assert (rows(found), found.source) == (ANSWERED, "langgraph.stream.values")


def test_checkpoints_are_read_as_the_history_that_they_are() -> None:
    def checkpoint(*messages: Any) -> Any:
        return ("checkpoints", {"values": {"messages": list(messages)}, "next": [], "tasks": [], "config": {}})

    assert rows(to_trajectory([checkpoint(ONE), checkpoint(ONE, answer("1", "saw a"))])) == ANSWERED


def test_the_error_event_of_a_platform_stream_is_the_runs_error() -> None:
    stream = [
        {"event": "updates", "data": {"agent": {"messages": [ONE]}}},
        {"event": "error", "data": {"error": "ValueError", "message": "no such city"}},
    ]
    found = to_trajectory(stream)
    assert (found.error, [call.status for call in found.invocations]) == ("no such city", ["pending"])


def test_an_interrupt_among_the_updates_is_no_message() -> None:
    found = to_trajectory([updates("agent", ONE), ((), "updates", {"__interrupt__": [{"value": "sure?", "id": "i"}]})])
    assert rows(found) == [("look", {"x": "a"}, "pending", None)]


@pytest.mark.parametrize(("content", "said"), [("where is a?", "where is a?"), ([{"type": "image"}], None)], ids=["text", "an image"])
def test_what_a_person_says_in_the_stream_is_the_input(content: Any, said: str | None) -> None:
    asked = {"type": "human", "id": "h", "content": content}
    assert to_trajectory([updates("start", asked), updates("agent", ONE)]).input == said


def test_a_message_said_again_with_other_arguments_is_a_reviewers_edit() -> None:
    edited = ai("m", ("1", "look", {"x": "b"}), ("2", "look", {"x": "other"}))
    found = to_trajectory([updates("agent", ONE), updates("review", edited), updates("tools", answer("1", "saw b"))])
    (call,) = found.invocations
    assert (call.args, call.executed_args, call.status) == ({"x": "a"}, {"x": "b"}, "success")


def test_a_call_that_was_answered_is_not_answered_again() -> None:
    found = to_trajectory([updates("agent", ONE), updates("tools", answer("1", "saw a", id="t")), updates("tools", answer("1", "more"))])
    assert rows(found) == ANSWERED


def test_a_result_without_a_request_in_the_stream_is_shown_as_a_call_with_a_warning() -> None:
    found = to_trajectory([updates("tools", answer("9", "saw it", name="look"))])
    assert rows(found) == [("look", None, "success", "saw it")]
    assert "a result of look has no request in this stream" in found.warnings


def test_a_handoff_that_the_parent_answers_is_a_call_of_the_subgraph() -> None:
    handoff = ai("m", ("1", "transfer_to_b", {}))
    stream = [updates("agent", handoff, ns=("a:1",)), updates("a", answer("1", "done", name="transfer_to_b"))]
    assert rows(to_trajectory(stream)) == [("transfer_to_b", {}, "success", "done")]


TWINS = ai("m", ("1", "look", {"x": "a"}), ("1", "look", {"x": "b"}))
"""Two calls under one id, as some models make them."""


def told(push: int, content: str) -> Any:
    place = f"tools:{push}"
    return (
        "messages",
        (answer("1", content, id=content), {"langgraph_checkpoint_ns": place, "langgraph_path": ["__pregel_push", push, False]}),
    )


def test_the_task_says_which_of_two_calls_under_one_id_a_result_answers() -> None:
    found = to_trajectory([("messages", (TWINS, {})), told(1, "saw b"), told(0, "saw a")])
    assert rows(found) == [("look", {"x": "a"}, "success", "saw a"), ("look", {"x": "b"}, "success", "saw b")]


def test_without_a_task_the_results_of_two_calls_under_one_id_are_said_to_be_guessed() -> None:
    found = to_trajectory([updates("agent", TWINS), updates("tools", answer("1", "saw a"), answer("1", "saw b"))])
    assert [call.result for call in found.invocations] == ["saw a", "saw b"]
    assert "calls under one id answered in one stream: which result is whose is a guess" in found.warnings


def ran(event: str, call_id: Any, **fields: Any) -> Any:
    return ((), "tools", {"event": event, "tool_call_id": call_id, "tool_name": "look", **fields})


def test_the_tool_that_returned_it_says_which_of_two_calls_under_one_id_a_result_answers() -> None:
    stream = [
        updates("agent", TWINS),
        ran("tool-started", "1", input={"x": "b"}),
        ran("tool-finished", "1", output="saw b"),
        updates("tools", answer("1", "saw b")),
    ]
    found = to_trajectory(stream)
    assert rows(found) == [("look", {"x": "a"}, "pending", None), ("look", {"x": "b"}, "success", "saw b")]


def test_a_tool_that_ends_after_its_answer_changes_nothing() -> None:
    stream = [
        updates("agent", ONE),
        ran("tool-started", "1", input={"x": "a"}),
        updates("tools", answer("1", "saw a")),
        ran("tool-finished", "1", output="something else"),
        ran("tool-progress", "1"),
        ran("tool-finished", 7, output="of a call that nobody saw begin"),
    ]
    assert rows(to_trajectory(stream)) == ANSWERED


def test_a_task_that_raised_fails_the_call_that_it_was_sent() -> None:
    sent = {"name": "look", "args": {"x": "b"}, "id": "1", "type": "tool_call"}
    stream = [
        ("updates", {"agent": {"messages": [TWINS]}}),
        ("tasks", {"id": "t", "name": "tools", "input": [{"tool_call": sent}], "triggers": ["x"]}),
        ("tasks", {"id": "t", "name": "tools", "error": ValueError("no"), "result": None}),
        ("tasks", {"id": "u", "name": "agent", "error": "stopped", "result": None}),
    ]
    found = to_trajectory(stream)
    assert [(call.args, call.status, call.error) for call in found.invocations] == [
        ({"x": "a"}, "pending", None),
        ({"x": "b"}, "error", "ValueError('no')"),
    ]
    assert found.error == "ValueError('no')"


def test_a_namespace_lies_in_the_call_that_the_stream_of_version_3_names_as_its_cause() -> None:
    def event(method: str, namespace: list[str], data: Any, seq: int) -> dict[str, Any]:
        return {"type": "event", "method": method, "params": {"namespace": namespace, "data": data}, "seq": seq}

    outer = ai("m", ("1", "ask", {"q": "a"}), ("2", "ask", {"q": "b"}))
    inner = ai("n", ("3", "look", {"x": "b"}))
    events = [
        event("messages", [], [outer, {}], 1),
        event("lifecycle", ["tools:9"], {"event": "started", "cause": {"type": "toolCall", "tool_call_id": "2"}}, 2),
        event("messages", ["tools:9"], [inner, {}], 3),
    ]
    assert [(call.id, call.parent_id) for call in to_trajectory(events).invocations] == [("1", None), ("2", None), ("3", "2")]


def blocks(*events: Any, place: str = "model:1") -> list[dict[str, Any]]:
    """The events of one message of version 3, with where it is said."""
    return [
        {
            "type": "event",
            "method": "messages",
            "seq": seq,
            "params": {"namespace": [], "data": [event, {"langgraph_checkpoint_ns": place}]},
        }
        for seq, event in enumerate(events)
    ]


START = {"event": "message-start", "id": "m", "role": "ai"}
CALL = {"event": "content-block-finish", "index": 0, "content": {"type": "tool_call", "id": "1", "name": "look", "args": {"x": "a"}}}


@pytest.mark.parametrize(
    ("end", "truncated"),
    [
        pytest.param({"event": "message-finish", "reason": "length"}, True, id="the reason"),
        pytest.param({"event": "message-finish", "metadata": {"finish_reason": "length"}}, True, id="the metadata"),
        pytest.param({"event": "message-finish", "response_metadata": {"finish_reason": "tool_calls"}}, False, id="an ordinary end"),
    ],
)
def test_the_end_of_a_message_of_version_3_says_whether_it_was_cut_off(end: Any, truncated: bool) -> None:
    (call,) = to_trajectory(blocks(START, CALL, end)).invocations
    assert (call.name, call.args, call.truncated) == ("look", {"x": "a"}, truncated)


def test_a_message_of_version_3_that_has_no_end_is_shown_as_far_as_it_goes() -> None:
    odd = [{"event": "content-block-finish", "content": "no block"}, {"event": "message-finish", "of": "no message that began"}]
    found = to_trajectory([*blocks(odd[1], place="other:1"), *blocks(START, place="empty:1"), *blocks(START, odd[0], CALL)])
    assert rows(found) == [("look", {"x": "a"}, "pending", None)]
    assert "a streamed message has no end in this record" in found.warnings


@pytest.mark.parametrize("ids", [({}, {}), ({"id": "x"}, {"id": "y"})], ids=["without ids", "with ids"])
def test_the_first_of_two_answers_to_one_call_counts(ids: Any) -> None:
    answers = [answer("1", content, **id) for content, id in zip(("first", "second"), ids, strict=True)]
    (call,) = to_trajectory([(message, {}) for message in (ai("m", ("1", "pay", {})), *answers)], form="stream_messages").invocations
    assert call.result == "first"
