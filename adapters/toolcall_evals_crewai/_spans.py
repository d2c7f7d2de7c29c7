"""OpenTelemetry spans of a crew: OpenInference's (instrumentation-crewai 1.1.21, both modes) and CrewAI's own GenAI spans (1.15.22).

Each span is put back into the events that it was made of, so that one reader joins them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import Reading, Trajectory

from ._events import read_events
from ._fields import field, text_field
from ._outputs import output_kind, read_output
from ._rows import CALL_RECORD, Row, time_of

KIND = "openinference.span.kind"
OPERATION = "gen_ai.operation.name"
_OURS = ("crewai.", "crew_", "task_key", "tool.agent_role", "graph.node.id")


def is_span(item: Any) -> bool:
    """Whether this is a span of either vocabulary."""
    attributes = _attributes(item)
    return KIND in attributes or OPERATION in attributes


def is_ours(spans: Sequence[Any]) -> bool:
    """Whether spans surely come from a crew."""
    return any(name.startswith(_OURS) for span in spans for name in _attributes(span))


def read_spans(spans: Sequence[Any], reading: Reading) -> Trajectory:
    """Read a run's spans."""
    rows: list[tuple[float, int, Row]] = []
    for at, span in enumerate(spans):
        if is_span(span):
            rows += [(when, at, row) for when, row in _rows(span)]
    ordered = [row for _, _, row in sorted(rows, key=lambda entry: entry[:2])]
    source = "otel.gen_ai.spans" if any(OPERATION in _attributes(span) for span in spans) else "openinference.spans"
    if not any(row["type"] in CALL_RECORD for row in ordered) and (embedded := _embedded(spans, reading)) is not None:
        return embedded
    whole = read_events(ordered, reading, source=source)
    if whole.has_call_record:
        return whole
    warning = "no span of a tool or a model: OpenInference's default mode has none on the text path, so this shows no calls either way"
    return replace(whole, has_call_record=False, warnings=(*whole.warnings, warning))


def _attributes(span: Any) -> Mapping[str, Any]:
    attributes = field(span, "attributes")
    return attributes if isinstance(attributes, Mapping) else {}


def _rows(span: Any) -> Iterator[tuple[float, Row]]:
    attributes = _attributes(span)
    begin, end = _time(field(span, "start_time")), _time(field(span, "end_time"))
    kind = str(attributes.get(KIND) or attributes.get(OPERATION))
    row: dict[str, Any] = {"event_id": _id(span), "parent_event_id": _parent(span)}
    if kind in ("CHAIN", "invoke_workflow"):
        yield begin, {**row, "type": "crew_kickoff_started", "crew_name": attributes.get("crewai.crew.name")}
    elif kind == "execute_task":
        name, description = attributes.get("crewai.task.name"), attributes.get("crewai.task.description")
        yield begin, {**row, "type": "task_started", "task_name": name or description, "task_description": description}
    elif kind in ("AGENT", "invoke_agent"):
        role = attributes.get("graph.node.id") or attributes.get("crewai.agent.role")
        task = attributes.get("task_name") or attributes.get("crewai.task.name") or attributes.get("task_description")
        yield begin, {**row, "type": "agent_execution_started", "agent_role": role, "task_name": task}
    elif kind in ("LLM", "chat"):
        yield end, {**row, "type": "llm_call_completed", "response": _response(attributes)}
    elif kind == "TOOL":
        yield from _tool(span, row, begin, end, attributes.get("tool.name"), _input(attributes), attributes.get("output.value"))
    elif kind == "execute_tool":
        args, result = _decoded(attributes.get("gen_ai.tool.call.arguments")), _decoded(attributes.get("gen_ai.tool.call.result"))
        if attributes.get("crewai.event_name") == "tool_failure_detected":
            failure = {name: attributes.get(f"crewai.tool.failure.{name}") for name in ("message", "reason", "code")}
            call = {"tool_name": attributes.get("gen_ai.tool.name"), "tool_args": args, "agent_role": attributes.get("crewai.agent.role")}
            yield end, {**row, **call, "type": "tool_failure_detected", "failure": failure}
        else:
            yield from _tool(span, row, begin, end, attributes.get("gen_ai.tool.name"), args, result)


