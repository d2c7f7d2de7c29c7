"""The tools that were offered to a model, from the schemas that a request lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._model import Tool


def tools_of(stated: Sequence[Any] | None) -> tuple[Tool, ...] | None:
    """
    The tools that were offered, from a list of schemas in any provider's form; None where there is no list, or none can be read.

    OpenAI chat nests them under `function`, Bedrock under `toolSpec`, Gemini lists `functionDeclarations`; Anthropic names the
    schema `input_schema`. A provider's own tool may have no name but its type.
    """
    if not isinstance(stated, list | tuple):
        return None
    tools = [tool for item in stated if isinstance(item, Mapping) for tool in _tools(item)]
    return tuple(tools) if tools or not stated else None


def _tools(item: Mapping[str, Any]) -> Iterator[Tool]:
    declared = item.get("functionDeclarations") or item.get("function_declarations")
    nested = item.get("function") or item.get("toolSpec") or item.get("custom") or item
    for each in declared if isinstance(declared, list | tuple) else [nested]:
        if not isinstance(each, Mapping):
            continue
        name, description = each.get("name") or each.get("type"), each.get("description")
        if isinstance(name, str) and name:
            yield Tool(name, description if isinstance(description, str) else None, _schema(each))


def _schema(stated: Mapping[str, Any]) -> Mapping[str, Any] | None:
    for key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema"):
        schema = stated.get(key)
        if isinstance(schema, Mapping):
            return schema["json"] if isinstance(schema.get("json"), Mapping) else schema
    return None
