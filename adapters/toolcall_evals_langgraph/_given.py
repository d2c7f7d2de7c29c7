"""What a tool's run was given, as LangChain's tracers store it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from toolcall_evals.messages import as_json, read_arguments


def arguments_of(inputs: Any) -> tuple[dict[str, Any] | None, str | None]:
    """What a tool's run was given: an object, or the one text that classic tools take."""
    if isinstance(inputs, Mapping):
        if len(inputs) == 1 and isinstance(inputs.get("input"), str):
            return _literal(inputs["input"]) or (dict(inputs), None)
        return dict(inputs), None
    if isinstance(inputs, str):
        return _literal(inputs) or read_arguments(inputs)
    return ({}, None) if inputs is None else (None, as_json(inputs))


def _literal(text: str) -> tuple[dict[str, Any] | None, None] | None:
    """Arguments as tracers without structured inputs store them: the `str` of a dict."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        found, _ = read_arguments(text)
    return (found, None) if isinstance(found, dict) and all(isinstance(key, str) for key in found) else None
