"""What a model asked for: the calls in its answer, in the shape of any provider that CrewAI passes on (crewai 1.15.30)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolcall_evals.messages import read_arguments

from ._fields import field


@dataclass(frozen=True, slots=True)
class Request:
    """
    One call in a model's answer.

    Attributes:
        name: The tool.
        args: The arguments, or None where they are no object.
        raw: Their text, then.
        id: The provider's call id.
    """

    name: str
    args: dict[str, Any] | None
    raw: str | None = None
    id: str | None = None


def requests_in(response: Any) -> list[Request]:
    """The calls in a model's answer; none in a text."""
    if isinstance(response, list | tuple):
        return [request for item in response if (request := read_request(item)) is not None]
    if response is None or isinstance(response, str):
        return []
    for name in ("tool_calls", "content", "parts"):
        inner = field(response, name)
        if isinstance(inner, list | tuple):
            return requests_in(inner)
    return []


def read_request(item: Any) -> Request | None:
    """
    Read one call, or None when it is none.

    OpenAI nests it under `function`, Gemini under `function_call`; Anthropic names the arguments `input`, Bedrock the id `toolUseId`.
    """
    if item is None or isinstance(item, str | int | float):
        return None
    nested = field(item, "toolUse")
    call = item if nested is None else nested
    inner = field(call, "function") or field(call, "function_call") or field(call, "functionCall")
    holder = call if inner is None or isinstance(inner, str) else inner
    name = field(holder, "name")
    arguments = next((value for key in ("arguments", "input", "args") if (value := field(holder, key)) is not None), None)
    if not isinstance(name, str) or (holder is call and arguments is None and not _is_call(call)):
        return None
    id = next((value for key in ("id", "toolUseId", "call_id") if isinstance(value := field(call, key), str)), None)
    if isinstance(arguments, Mapping):
        arguments = dict(arguments)
    args, raw = read_arguments(unquoted(arguments))
    return Request(unquoted(name), args, raw, id)


def unquoted(value: Any) -> Any:
    """A text without the quotes that `to_json` puts around texts at its depth limit (it writes their `repr` there)."""
    if not isinstance(value, str) or len(value) < 2 or value[0] not in "'\"" or value[0] != value[-1]:
        return value
    try:
        inner = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return inner if isinstance(inner, str) else value


def _is_call(call: Any) -> bool:
    return field(call, "type") in ("function", "tool_use", "tool_call", "function_call")
