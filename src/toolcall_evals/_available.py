"""The tools that an agent had, in whatever form the caller has them: the setting `available` of checks and scorers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import _settings as setting
from ._model import Tool

_ALLOWED = "names, mappings with a name, JSON schemas, LangChain tools or callables"


def available(name: str, stated: Sequence[Any] | Mapping[str, Sequence[Any]]) -> tuple[Tool, ...]:
    """
    The tools that a setting states.

    Args:
        name: The setting.
        stated: A list of names, mappings with a name, JSON schemas of any provider, LangChain tools or callables; or such a list for each
            agent, under its name.

    Raises:
        ValueError: An item that is none of these.
    """
    if isinstance(stated, Mapping) and stated and all(isinstance(tools, list | tuple) for tools in stated.values()):
        return tuple([replace(tool, agent=str(agent)) for agent, tools in stated.items() for tool in available(name, tools)])
    if isinstance(stated, str) or not isinstance(stated, list | tuple):
        setting.refuse(name, stated, "a list of tools, or one for each agent")
    return tuple([tool for item in stated for tool in _tools(name, item)])


def _tools(name: str, item: Any) -> tuple[Tool, ...]:
    from .messages import tools_of

    if isinstance(item, Tool):
        return (item,)
    if isinstance(item, str) and item:
        return (Tool(item),)
    if isinstance(item, Mapping):
        found = tools_of([item])
    else:
        found = (_object(item),) if isinstance(getattr(item, "name", None) or getattr(item, "__name__", None), str) else ()
    if not found:
        setting.refuse(name, item, _ALLOWED)
    return found


def _object(item: Any) -> Tool:
    """A LangChain tool (`name`, `description`, `args_schema`), or a function by its name, docstring and parameters."""
    name, schema = getattr(item, "name", None), getattr(item, "args_schema", None)
    if isinstance(name, str):
        schema = getattr(item, "tool_call_schema", None) or schema  # without what the runtime puts in (langchain-core 1.0)
        parameters = (
            schema
            if isinstance(schema, Mapping)
            else schema.model_json_schema()
            if schema is not None and hasattr(schema, "model_json_schema")
            else None
        )
        return Tool(name, getattr(item, "description", None), parameters)
    return Tool(item.__name__, inspect.getdoc(item), _parameters(item))


def _parameters(function: Any) -> dict[str, Any]:
    """The names of a function's parameters as a JSON schema."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {"type": "object"}
    named = [each.name for each in found if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    properties: dict[str, Any] = {each: {} for each in named if each != "self"}
    more = {"additionalProperties": True} if any(each.kind is each.VAR_KEYWORD for each in found) else {}
    return {"type": "object", "properties": properties, **more}
