"""What is mutated: small records of every form, of the project's own recordings and, where they lie beside it, of real traces."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "tests" / "recordings"
SHARED = ROOT.parent / "shared"

MOST_CHARACTERS = 1_800
SIZES = ((600, 8), (160, 5), (60, 3), (30, 2))
"""Longest text and most items of a list to which records are cut, until they have no more than `MOST_CHARACTERS`."""


class Seed(NamedTuple):
    """A record, and how it is to be read."""

    value: Any
    form: str | None = None
    adapter: str | None = None


_FORMS = {
    "model_dump": "langchain",
    "messages_to_dict": "langchain",
    "dumpd": "langchain",
    "dumps": "langchain",
    "message_chunks": "langchain",
    "state": "states",
    "platform_state": "snapshots",
    "platform_thread": "snapshots",
    "state_snapshot": "snapshots",
    "state_history": "history",
    "agent_executor": "states",
    "langsmith_run_tree": "run_trees",
    "langsmith_runs_flat": "run_trees",
    "astream_events_v2": "events",
    "astream_events_v3": "events",
    "crewai.events": "crewai_events",
    "crewai.events.to_json": "crewai_events",
    "crewai.output_log_file": "crewai_spans",
    "crewai.agent.tools_results": "crewai_outputs",
    "crewai.crew_output": "crewai_outputs",
    "crewai.lite_agent_output": "crewai_outputs",
    "crewai.task_output.messages": "crewai_text",
    "openinference.spans": "crewai_spans",
    "otel.gen_ai.spans": "crewai_spans",
}
"""Which target a recording is for, by its form; the others are streams."""

_APIS = {
    "anthropic": "anthropic",
    "bedrock": "anthropic",
    "gemini": "gemini",
    "responses": "responses",
    "langchain": "langchain",
    "runs": "run_trees",
    "platform": "streams",
}
"""Which target a real trace is for, by a word of its interface."""

_USER = {"role": "user", "content": "What is the weather in Paris?"}
_OPENAI_CALLS = [{"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}]

_WRITTEN: dict[str, list[Any]] = {
    "chat": [
        [
            _USER,
            {"role": "assistant", "content": None, "tool_calls": _OPENAI_CALLS},
            {"role": "tool", "tool_call_id": "call_1", "content": "22 C"},
            {"role": "assistant", "content": "It is 22 C."},
        ],
        [
            {"role": "system", "content": "Help."},
            {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
            {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "done"},
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "run", "input": "ls"}}]},
        ],
        {
            "messages": [_USER],
            "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}],
            "response": {
                "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": _OPENAI_CALLS}}],
                "usage": {"total_tokens": 7},
            },
        },
    ],
    "responses": [
        [
            _USER,
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"x": 1}', "status": "completed"},
            {"type": "function_call_output", "call_id": "c1", "output": "done"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
        ],
        {
            "object": "response",
            "status": "completed",
            "output": [
                {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"type": "search", "query": "x"}},
                {"type": "mcp_approval_request", "id": "m1", "name": "g", "arguments": "{}", "server_label": "s"},
                {"type": "mcp_call", "id": "m2", "approval_request_id": "m1", "name": "g", "arguments": "{}", "output": "o", "error": None},
                {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "ls"},
                {"type": "code_interpreter_call", "id": "ci", "code": "1", "outputs": [{"type": "logs", "logs": "1"}]},
                {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"]}},
                {"type": "shell_call_output", "call_id": "s1", "output": [{"stdout": "", "outcome": {"type": "exit", "exit_code": 0}}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
            ],
            "usage": {"total_tokens": 3},
        },
    ],
    "anthropic": [
        [
            _USER,
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}},
                    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
                    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "url": "u"}]},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done", "is_error": False}]},
            {"role": "assistant", "content": "Done."},
        ],
        [
            {"role": "user", "content": [{"text": "Hello"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "b1", "name": "f", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "b1", "content": [{"json": {"a": 1}}], "status": "success"}}]},
        ],
        {
            "role": "assistant",
            "type": "message",
            "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}],
            "stop_reason": "tool_use",
        },
    ],
    "gemini": [
        {
            "contents": [
                {"role": "user", "parts": [{"text": "Weather?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"x": 1}}}, {"text": "I look.", "thought": True}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "22"}}}]},
            ],
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": {}}]}],
            "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "22."}]}, "finishReason": "STOP"}]},
        },
        [
            {"role": "user", "parts": [{"text": "Compute"}]},
            {
                "role": "model",
                "parts": [
                    {"executable_code": {"code": "1", "language": "PYTHON"}},
                    {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "1"}},
                    {"function_call": {"name": "f", "args": {}, "id": "1"}},
                ],
            },
            {"role": "function", "parts": [{"function_response": {"name": "f", "id": "1", "response": {"error": "no"}}}]},
        ],
    ],
    "chunks": [
        [
            {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]},
            {
                "id": "x",
                "choices": [
                    {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x'}}]}}
                ],
            },
            {"id": "x", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": '": 1}'}}]}}]},
            {"id": "x", "choices": [{"index": 0, "delta": {"function_call": {"name": "g", "arguments": "{}"}}}]},
            {"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}], "usage": {"total_tokens": 1}},
        ],
        [
            _USER,
            {"choices": [{"delta": {"tool_calls": [{"id": "a", "custom": {"name": "run", "input": "ls"}}]}}]},
            {"choices": [{"delta": {"content": "x"}, "finish_reason": "length"}]},
            {"id": "y", "choices": [{"index": 1, "delta": {"content": "other"}}]},
        ],
    ],
}
"""Records as providers' documentation shows them."""


