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
"""Characters of one call's arguments, and of its result, that are shown."""

SCHEMA_LENGTH = 2_000
"""Characters of one tool's schema that are shown."""

DOCUMENT_LENGTH = 60_000
"""Characters of the whole; past it results are cut first, then messages from the oldest, then arguments. Every call stays."""

_MARKERS = re.compile(r"\[(/?)(INST|SYS|SYSTEM|ASSISTANT|USER)\]", re.IGNORECASE)


def fenced(tag: str, document: Any) -> str:
    """A document between `<tag>` and `</tag>`, neither of which it can contain."""
    text = json.dumps(json_ready(document), ensure_ascii=False, indent=1)
    text = _MARKERS.sub(r"( \1\2 )", text).replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<{tag}>\n{text}\n</{tag}>"


def cut(text: str, length: int) -> str:
    """The text, or its beginning and end with the number of characters between that are left out."""
    if len(text) <= length:
        return text
    head, tail = length * 2 // 3, length // 3
    return f"{text[:head]} [... {len(text) - head - tail} characters left out ...] {text[-tail:] if tail else ''}"


def run_document(run: Trajectory, calls: Sequence[ToolInvocation]) -> dict[str, Any]:
    """The request, the conversation, the numbered calls and the answer of a run, cut to what a judge is shown."""
    for messages, text, result, value in (
        (len(run.messages), TEXT_LENGTH, VALUE_LENGTH, VALUE_LENGTH),
        (len(run.messages), TEXT_LENGTH, 300, VALUE_LENGTH),
        (12, 1_000, 100, VALUE_LENGTH),
        (6, 400, 40, 300),
        (2, 200, 20, 60),
    ):
        document = _document(run, calls, messages, text, result, value)
        if len(json.dumps(document, ensure_ascii=False)) <= DOCUMENT_LENGTH:
            break
    return document


def _document(run: Trajectory, calls: Sequence[ToolInvocation], messages: int, text: int, result: int, value: int) -> dict[str, Any]:
    told = [(role, said) for role, said in run.messages if role in ("user", "assistant") and said]
    kept = told[-messages:] if messages else []
    return {
        "request": cut(run.input or "", text),
        "conversation": [{"role": role, "text": cut(said, text)} for role, said in kept],
        "messages_left_out": len(told) - len(kept),
        "calls": [_call(number, call, result, value) for number, call in enumerate(calls, 1)],
        "answer": cut(run.final_text, text),
    }


def _call(number: int, call: ToolInvocation, result: int, value: int) -> dict[str, Any]:
    asked = call.raw_args if call.args is None else json.dumps(json_ready(call.args), ensure_ascii=False)
    shown: dict[str, Any] = {"call": number, "tool": call.name, "arguments": cut(asked or "", value), "status": call.status}
    if call.agent:
        shown["agent"] = call.agent
    if call.result is not None:
        shown["result"] = cut(call.result, result)
    if call.error and call.error != call.result:
        shown["error"] = cut(call.error, result)
    return shown


def tools_document(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools that were available, with what the agent was told of them."""
    return [
        {
            "name": tool.name,
            "description": cut(tool.description or "", SCHEMA_LENGTH),
            "parameters": cut(json.dumps(json_ready(tool.parameters), ensure_ascii=False), SCHEMA_LENGTH) if tool.parameters else None,
        }
        for tool in tools
    ]
