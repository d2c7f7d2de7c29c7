"""What holds for any record, whole or broken: no other error than ours, the record unchanged, no call lost, none made up."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_evals import TraceFormatError, Trajectory, checks, to_trajectory

NAMES = st.sampled_from(["f", "g", "h"])
IDS = st.sampled_from(["a", "b", "", None])
ARGS = st.dictionaries(st.sampled_from(["x", "y"]), st.integers() | st.text(max_size=3), max_size=2)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["tool_use", "assistant", "tool", "function_call"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "role", "content", "id", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
CALLS = st.lists(st.tuples(IDS, NAMES, ARGS), max_size=3)
RESULTS = st.lists(st.tuples(IDS, NAMES), max_size=3)
STEPS = st.lists(st.tuples(CALLS, RESULTS), min_size=1, max_size=4)


def chat(steps: Any) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for calls, results in steps:
        stated = [{"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}} for id, name, args in calls]
        messages.append({"role": "assistant", "content": None, "tool_calls": stated})
        messages += [{"role": "tool", "tool_call_id": id, "name": name, "content": "r"} for id, name in results]
    return messages


def langchain(steps: Any) -> list[Any]:
    messages: list[Any] = [{"type": "human", "content": "go"}]
    for calls, results in steps:
        stated = [{"id": id, "name": name, "args": args, "type": "tool_call"} for id, name, args in calls]
        messages.append({"type": "ai", "content": "", "tool_calls": stated, "invalid_tool_calls": []})
        messages += [{"type": "tool", "tool_call_id": id, "name": name, "content": "r", "status": "success"} for id, name in results]
    return messages


def responses(steps: Any) -> list[Any]:
    items: list[Any] = [{"role": "user", "content": "go"}]
    for calls, results in steps:
        items += [{"type": "function_call", "call_id": id, "name": name, "arguments": json.dumps(args)} for id, name, args in calls]
        items += [{"type": "function_call_output", "call_id": id, "name": name, "output": "r"} for id, name in results]
    return items


def anthropic(steps: Any) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for calls, results in steps:
        blocks = [{"type": "tool_use", "id": id, "name": name, "input": args} for id, name, args in calls]
        messages.append({"role": "assistant", "content": [{"type": "text", "text": "so"}, *blocks]})
        if results:
            messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "r"} for id, _ in results]})
    return messages


def gemini(steps: Any) -> list[Any]:
    contents: list[Any] = [{"role": "user", "parts": [{"text": "go"}]}]
    for calls, results in steps:
        contents.append({"role": "model", "parts": [{"functionCall": {"id": id, "name": name, "args": args}} for id, name, args in calls]})
        answers = [{"functionResponse": {"id": id, "name": name, "response": {"result": "r"}}} for id, name in results]
        contents += [{"role": "user", "parts": answers}] if answers else []
    return contents


FORMATS = st.sampled_from([chat, langchain, responses, anthropic, gemini])


def orphans(run: Trajectory) -> int:
    return sum(warning.endswith("has no request in this record") for warning in run.warnings)


@given(STEPS, FORMATS)
def test_there_are_as_many_invocations_as_requests_and_results_without_one(steps, write):
    record = write(steps)
    before = copy.deepcopy(record)
    run = to_trajectory(record)
    asked = [(name, args) for calls, _ in steps for _, name, args in calls]
    answered = sum(len(results) for _, results in steps)
    assert len(run.invocations) == len(asked) + orphans(run)
    assert [(call.name, call.args) for call in run.invocations if call.args is not None] == asked
    assert sum(call.result is not None for call in run.invocations) == answered
    assert sum(call.status == "pending" for call in run.invocations) == len(asked) - (answered - orphans(run))
    assert record == before


@settings(max_examples=50)
@given(STEPS)
def test_a_run_reads_the_same_in_every_wire_format(steps):
    def seen(run: Trajectory) -> list[Any]:
        return [(call.name, call.args, call.status, call.result, call.turn) for call in run.invocations]

    run = to_trajectory(chat(steps))
    for write in (langchain, responses, gemini):
        assert seen(to_trajectory(write(steps))) == seen(run)


@settings(max_examples=50)
@given(STEPS)
def test_a_stream_reads_like_the_message_that_it_streams(steps):
    for calls, _ in steps:
        named = [(f"c{number}", name, json.dumps(args)) for number, (_, name, args) in enumerate(calls)]
        chunks: list[Any] = [{"id": "x", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}]
        for number, (id, name, text) in enumerate(named):
            for part in (text[:2], text[2:]):
                stated = {"index": number, "id": id, "function": {"name": name, "arguments": part}}
                chunks.append({"id": "x", "choices": [{"index": 0, "delta": {"tool_calls": [stated]}}]})
        chunks.append({"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        whole = {"role": "assistant", "tool_calls": [{"id": id, "function": {"name": name, "arguments": text}} for id, name, text in named]}
        streamed = to_trajectory(chunks, form="openai_chunks")
        assert streamed.invocations == to_trajectory([whole]).invocations
        assert streamed.warnings == ()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to everything that lies inside a value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, child in children for found in ((*path, key), *places(child, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = other
    return changed


@given(STEPS, FORMATS, JUNK, st.data())
def test_a_record_with_junk_in_one_place_is_read_or_refused(steps, write, junk, data):
    record = write(steps)
    record = replaced(record, data.draw(st.sampled_from(places(record))), junk)
    before = repr(record)
    try:
        run = to_trajectory(record)
    except TraceFormatError as error:
        assert "expected" in str(error)
    else:
        assert all(isinstance(call.name, str) and (call.args is None or isinstance(call.args, dict)) for call in run.invocations)
        assert all(isinstance(text, str) for text in run.texts)
    assert repr(record) == before
    assert checks.called_tool("f").score(record).status in ("scored", "could_not_score")


@given(JUNK | st.lists(JUNK) | st.dictionaries(st.sampled_from(["messages", "input", "output", "choices", "contents", "candidates"]), JUNK))
def test_junk_is_read_or_refused(junk):
    before = repr(junk)
    try:
        to_trajectory(junk)
    except TraceFormatError as error:
        assert "expected" in str(error)
    assert repr(junk) == before


@given(st.lists(st.dictionaries(st.sampled_from(["id", "choices", "usage"]), JUNK) | JUNK))
def test_a_broken_stream_is_read_or_refused(chunks):
    try:
        to_trajectory(chunks, form="openai_chunks")
    except TraceFormatError as error:
        assert "expected" in str(error)


@settings(max_examples=50)
@given(STEPS, FORMATS)
def test_every_wire_format_is_found_inside_a_log_and_in_json_text(steps, write):
    record = write(steps)
    expected = Counter(repr(call) for call in to_trajectory(record).invocations)
    for kept in ({"messages": record}, {"log": [{"deep": record}]}, json.dumps(record)):
        assert Counter(repr(call) for call in to_trajectory(kept).invocations) == expected