@functools.cache
def seeds(group: str) -> tuple[Seed, ...]:
    """The seeds of one target, smallest first."""
    found = [Seed(value, "openai_chunks" if group == "chunks" else None) for value in _WRITTEN.get(group, [])]
    for folder in (RECORDINGS, SHARED / "recordings"):
        for path in sorted(folder.glob("*/*.json")):
            if folder is RECORDINGS or not (RECORDINGS / path.parent.name / path.name).exists():
                case = json.loads(path.read_text(encoding="utf-8"))
                form = case["form"]
                if _FORMS.get(form, "streams") == group:
                    found.append(_read_as(form, _small(case["payload"])))
    found += [Seed(_small(value)) for value in _real(group)]
    found.sort(key=lambda seed: len(_text(seed.value)))
    return tuple([seed for seed in found if len(_text(seed.value)) <= MOST_CHARACTERS] or found[:1])


def _read_as(form: str, payload: Any) -> Seed:
    if form.startswith("crewai") or form.endswith("spans"):
        return Seed(payload, None, "crewai")
    return Seed(payload, form if form.startswith(("stream_", "astream_")) or form == "message_chunks" else None)


def _real(group: str) -> list[Any]:
    """The three shortest real traces of each source, by the format that they have."""
    found: list[Any] = []
    for path in sorted((SHARED / "real_traces").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        of_group = [row for row in rows if _group(row) == group]
        of_group.sort(key=lambda row: len(json.dumps(row)))
        for row in of_group[:3]:
            found += [row[key] for key in ("messages", "raw") if row.get(key)]
    return found


def _group(row: dict[str, Any]) -> str:
    api, form = str(row["api"]), row["format"]
    for word, group in _APIS.items():
        if word in api:
            return group
    return "crewai_text" if form == "crewai" else "chat"


def _small(value: Any) -> Any:
    """A record cut to a size that is read in a fraction of a millisecond: long texts and lists, not what they are made of."""
    for longest, most in SIZES:
        value = _cut(value, longest, most)
        if len(_text(value)) <= MOST_CHARACTERS:
            break
    return value


def _cut(value: Any, longest: int, most: int, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else value[: longest // 2] + value[-longest // 2 :]
    if isinstance(value, list):
        return [_cut(item, longest, most, depth + 1) for item in (value if depth == 0 and len(value) < 3 * most else value[: 2 * most])]
    if isinstance(value, dict):
        return {key: _cut(item, longest, most, depth + 1) for key, item in value.items()}
    return value


def _text(value: Any) -> str:
    return json.dumps(value)
