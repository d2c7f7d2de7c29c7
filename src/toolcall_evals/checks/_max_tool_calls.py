"""How many calls were made?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._filling import most_calls, taken
from .._model import COUNTED_KINDS, Trajectory
from .._reference import Reference
from .._shown import amount, cut, listed, place, uncounted


def max_tool_calls(
    n: int | None = None,
    *,
    tool: str | None = None,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Were at most `n` calls made?

    Args:
        n: How many at most, from 0. None: each example's `max_tool_calls`, or as many as its reference run makes.
        tool: Count only this tool's calls; in an example's `max_tool_calls`, its number under its name, or the number for any tool.
        kinds: The kinds of calls to count; tools and server tools unless told otherwise, every kind of the `tool`.
        agent: The agents whose calls to count; every agent's unless told otherwise.
        key: The feedback key, instead of `max_tool_calls:<n>` or `max_tool_calls:<tool>:<n>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.

    Raises:
        ValueError: A number below 0, or an empty name.
    """
    settings = {
        "n": None if n is None else setting.count("n", n, 0),
        "tool": None if tool is None else setting.text("tool", tool),
        "scope": setting.scope(kinds, agent, COUNTED_KINDS if tool is None else None),
    }
    subject = [*([] if tool is None else [tool]), *([] if n is None else [str(n)])]
    fill = None if n is not None else partial(most_calls, "n") if tool is None else _of_tool
    shown = {"n": n, **({} if tool is None else {"tool": tool}), "scope": settings["scope"]}
    variant = ["example"] * (tool is not None and n is None)
    return Evaluator("max_tool_calls", _measure, settings, key=key, subject=subject, variant=variant, fill=fill, negative=True, shown=shown)


def used_no_tools(
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was no call made at all?

    Args:
        kinds: The kinds of calls to count; tools and server tools unless told otherwise.
        agent: The agents whose calls to count; every agent's unless told otherwise.
        key: The feedback key, instead of `used_no_tools`.

    Returns:
        An evaluator that scores 1.0 or 0.0. A record that could not have shown a call is not scored.
    """
    settings = {"n": 0, "tool": None, "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    return Evaluator("used_no_tools", _measure, settings, key=key, negative=True, shown={"scope": settings["scope"]})


def _of_tool(settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The limit of one tool."""
    stated, tool = reference.get("max_tool_calls") if reference else None, settings["tool"]
    if isinstance(stated, Mapping):
        stated = stated.get(tool)
    if stated is None and reference is not None and (calls := reference.calls(settings["scope"])) is not None:
        stated = sum([call.name == tool for call in calls])
    if stated is None:
        raise CouldNotScore(f"no limit is set for {cut(tool)}: give the number of calls, or 'max_tool_calls' in reference_outputs")
    return {**settings, "n": taken("max_tool_calls", stated, lambda name, value: setting.count(name, value, 0))}


def _measure(run: Trajectory, n: int, tool: str | None, scope: setting.Scope) -> Finding:
    names = scope.names(run)
    return (len(names) if tool is None else names.count(tool)) <= n, partial(_explained, run, n, tool, scope)


def _explained(run: Trajectory, n: int, tool: str | None, scope: setting.Scope) -> tuple[str, dict[str, Any]]:
    names = scope.names(run)
    counted = [index for index, name in enumerate(names) if tool is None or name == tool]
    over = f"; the first one too many is {place(scope.calls(run), counted[n])}" if len(counted) > n else ""
    what = amount(len(counted), "call") + ("" if tool is None else f" of {cut(tool)}")
    limit = f"at most {n} allowed" if n else "none allowed"
    comment = f"{what}{scope} made, {limit}{over}; calls: {listed(names)}{uncounted(run, scope)}"
    return comment, {"count": len(counted), "max": n, **({} if tool is None else {"tool": tool}), "calls": [*names]}
