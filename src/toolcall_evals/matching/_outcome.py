"""What came of a call, as expectations ask of it: did it succeed, and which value did it return?"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any

from .._model import ToolInvocation

LONGEST_PARSED = 200_000
"""Characters of a result's or arguments' text that are read as a value; a longer one stays text."""


def succeeded(call: ToolInvocation) -> bool:
    """Did the call run and return something else than an error: a mapping with `error` (not null, false, 0 or empty text) is one."""
    if call.status != "success" or call.error:
        return False
    if call.raw_result is None and (call.result is None or not ('"error"' in call.result or "\\u" in call.result)):
        return True
    return not any(_states_error(value) for value in result_values(call))


def _states_error(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    error = value.get("error")
    return not (error is None or error is False or (isinstance(error, str | int | float) and not error))


def result_values(call: ToolInvocation) -> list[Any]:
    """The readings of a result: its value, its text, and what the text says as JSON."""
    values = [] if call.raw_result is None else [call.raw_result]
    text = call.result if call.result is not None else call.raw_result if isinstance(call.raw_result, str) else None
    if call.result is not None:
        values.append(call.result)
    return values + ([] if text is None else _parsed(text, json.loads))


def argument_values(call: ToolInvocation) -> list[Any]:
    """The readings of arguments that are no object: their text, and what it says as JSON or as a Python literal."""
    if call.raw_args is None:
        return []
    return [call.raw_args, *_parsed(call.raw_args, json.loads), *_parsed(call.raw_args, ast.literal_eval)]


def _parsed(text: str, parse: Any) -> list[Any]:
    if len(text) > LONGEST_PARSED:
        return []
    try:
        return [parse(text)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return []
