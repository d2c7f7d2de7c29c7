"""What a judge is shown of a run: data, fenced, so that nothing in a trace can speak to the judge.

A run is shown as one JSON document. JSON keeps every text on one line and inside quotes; `<` and `>` are escaped, so that no text can
close the fence or hold a chat template's role marker; brackets of instruction markers are set apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from .._json import json_ready
from .._model import Tool, ToolInvocation, Trajectory

TEXT_LENGTH = 4_000
"""Characters of one message that are shown."""

VALUE_LENGTH = 2_000
"""Characters of one call's arguments, of its result, and of one tool's description or schema that are shown."""

DOCUMENT_LENGTH = 60_000
"""Characters of the run; past it results are cut first, then messages from the oldest, then arguments. Every call stays."""

TOOLS_LENGTH = 30_000
"""Characters of all tools; past it schemas are cut first, then descriptions. Every tool stays."""

_MARKERS = re.compile(r"\[(/?)(INST|SYS|SYSTEM|ASSISTANT|USER)\]", re.IGNORECASE)


def fenced(tag: str, document: Any) -> str:
    """A document between `<tag>` and `</tag>`, neither of which it can contain."""
    return f"<{tag}>\n{fence_free(json.dumps(json_ready(document), ensure_ascii=False, indent=1))}\n</{tag}>"


def fence_free(text: str) -> str:
    """JSON text, or a part of it, with the same meaning to a reader and without anything that a prompt's structure is made of."""
    return _MARKERS.sub(r"( \1\2 )", text).replace("<", "\\u003c").replace(">", "\\u003e")


def cut(text: str, length: int) -> str:
    """The text, or its beginning and end with the number of characters between that are left out."""
    if len(text) <= length:
        return text
    head, tail = length * 2 // 3, length // 3
    return f"{text[:head]} [... {len(text) - head - tail} characters left out ...] {text[-tail:] if tail else ''}"


def run_document(run: Trajectory, calls: Sequence[ToolInvocation]) -> dict[str, Any]:
    """The request, the conversation, the numbered calls and the answer of a run, cut to what a judge is shown."""
    told = _told(run)
    document: dict[str, Any] = {}
    for messages, text, result, value in (
        (len(told), TEXT_LENGTH, VALUE_LENGTH, VALUE_LENGTH),
        (len(told), TEXT_LENGTH, 300, VALUE_LENGTH),
        (12, 1_000, 100, VALUE_LENGTH),
        (6, 400, 40, 300),
        (2, 200, 20, 60),
    ):
        document = _document(run, told, calls, messages, text, result, value)
        if len(json.dumps(document, ensure_ascii=False)) <= DOCUMENT_LENGTH:
            break
    return document


def tools_document(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools that were available, with what the agent was told of them."""
    document: list[dict[str, Any]] = []
    for description, schema in ((VALUE_LENGTH, VALUE_LENGTH), (VALUE_LENGTH, 300), (200, 60), (60, 0)):
        document = [_tool(tool, description, schema) for tool in tools]
        if len(json.dumps(document, ensure_ascii=False)) <= TOOLS_LENGTH:
            break
    return document


def _told(run: Trajectory) -> list[tuple[str, str]]:
    """What user and assistant said, up to the end of what is scored."""
    messages = run.messages[: run.turns[-1].end] if run.turns else run.messages
    return [(role, said) for role, said in messages if role in ("user", "assistant") and said]


def _document(
    run: Trajectory, told: Sequence[tuple[str, str]], calls: Sequence[ToolInvocation], messages: int, text: int, result: int, value: int
) -> dict[str, Any]:
    kept = told[-messages:] if messages else []
    shown: dict[str, Any] = {
        "request": None if run.input is None else cut(run.input, text),
        "conversation": [{"role": role, "text": cut(said, text)} for role, said in kept],
        "calls": [_call(number, call, result, value) for number, call in enumerate(calls, 1)],
        "answer": cut(run.final_text, text),
    }
    if len(kept) < len(told):
        shown["messages_left_out"] = len(told) - len(kept)
    claimed = [call.name for call in run.invocations if call.status == "hallucinated"]
    if claimed:
        shown["results_stated_without_a_call"] = claimed[:20]
    return shown


def _call(number: int, call: ToolInvocation, result: int, value: int) -> dict[str, Any]:
    asked = call.raw_args if call.args is None else _json(call.args)
    shown: dict[str, Any] = {"call": number, "tool": call.name, "arguments": cut(asked or "", value), "status": call.status}
    if call.agent:
        shown["agent"] = call.agent
    if call.kind != "tool":
        shown["kind"] = call.kind
    returned = call.result if call.result is not None or call.raw_result is None else _json(call.raw_result)
    if returned is not None:
        shown["result"] = cut(returned, result)
    if call.error and call.error != call.result:
        shown["error"] = cut(call.error, result)
    return shown


def _tool(tool: Tool, description: int, schema: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": tool.name}
    if tool.agent:
        shown["agent"] = tool.agent
    if tool.description:
        shown["description"] = cut(tool.description, description)
    if tool.parameters and schema:
        shown["parameters"] = cut(_json(tool.parameters), schema)
    return shown


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(json_ready(value), ensure_ascii=False)
