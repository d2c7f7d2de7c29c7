"""Are the arguments valid for their tools?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._available import available as stated_tools
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._model import Tool, ToolInvocation, Trajectory
from .._shown import amount, cut, place, quoted, uncounted
from ._no_unknown_tools import TOOLS, offered_to, tool_of
from ._tool_schema import Validator, accepts, faults, properties, validator_of

_SHOWN = 3

Offered = Mapping[str, Mapping[str | None, Tool]]


def arguments_valid(
    available: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Are the arguments of each call valid for its tool?

    They are not where they cannot be read as a JSON object, where no such tool was available, where the tool has no argument of that name
    (unless its schema says `additionalProperties`), where they break the tool's JSON schema, and where the framework refused the request as
    faulty. The one text that a classic tool takes is held against its only argument. The schemas' `format` is not looked at.

    The extra `schema` (jsonschema-rs) is needed. Nothing that a schema refers to is fetched.

    Args:
        available: The tools with their schemas: JSON schemas of any provider, LangChain tools, callables, or such a list for each agent
            under its name. None: what the trace says was offered.
        kinds: The kinds of calls to look at; tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `arguments_valid`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0. Where no call is seen to be invalid, but the schema of one
        is not known or cannot be used, it could not score.

    Raises:
        ValueError: An item of `available` that is no tool.
    """
    tools = None if available is None else stated_tools("available", available)
    scope = setting.scope(kinds, agent, TOOLS)
    subject = None if tools is None else repr([(tool.name, tool.agent, tool.parameters) for tool in tools])
    shown = {**({} if tools is None else {"available": [tool.name for tool in tools]}), "scope": scope}
    settings = {"available": tools, "scope": scope}
    return Evaluator("arguments_valid", _measure, settings, key=key, subject=subject, negative=True, shown=shown)


def _measure(run: Trajectory, available: tuple[Tool, ...] | None, scope: setting.Scope) -> Finding:
    calls, tools = scope.calls(run), run.available_tools if available is None else available
    offered = None if tools is None else offered_to(tools)
    explain = partial(_explained, run, scope, calls, offered)
    unclear: CouldNotScore | None = None
    validators: dict[int, Validator] = {}
    for index, call in enumerate(calls):
        try:
            if not _is_valid(call, offered, validators):
                return False, explain
        except CouldNotScore as reason:
            unclear = unclear or CouldNotScore(f"{place(calls, index)}: {reason}")
    if unclear is not None:
        raise unclear
    return True, explain


def _is_valid(call: ToolInvocation, offered: Offered | None, validators: dict[int, Validator]) -> bool:
    tool = None if offered is None else tool_of(call, offered)
    if call.status == "invalid" or (offered is not None and tool is None):
        return False
    parameters = _parameters(call, tool)
    args = _judged(call, parameters)
    if args is None:
        return False
    validator = validators.get(id(parameters))
    if validator is None:
        validator = validators[id(parameters)] = validator_of(parameters)
    return accepts(validator, args)


def _is_known_invalid(call: ToolInvocation, offered: Offered | None, validators: dict[int, Validator]) -> bool:
    try:
        return not _is_valid(call, offered, validators)
    except CouldNotScore:
        return False


def _parameters(call: ToolInvocation, tool: Tool | None) -> Mapping[str, Any]:
    if call.args is None and call.raw_args is None:
        raise CouldNotScore("the record has its result and not its request")
    if tool is None or not isinstance(tool.parameters, Mapping):
        raise CouldNotScore(f"the JSON schema of {cut(call.name)} is not known; give available=")
    return tool.parameters


def _judged(call: ToolInvocation, parameters: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The arguments; of a tool that takes one text, under the name of its only argument. None where they are no object."""
    if call.args is not None:
        return call.args
    names = list(properties(parameters))
    return {names[0]: call.raw_args} if len(names) == 1 else None


def _faults(call: ToolInvocation, offered: Offered | None) -> list[dict[str, Any]]:
    """What is wrong with a call that is invalid."""
    tool = None if offered is None else tool_of(call, offered)
    if offered is not None and tool is None:
        return [{"path": "", "rule": "unknown tool", "message": "no such tool was available"}]
    if call.args is None and call.raw_args is not None and (call.status == "invalid" or not _takes_text(call, tool)):
        return [{"path": "", "rule": "unreadable", "message": f"no JSON object: {quoted(call.raw_args, 100)}"}]
    found: list[dict[str, Any]] = []
    try:
        parameters = _parameters(call, tool)
        found = faults(validator_of(parameters), _judged(call, parameters))
    except CouldNotScore:
        found = []
    if not found and call.status == "invalid":
        text = call.error or call.result
        return [{"path": "", "rule": "refused", "message": f"the framework refused it{f': {quoted(text, 200)}' if text else ''}"}]
    return found


def _takes_text(call: ToolInvocation, tool: Tool | None) -> bool:
    return tool is None or not isinstance(tool.parameters, Mapping) or _judged(call, tool.parameters) is not None


def _explained(
    run: Trajectory, scope: setting.Scope, calls: Sequence[ToolInvocation], offered: Offered | None
) -> tuple[str, dict[str, Any]]:
    validators: dict[int, Validator] = {}
    found = {index: _faults(call, offered) for index, call in enumerate(calls) if _is_known_invalid(call, offered, validators)}
    shown = "; ".join([f"{place(calls, index)}: {_text(found[index])}" for index in list(found)[:_SHOWN]])
    rest = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    comment = f"{len(found)} of {amount(len(calls), 'call')}{scope} with invalid arguments{': ' if found else ''}{shown}{rest}"
    details = {
        "calls": len(calls),
        "invalid": [
            {"index": index, "name": calls[index].name, "id": calls[index].id, "args": calls[index].args, "faults": wrong}
            for index, wrong in found.items()
        ],
    }
    return comment + uncounted(run, scope), details


def _text(wrong: Sequence[Mapping[str, Any]]) -> str:
    parts = [f"{cut(fault['path'], 120) or 'the call'}: {cut(fault['message'], 120)} ({fault['rule']})" for fault in wrong[:_SHOWN]]
    return ", ".join(parts) + (f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else "")
