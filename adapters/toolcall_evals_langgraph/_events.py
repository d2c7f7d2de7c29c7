"""`astream_events`: version 2 as a tree of runs, version 3 as a stream of whole messages and tool events.

Shapes: langchain-core 1.8.3, langgraph 1.2.24 (version 3 is beta).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_evals import Reading, Trajectory

from ._chunks import merged
from ._parts import Part
from ._run_tree import read_run_tree
from ._streams import read_parts

SOURCE = "langgraph.events"

_KINDS = {
    "chat_model": "llm",
    "llm": "llm",
    "tool": "tool",
    "chain": "chain",
    "retriever": "retriever",
    "prompt": "prompt",
    "parser": "parser",
}


def is_event(item: Any) -> bool:
    """Whether it is an event of version 2."""
    return isinstance(item, Mapping) and isinstance(item.get("event"), str) and item["event"].startswith("on_") and "run_id" in item


def is_event_v3(item: Any) -> bool:
    """Whether it is an event of version 3."""
    return isinstance(item, Mapping) and isinstance(item.get("method"), str) and isinstance(item.get("params"), Mapping)


def read_events(events: Iterable[Any], reading: Reading) -> Trajectory:
    """Read events of version 2 (or 1, which lacks the parents): each run's start and end make up a run."""
    runs: dict[str, dict[str, Any]] = {}
    chunks: dict[str, list[Any]] = {}
    warnings: list[str] = []
    for event in events:
        if not is_event(event):
            continue
        kind, _, phase = event["event"].removeprefix("on_").rpartition("_")
        if kind not in _KINDS:
            continue
        id = str(event["run_id"])
        run = runs.get(id)
        if run is None:
            run = runs[id] = _run(id, _KINDS[kind], event, runs)
        _learn(run, phase, event.get("data"), chunks.setdefault(id, []))
    for id, run in runs.items():
        if run["run_type"] == "llm" and run["outputs"] is None and chunks[id] and run["error"] is None:
            run["outputs"] = {"message": merged(chunks[id], warnings)}
            warnings.append("a model's answer has no end in this record: it is read from its chunks")
    return read_run_tree(list(runs.values()), reading, SOURCE, warnings)


def _run(id: str, kind: str, event: Mapping[str, Any], runs: Mapping[str, Any]) -> dict[str, Any]:
    parents = event.get("parent_ids")
    parent = next((str(each) for each in reversed(parents) if str(each) in runs), None) if isinstance(parents, list | tuple) else None
    metadata = event.get("metadata")
    return {
        "id": id,
        "parent_run_id": parent,
        "run_type": kind,
        "name": event.get("name"),
        "inputs": None,
        "outputs": None,
        "error": None,
        "extra": {"metadata": metadata if isinstance(metadata, Mapping) else {}},
    }


def _learn(run: dict[str, Any], phase: str, data: Any, chunks: list[Any]) -> None:
    if not isinstance(data, Mapping):
        return
    if data.get("input") is not None:
        run["inputs"] = data["input"]
    if data.get("tool_call_id"):
        run["extra"]["tool_call_id"] = data["tool_call_id"]
    if phase == "end":
        output = data.get("output")
        run["outputs"] = {"message": output} if run["run_type"] == "llm" and not _generations(output) else _outputs(output)
    elif phase == "error":
        run["error"] = data.get("error") or "error"
    elif phase == "stream" and run["run_type"] == "llm" and data.get("chunk") is not None:
        chunks.append(data["chunk"])


def _generations(output: Any) -> bool:
    return isinstance(output, Mapping) and "generations" in output


def _outputs(output: Any) -> Any:
    return output if isinstance(output, Mapping) and "type" not in output and "lc" not in output else {"output": output}


def read_events_v3(events: Iterable[Any], reading: Reading) -> Trajectory:
    """Read events of version 3: messages by their blocks, tools, and the states at the end."""
    parts: list[Part] = []
    messages: dict[tuple[str, Any], dict[str, Any]] = {}
    causes: dict[str, str] = {}
    warnings: list[str] = []
    for event in events:
        if not is_event_v3(event):
            continue
        params, method = event["params"], event["method"]
        namespace = params.get("namespace")
        place = "|".join(str(part) for part in namespace) if isinstance(namespace, list | tuple) else ""
        data = params.get("data")
        if method == "messages":
            part = _block(place, data, messages, len(parts))
            if part is not None:
                parts.append(part)
        elif method == "lifecycle":
            cause = data.get("cause") if isinstance(data, Mapping) else None
            if isinstance(cause, Mapping) and cause.get("tool_call_id"):
                causes[place] = str(cause["tool_call_id"])
        else:
            parts.append(Part(place, method, data))
    for (place, _), message in reversed(messages.items()):
        if message["content"] or message["tool_calls"]:
            warnings.append("a streamed message has no end in this record")
            parts.insert(message["begun"], Part(place, "messages", (_closed(message), message["metadata"])))
    return read_parts(parts, reading, SOURCE, causes, warnings)


def _block(place: str, data: Any, messages: dict[tuple[str, Any], dict[str, Any]], begun: int) -> Part | None:
    """One event of a message; the whole message when it is over."""
    if not isinstance(data, list | tuple) or len(data) != 2 or not isinstance(data[0], Mapping):
        return None
    event, metadata = data[0], data[1] if isinstance(data[1], Mapping) else {}
    kind = event.get("event")
    key = (place, str(metadata.get("langgraph_checkpoint_ns")))
    if kind == "message-start":
        messages[key] = {
            "id": event.get("id"),
            "content": [],
            "tool_calls": [],
            "invalid_tool_calls": [],
            "metadata": metadata,
            "begun": begun,
            "response_metadata": {},
        }
        return None
    message = messages.get(key)
    if kind is None and "type" in data[0]:
        return Part(place, "messages", (data[0], metadata))
    if message is None:
        return None
    if kind == "content-block-finish":
        block = event.get("content")
        if isinstance(block, Mapping):
            into = {"tool_call": "tool_calls", "invalid_tool_call": "invalid_tool_calls"}.get(str(block.get("type")), "content")
            message[into].append(block)
    elif kind == "message-finish":
        for name in ("response_metadata", "metadata"):
            if isinstance(event.get(name), Mapping):
                message["response_metadata"].update(event[name])
        if event.get("reason"):
            message["response_metadata"]["finish_reason"] = event["reason"]
        del messages[key]
        return Part(place, "messages", (_closed(message), metadata))
    return None


def _closed(message: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "ai", "name": None, **{name: value for name, value in message.items() if name not in ("metadata", "begun")}}
