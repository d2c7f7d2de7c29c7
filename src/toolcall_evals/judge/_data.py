"""What a judge is shown of a run: data, fenced, so that nothing in a trace can speak to the judge.

A run is shown as one JSON document. JSON keeps every text on one line and inside quotes; `<` and `>` are escaped, so that no text can
close the fence or hold a chat template's role marker; brackets of instruction markers are set apart.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from .._errors import CouldNotScore
from .._json import json_ready
from .._model import Tool, ToolInvocation, Trajectory

TEXT_LENGTH = 4_000
"""Characters of one message that are shown."""

VALUE_LENGTH = 2_000
"""Characters of one call's arguments, of its result, and of one tool's description or schema that are shown."""

DOCUMENT_LENGTH = 60_000
"""Characters of the run as it is sent; past it everything is cut by the same share, as little as makes it fit, results twice as much, and
the middle of the conversation goes. Every call stays, at the least as its number, name and status; what is left out is said."""

TOOLS_LENGTH = 30_000
"""Characters of all tools as they are sent; past it descriptions and schemas are cut as little as makes them fit. Every name stays."""

NAME_LENGTH = 64
"""Characters of a tool's name as a judge sees and answers it."""

LEAST = 20
"""A text with a share of fewer characters than this is left out, with a word that it is."""

_STEPS = 32
_SHRINK = 0.8
"""What a step leaves of every share."""

_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")
_INSTRUCTION = re.compile(r"\[(/?)\s*(INST|SYS|SYSTEM|ASSISTANT|USER)\s*\]", re.IGNORECASE)
_ROLES = re.compile(r"(system|human|assistant|user|developer|tool|model|instructions?)((?:\s|[*_]|\\[nrt])*):", re.IGNORECASE)
_NAME = re.compile(r"[\w.\-]+")


def fenced(tag: str, document: Any) -> str:
    """A document between `<tag>` and `</tag>`, neither of which it can contain."""
    return f"<{tag}>\n{fence_free(json.dumps(json_ready(document), ensure_ascii=False, indent=1))}\n</{tag}>"


def fence_free(text: str) -> str:
    """
    JSON text, or a part of it, with the same meaning to a reader and without anything that a prompt's structure is made of.

    Escaped are angle brackets, runs of `#` and of backticks, the colon after a role's name, and every character beyond ASCII that
    controls, formats, separates lines, has no meaning, or is another form of a bracket, a bar, a colon or the like (NFKC).
    """
    text = _UNUSUAL.sub(_escaped, text)
    text = _INSTRUCTION.sub(r"( \1\2 )", text).replace("<", "\\u003c").replace(">", "\\u003e")
    return _ROLES.sub(r"\1\2\\u003a", text).replace("##", "\\u0023\\u0023").replace("```", "\\u0060" * 3)


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    plain = unicodedata.normalize("NFKC", character)
    harmless = unicodedata.category(character)[0] not in "CZ" and not any(each in '<>[]{}|#:`"\\' for each in plain)
    return character if harmless else json.dumps(character)[1:-1]