def _tool(span: Any, row: Row, begin: float, end: float, name: Any, args: Any, output: Any) -> Iterator[tuple[float, Row]]:
    attributes = _attributes(span)
    call = {
        **row,
        "tool_name": name,
        "tool_args": args,
        "agent_role": attributes.get("tool.agent_role") or attributes.get("crewai.agent.role"),
        "task_name": attributes.get("tool.task_name"),
        "run_attempts": attributes.get("tool.run_attempts"),
    }
    yield begin, {**call, "type": "tool_usage_started"}
    closing = {**call, "event_id": f"{row['event_id']} end", "started_event_id": row["event_id"]}
    if (error := _error(span)) is not None:
        yield end, {**closing, "type": "tool_usage_error", "error": error}
    elif output is not None or _status(span) == "OK":
        yield end, {**closing, "type": "tool_usage_finished", "output": output, "from_cache": attributes.get("crewai.tool.from_cache")}


def _response(attributes: Mapping[str, Any]) -> Any:
    """What the model answered: OpenInference's value or flattened messages, or GenAI's parts."""
    stated = _decoded(attributes.get("gen_ai.output.messages"))
    if isinstance(stated, list):
        parts = [part for message in stated for part in field(message, "parts") or () if isinstance(part, Mapping)]
        calls = [part for part in parts if part.get("type") == "tool_call"]
        return calls or "".join(str(part.get("content") or "") for part in parts if part.get("type") == "text")
    value = attributes.get("output.value")
    decoded = _decoded(value) if attributes.get("output.mime_type") == "application/json" else None
    if isinstance(decoded, list):
        return decoded
    start = "llm.output_messages.0.message.tool_calls."
    names = sorted(int(number) for name in attributes if name.startswith(start) and (number := name[len(start) :].split(".")[0]).isdigit())
    flat = [
        {
            "id": attributes.get(f"{start}{number}.tool_call.id"),
            "function": {part: attributes.get(f"{start}{number}.tool_call.function.{part}") for part in ("name", "arguments")},
        }
        for number in dict.fromkeys(names)
    ]
    return flat or value or attributes.get("llm.output_messages.0.message.content")


def _input(attributes: Mapping[str, Any]) -> Any:
    """A tool's arguments: an object on the native path, the model's own text on the other."""
    value = attributes.get("input.value")
    decoded = _decoded(value) if attributes.get("input.mime_type") == "application/json" else None
    return decoded if isinstance(decoded, dict) else value


def _decoded(value: Any) -> Any:
    """The value of a JSON text; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _embedded(spans: Sequence[Any], reading: Reading) -> Trajectory | None:
    """The kickoff's output, where its span holds it: on the text path that is all that shows calls."""
    for span in spans:
        output = _decoded(_attributes(span).get("output.value"))
        if isinstance(output, Mapping) and (kind := output_kind(output)) is not None:
            return read_output(output, kind, reading)
    return None


def _error(span: Any) -> str | None:
    if _status(span) != "ERROR":
        return None
    events = field(span, "events")
    for event in events if isinstance(events, Sequence) else ():
        attributes = _attributes(event)
        if message := attributes.get("exception.message"):
            return str(message)
    status = field(span, "status")
    return text_field(span, "status_description") or text_field(status, "description") or text_field(status, "message") or "error"


def _status(span: Any) -> str:
    status = field(span, "status")
    code = status if isinstance(status, str) else field(status, "status_code") or field(status, "code")
    name = code if isinstance(code, str) else getattr(code, "name", "")
    return name.rsplit("_", 1)[-1].upper()


def _id(span: Any) -> str | None:
    return _hex(field(span, "span_id") or field(field(span, "context"), "span_id"))


def _parent(span: Any) -> str | None:
    return _hex(field(span, "parent_id") or field(span, "parent_span_id") or field(field(span, "parent"), "span_id"))


def _hex(value: Any) -> str | None:
    return format(value, "016x") if isinstance(value, int) else value.removeprefix("0x") if isinstance(value, str) and value else None


def _time(value: Any) -> float:
    if isinstance(value, int | float):
        return float(value)
    when = time_of(value)
    return when.timestamp() * 1e9 if when is not None else 0.0
