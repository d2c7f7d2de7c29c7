"""The tools that an agent had, in whatever form the caller has them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _settings as setting
from .._model import Tool
from ..messages import tools_of


def offered(stated: Sequence[Any]) -> tuple[Tool, ...]:
    """
    The tools of the setting `available_tools`: names, mappings with a name, JSON schemas of any provider, LangChain tools, callables.

    Raises:
        ValueError: An item that is none of these.
    """
    if isinstance(stated, str) or not isinstance(stated, list | tuple):
        setting.refuse("available_tools", stated, "a list of tools")
    return tuple([tool for item in stated for tool in _tools(item)])


def _tools(item: Any) -> tuple[Tool, ...]:
    if isinstance(item, Tool):
        return (item,)
    if isinstance(item, str) and item:
        return (Tool(item),)
    if isinstance(item, Mapping):
        found = tools_of([item])
    else:
        found = (_object(item),) if isinstance(getattr(item, "name", None) or getattr(item, "__name__", None), str) else ()
    if not found:
        setting.refuse("available_tools", item, "names, mappings with a name, JSON schemas, LangChain tools or callables")
    return found


def _object(item: Any) -> Tool:
    """A LangChain tool (`name`, `description`, `args_schema`), or a function by its name, docstring and parameters."""
    name, schema = getattr(item, "name", None), getattr(item, "args_schema", None)
    if isinstance(name, str):
        parameters = (
            schema
            if isinstance(schema, Mapping)
            else schema.model_json_schema()
            if schema is not None and hasattr(schema, "model_json_schema")
            else None
        )
        return Tool(name, getattr(item, "description", None), parameters)
    try:
        names = [each for each in inspect.signature(item).parameters if each != "self"]
    except (TypeError, ValueError):
        names = []
    properties: dict[str, Any] = {each: {} for each in names}
    return Tool(item.__name__, inspect.getdoc(item), {"type": "object", "properties": properties})