def shown_name(name: str) -> str:
    """The name by which a judge knows a tool: itself, or, where it is long or no identifier, a cleaned one with a digest of the whole."""
    if len(name) <= NAME_LENGTH and _NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{'_'.join(_NAME.findall(name[:200]))[: NAME_LENGTH // 3]}_{digest}"


def cut(text: str, length: int) -> str:
    """The text, or its beginning and end with the number of characters between that are left out."""
    if len(text) <= length:
        return text
    head, tail = length * 2 // 3, length // 3
    return f"{text[:head]} [... {len(text) - head - tail} characters left out ...] {text[-tail:] if tail else ''}"


def run_document(run: Trajectory, calls: Sequence[ToolInvocation]) -> dict[str, Any]:
    """
    The request, the conversation, the numbered calls and the answer of a run, cut to what a judge is shown.

    Raises:
        CouldNotScore: Too many calls to show even the number, name and status of each.
    """
    told = _told(run)
    whole = [_whole(call) for call in calls]
    step = _least(lambda step: _fits(_document(run, told, calls, whole, step), DOCUMENT_LENGTH))
    if step is not None:
        return _document(run, told, calls, whole, step)
    document = _document(run, told, calls, whole, _STEPS)

    def lined(step: int) -> dict[str, Any]:
        lines = [_line(number, call, texts, step) for number, (call, texts) in enumerate(zip(calls, whole, strict=True), 1)]
        return {**document, "calls": lines, "left_out": LINED}

    step = _least(lambda step: _fits(lined(step), DOCUMENT_LENGTH))
    if step is not None:
        return lined(step)
    raise CouldNotScore(f"{len(calls)} calls are too many for a judge, who is shown at most {DOCUMENT_LENGTH} characters of a run")


def _least(fits: Callable[[int], bool]) -> int | None:
    """The first step from which on it fits, or None."""
    if fits(0):
        return 0
    below, above = 0, _STEPS
    if not fits(above):
        return None
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if fits(middle) else (middle, above)
    return above


def _share(length: int, step: int) -> int:
    return int(length * _SHRINK**step)


def tools_document(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """
    The tools that were available, with what the agent was told of them.

    Raises:
        CouldNotScore: Too many tools to show even their names.
    """
    schemas = ["" if not tool.parameters else _json(tool.parameters) for tool in tools]

    def document(step: int) -> list[dict[str, Any]]:
        return [_tool(tool, schema, step) for tool, schema in zip(tools, schemas, strict=True)]

    step = _least(lambda step: _fits(document(step), TOOLS_LENGTH))
    if step is not None:
        return document(step)
    named = [{"name": shown_name(tool.name)} for tool in tools]
    if _fits(named, TOOLS_LENGTH):
        return named
    raise CouldNotScore(f"{len(tools)} tools are too many for a judge, who is shown at most {TOOLS_LENGTH} characters of them")


def _fits(document: Any, length: int) -> bool:
    return len(fenced("tools", document)) <= length


def _told(run: Trajectory) -> list[tuple[str, str]]:
    """What user and assistant said, up to the end of what is scored."""
    messages = run.messages[: run.turns[-1].end] if run.turns else run.messages
    return [(role, said) for role, said in messages if role in ("user", "assistant") and said]


def _document(
    run: Trajectory, told: Sequence[tuple[str, str]], calls: Sequence[ToolInvocation], whole: Sequence[tuple[str, str, str]], step: int
) -> dict[str, Any]:
    text, most = max(_share(TEXT_LENGTH, step), 100), max(_share(200, step), 2)
    gap = ("note", f"[{len(told) - most} messages left out]")
    kept = told if len(told) <= most else [told[0], gap, *told[1 - most :]]
    shown: dict[str, Any] = {
        "request": None if run.input is None else cut(run.input, text),
        "conversation": [{"role": role, "text": cut(said, text)} for role, said in kept],
        "calls": [_call(number, call, texts, step) for number, (call, texts) in enumerate(zip(calls, whole, strict=True), 1)],
        "answer": cut(run.final_text, text),
    }
    if len(told) > most:
        shown["messages_left_out"] = len(told) - most
    claimed = [shown_name(call.name) for call in run.invocations if call.status == "hallucinated"]
    if claimed:
        shown["results_stated_without_a_call"] = claimed[:20]
    return shown


def _whole(call: ToolInvocation) -> tuple[str, str, str]:
    """Arguments, result and error of a call as text, uncut."""
    asked = call.raw_args if call.args is None else _json(call.args)
    returned = call.result if call.result is not None or call.raw_result is None else _json(call.raw_result)
    return asked or "", returned or "", call.error if call.error and call.error != call.result else ""


def _call(number: int, call: ToolInvocation, texts: tuple[str, str, str], step: int) -> dict[str, Any]:
    asked, returned, error = texts
    result = _share(VALUE_LENGTH, 2 * step)
    name = shown_name(call.name)
    shown: dict[str, Any] = {"call": number, "tool": name, "status": call.status}
    _put(shown, "named", "" if name == call.name else call.name, _share(VALUE_LENGTH // 4, step))
    _put(shown, "arguments", asked, _share(VALUE_LENGTH, step))
    _put(shown, "agent", call.agent or "", _share(VALUE_LENGTH // 10, step))
    if call.kind != "tool":
        shown["kind"] = call.kind
    _put(shown, "result", returned, result)
    _put(shown, "error", error, result)
    return shown


LINED = "the run is long: each call is one line, number, tool, arguments, status and result, the texts cut or left out"


def _line(number: int, call: ToolInvocation, texts: tuple[str, str, str], step: int) -> str:
    """A call in one line, for runs of hundreds of them."""
    asked, returned, error = [text if len(text) <= (most := _share(200, step)) else text[:most] for text in texts]
    told = f" -> {error or returned}" if error or returned else ""
    return f"{number} {shown_name(call.name)}{f' {asked}' if asked else ''} {call.status}{told}"


def _tool(tool: Tool, schema: str, step: int) -> dict[str, Any]:
    name = shown_name(tool.name)
    shown: dict[str, Any] = {"name": name}
    _put(shown, "named", "" if name == tool.name else tool.name, _share(VALUE_LENGTH // 4, step))
    _put(shown, "agent", tool.agent or "", _share(VALUE_LENGTH // 10, step))
    _put(shown, "description", tool.description or "", _share(VALUE_LENGTH, step))
    _put(shown, "parameters", schema, _share(VALUE_LENGTH, step))
    return shown


def _put(shown: dict[str, Any], key: str, text: str, length: int) -> None:
    if not text:
        return
    brief = f"[{len(text)} characters left out]"
    shown[key] = cut(text, length) if length >= LEAST or len(text) <= max(length, len(brief)) else brief


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(json_ready(value), ensure_ascii=False)
