"""Did the agent call only tools that it has?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._available import available as stated_tools
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._model import Tool, ToolInvocation, Trajectory
from .._shown import amount, cut, listed, place, uncounted

TOOLS = frozenset({"tool"})
"""The kinds whose names and arguments can be held against what was offered: a provider runs none of its own tools that it has not."""

_SHOWN = 3


def no_unknown_tools(
    available: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Did the agent call only tools that it has?

    A tool that is known to be one agent's is unknown to the others.

    Args:
        available: The tools: names, mappings with a name, JSON schemas of any provider, LangChain tools, callables, or such a list for
            each agent under its name. None: what the trace says was offered.
        kinds: The kinds of calls to look at; tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `no_unknown_tools`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0. Calls of a trace that does not say what was offered are not
        scored.

    Raises:
        ValueError: An item of `available` that is no tool.
    """
    tools, scope = None if available is None else stated_tools("available", available), setting.scope(kinds, agent, TOOLS)
    settings = {"available": tools, "scope": scope}
    subject = None if tools is None else [_word(tool) for tool in tools]
    shown = {**({} if tools is None else {"available": subject}), "scope": scope}
    variant = ["none"] * (subject == [])
    return Evaluator("no_unknown_tools", _measure, settings, key=key, subject=subject, variant=variant, negative=True, shown=shown)


def _word(tool: Tool) -> str:
    return tool.name if tool.agent is None else f"{tool.agent}.{tool.name}"


def offered_to(tools: Iterable[Tool]) -> dict[str, dict[str | None, Tool]]:
    """The tools by name, then by the agent that has them; None for every agent."""
    by_name: dict[str, dict[str | None, Tool]] = {}
    for tool in tools:
        by_name.setdefault(tool.name, {}).setdefault(tool.agent, tool)
    return by_name


def tool_of(call: ToolInvocation, offered: Mapping[str, Mapping[str | None, Tool]]) -> Tool | None:
    """The tool that a call asks for, or None where its agent has none of this name; of an agent that is not known any tool will do."""
    known = offered.get(call.name)
    if not known:
        return None
    if call.agent is None:
        return next(iter(known.values()))
    return known.get(call.agent) or known.get(None)


def _measure(run: Trajectory, available: tuple[Tool, ...] | None, scope: setting.Scope) -> Finding:
    calls, tools = scope.calls(run), run.available_tools if available is None else available
    if tools is None and calls:
        raise CouldNotScore("the trace does not say which tools were available; give available=")
    offered = offered_to(tools or ())
    unknown = [index for index, call in enumerate(calls) if tool_of(call, offered) is None]
    return not unknown, partial(_explained, run, scope, calls, offered, unknown)


def _explained(
    run: Trajectory,
    scope: setting.Scope,
    calls: Sequence[ToolInvocation],
    offered: Mapping[str, Mapping[str | None, Tool]],
    unknown: Sequence[int],
) -> tuple[str, dict[str, Any]]:
    shown = "; ".join([f"{place(calls, index)}{_whose(calls[index], offered)}" for index in unknown[:_SHOWN]])
    rest = f"; and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    comment = f"{len(unknown)} of {amount(len(calls), 'call')}{scope} of unknown tools{': ' if unknown else ''}{shown}{rest}"
    comment += f"; available: {listed(offered)}"
    details = {
        "calls": len(calls),
        "unknown": [{"index": index, "name": calls[index].name, "id": calls[index].id, "agent": calls[index].agent} for index in unknown],
        "available": sorted(offered),
    }
    return comment + uncounted(run, scope), details


def _whose(call: ToolInvocation, offered: Mapping[str, Mapping[str | None, Tool]]) -> str:
    """Who has the tool that this agent has not, or which name is nearest."""
    if call.name in offered:
        return f", a tool of {listed([str(agent) for agent in offered[call.name]])} and not of {cut(str(call.agent))}"
    nearest = _nearest(call, offered)
    return f", nearest {cut(nearest)}" if nearest else ""


def _nearest(call: ToolInvocation, offered: Mapping[str, Mapping[str | None, Tool]]) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(call.name[:100], list(offered)[:1000], 1) if call.name not in offered else []
    return near[0] if near else None
