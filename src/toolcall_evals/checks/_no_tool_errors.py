"""Did a tool call fail?"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._json import shown as text_of
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import amount, cut, place, quoted, uncounted

_SHOWN = 3
_SPELT = re.compile(r"\\u00(?:6[5fF]|72)").search  # an e, o or r of the key, written as an escape
_DIGITS = 4300  # of an integer: int() takes no more (CPython 3.11)


def no_tool_errors(
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Did no call fail?

    A call failed when its status is error or invalid, when it was left unfinished, when the source has an error text for it, or when its
    result (a dict, or text that is a JSON object) carries an `error` other than null, false, 0 or "". A rejected call is no tool error.
    A result that only reads like an error is none either; the comment names it.

    Args:
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `no_tool_errors`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0.
    """
    settings = {"scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    return Evaluator("no_tool_errors", _measure, settings, key=key, negative=True)


def _measure(run: Trajectory, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    for index, call in enumerate(calls):
        if call.status == "success" and not call.error and call.raw_result is None:
            text = call.result
            if not text or (type(text) is str and text[0] not in _OPENS):
                continue  # no JSON object: the usual cases, told here for the sake of speed
            if '"error"' not in text and ("\\" not in text or "\\u00" not in text):
                continue
        if _failed(call):
            return False, partial(_explained, run, scope, index)
    return True, partial(_explained, run, scope, len(calls))


def _failed(call: ToolInvocation) -> bool:
    status = call.status
    if status == "success":
        return bool(call.error) or _declares_error(call.result) or _declares_error(call.raw_result)
    return status != "rejected"


_SPACE = " \t\r\n"
"""JSON's white space."""

_OPENS = frozenset("{" + _SPACE)


def _declares_error(result: Any) -> bool:
    return result is not None and _declared(result) is not None


def _declared(result: Any) -> Any:
    """The `error` that a result carries; None where it carries none or an empty one."""
    if isinstance(result, str):
        if not _may_declare(result):
            return None
        result = _decoded(result)
    if not isinstance(result, Mapping):
        return None
    error = result.get("error")
    return None if isinstance(error, bool | int | float | str) and not error else error


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        return None
    except ValueError:
        if len(text) <= _DIGITS:
            return None
    try:
        return json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return None


def _may_declare(text: str) -> bool:
    """Whether it may be a JSON object with the key `error`: nearly every result is told apart here, without being decoded."""
    first = text[:1]
    if first != "{" and (first not in _SPACE or text.lstrip(_SPACE)[:1] != "{"):
        return False
    return '"error"' in text or ("\\" in text and "\\u00" in text and _SPELT(text) is not None)


def _explained(run: Trajectory, scope: setting.Scope, first: int) -> tuple[str, dict[str, Any]]:
    """Why; none of the calls before the `first` failed."""
    calls = scope.calls(run)
    failed = [index for index in range(first, len(calls)) if _failed(calls[index])]
    doubtful = [index for index, call in enumerate(calls) if _reads_like_one(call) and index not in failed]
    shown = "; ".join([f"{place(calls, index)}: {_reason(calls[index])}" for index in failed[:_SHOWN]])
    rest = f"; and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
    comment = f"{len(failed)} of {amount(len(calls), 'call')}{scope} failed{': ' if failed else ''}{shown}{rest}"
    if doubtful:
        one = doubtful[0]
        comment += f"; not counted: a result that reads like an error ({place(calls, one)}: {quoted(calls[one].result or '', 80)})"
    rejected = [call.status for call in calls].count("rejected")
    comment += f"; {amount(rejected, 'rejected call')}, no tool error" if rejected else ""
    details = {
        "calls": len(calls),
        "failed": [{"index": index, "name": calls[index].name, "id": calls[index].id, "reason": _reason(calls[index])} for index in failed],
        "reads_like_an_error": doubtful,
        "rejected": rejected,
    }
    return comment + uncounted(run, scope), details


def _reason(call: ToolInvocation) -> str:
    if call.status == "pending":
        return "left unfinished"
    if call.error:
        return f"{call.status}, {quoted(call.error, 100)}"
    if call.status == "success":
        declared = _declared(call.raw_result)
        return f"its result has the error {cut(text_of(_declared(call.result) if declared is None else declared, repr), 100)}"
    return f"{call.status}, {quoted(call.result, 100)}" if call.result else call.status


_BEGINS = frozenset("eEfFtT")
"""The first letters of what reads like an error; nothing else folds to the beginning of one of its words."""


def _reads_like_one(call: ToolInvocation) -> bool:
    result = call.result
    if not result or (result[0] not in _BEGINS and not result[0].isspace()) or call.status != "success":
        return False
    return result[:40].lstrip().casefold().startswith(("error", "exception", "traceback", "failed", "failure"))
