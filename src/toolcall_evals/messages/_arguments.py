"""Arguments of a tool call, as providers send them: an object, its JSON text, or something broken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic_core import from_json

from ._text import as_json

Arguments: TypeAlias = tuple[dict[str, Any] | None, str | None]
"""(the object, None), or (None, the text) where there is no readable object."""

_decode = json.JSONDecoder().decode


def read_arguments(value: Any) -> Arguments:
    """
    Read the arguments of a finished call.

    Args:
        value: An object, or its JSON text. None, an empty text and `null` are what models send for a tool without
            arguments (OpenAI, LangChain): they mean {}.

    Returns:
        The object, or None with the text as it came; a list, a number and broken JSON are no object.
    """
    if isinstance(value, str):
        return _read_text(value)
    if isinstance(value, dict):
        return value, None
    if value is None:
        return {}, None
    return (dict(value), None) if isinstance(value, Mapping) else (None, as_json(value))


def _read_text(text: str) -> Arguments:
    try:
        found = from_json(text)
    except ValueError:  # what json reads and pydantic does not: lone surrogates, deep nesting; or no JSON at all
        try:
            found = _decode(text)
        except (ValueError, RecursionError):
            return (None, text) if text.strip() else ({}, None)
    if type(found) is dict:
        return found, None
    return ({}, None) if found is None else (None, text)
