"""Spans of a crew, in the forms in which exporters write them."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.crewai.recordings import recording
from toolcall_evals import Trajectory, checks, to_trajectory

NATIVE = recording("openinference_listener_native__spans")["payload"]
GENAI = recording("otel_genai_builtin__spans")["payload"]


def _shown(run: Trajectory) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.status, call.result, call.agent, call.task) for call in run.invocations]


def _as_sdk_json(span: dict[str, Any]) -> dict[str, Any]:
    """What `ReadableSpan.to_json` writes (opentelemetry-sdk 1.40)."""
    inner = {name: span[name] for name in ("name", "attributes", "events", "start_time", "end_time")}
    parent = span["parent_id"] and f"0x{span['parent_id']}"
    return {**inner, "context": {"span_id": f"0x{span['span_id']}"}, "parent_id": parent, "status": {"status_code": span["status"]}}


def _as_object(span: dict[str, Any]) -> Any:
    """A live span: ids are numbers, the parent and the status are objects."""
    parent = span["parent_id"] and SimpleNamespace(span_id=int(span["parent_id"], 16))
    fields = {name: span[name] for name in ("name", "attributes", "start_time", "end_time")}
    events = [SimpleNamespace(name=event["name"], attributes=event["attributes"]) for event in span["events"]]
    status = SimpleNamespace(status_code=SimpleNamespace(name=span["status"]), description=span.get("status_description"))
    context = SimpleNamespace(span_id=int(span["span_id"], 16))
    kind = type("ReadableSpan", (SimpleNamespace,), {"__module__": "opentelemetry.sdk.trace"})
    return kind(context=context, parent=parent, status=status, events=events, **fields)


@pytest.mark.parametrize("spans", [NATIVE, GENAI], ids=["OpenInference", "GenAI"])
@pytest.mark.parametrize("write", [_as_sdk_json, _as_object], ids=["the SDK's JSON", "live spans"])
def test_a_span_is_read_in_every_form(spans: list[dict[str, Any]], write: Any) -> None:
    written = [write(copy.deepcopy(span)) for span in spans]
    expected = [call[:3] for call in _shown(to_trajectory(spans))]
    assert [call[:3] for call in _shown(to_trajectory(written))] == expected


def test_the_order_of_spans_does_not_matter() -> None:
    assert _shown(to_trajectory(list(reversed(GENAI)))) == _shown(to_trajectory(GENAI))


def test_a_failure_span_is_no_second_call() -> None:
    assert [call.name for call in to_trajectory(GENAI).invocations] == ["search_web", "boom"]


def test_default_spans_of_the_text_path_show_no_calls_either_way() -> None:
    run = to_trajectory(recording("openinference_wrapper_react__spans")["payload"])
    assert not run.has_call_record
    assert checks.used_no_tools().score(run).score is None


def test_the_messages_in_a_kickoffs_span_are_better_than_nothing() -> None:
    spans = copy.deepcopy(recording("openinference_wrapper_react__spans")["payload"])
    spans[0]["attributes"]["output.value"] = json.dumps(recording("two_tasks_async__crew_output")["payload"])
    assert [call.name for call in to_trajectory(spans).invocations] == ["search_web", "get_weather"]


def test_calls_in_flattened_model_spans_are_requests() -> None:
    start = "llm.output_messages.0.message.tool_calls.0.tool_call."
    attributes = {
        "openinference.span.kind": "LLM",
        f"{start}id": "c1",
        f"{start}function.name": "find",
        f"{start}function.arguments": '{"q": 1}',
        "crew_key": "k",
    }
    span = {
        "name": "llm",
        "span_id": "01",
        "parent_id": None,
        "start_time": 1,
        "end_time": 2,
        "status": "OK",
        "attributes": attributes,
        "events": [],
    }
    (call,) = to_trajectory([span]).invocations
    assert (call.name, call.args, call.id, call.status) == ("find", {"q": 1}, "c1", "pending")
