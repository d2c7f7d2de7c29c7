"""Was a tool called?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import one_name
from .._model import ToolInvocation, Trajectory
from .._shown import cut, listed, place, uncounted


def called_tool(
    name: str | None = None,
    times: int = 1,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was the tool called at least `times` times?

    Every call counts, whatever came of it, but a hallucinated one: it never ran.

    Args:
        name: The tool. None: each example's `expected_tool`.
        times: How often at least, from 1.
        kinds: The kinds of calls to look at; every kind unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `called_tool:<name>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.

    Raises:
        ValueError: An empty name, or `times` below 1.
    """
    settings = {
        "name": None if name is None else setting.text("name", name),
        "times": setting.count("times", times, 1),
        "scope": setting.scope(kinds, agent, None),
    }
    fill = partial(one_name, "name") if name is None else None
    return Evaluator("called_tool", _measure_called, settings, key=key, subject=name, variant=[f"x{times}"] * (times > 1), fill=fill)


def did_not_call(
    name: str,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was the tool never called?

    Args:
        name: The tool.
        kinds: The kinds of calls to look at; every kind unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `did_not_call:<name>`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0.

    Raises:
        ValueError: An empty name.
    """
    settings = {"name": setting.text("name", name), "scope": setting.scope(kinds, agent, None)}
    return Evaluator("did_not_call", _measure_not_called, settings, key=key, subject=name, negative=True)


def _measure_called(run: Trajectory, name: str, times: int, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    found = 0
    for call in calls:
        if call.name == name:
            found += 1
    return found >= times, partial(_explained, run, name, scope, calls, times)


def _measure_not_called(run: Trajectory, name: str, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    for call in calls:
        if call.name == name:
            return False, partial(_explained, run, name, scope, calls, 0)
    return True, partial(_explained, run, name, scope, calls, 0)


def _explained(
    run: Trajectory, name: str, scope: setting.Scope, calls: tuple[ToolInvocation, ...], times: int
) -> tuple[str, dict[str, Any]]:
    found = [index for index, call in enumerate(calls) if call.name == name]
    first = f" (first {place(calls, found[0])})" if found else ""
    expected = f"at least {times}" if times else "none"
    comment = f"{cut(name)} was called {len(found)} time(s){scope}{first}, expected {expected}; calls: {listed([c.name for c in calls])}"
    details = {"tool": name, "count": len(found), "times": times, "at": found, "calls": [call.name for call in calls]}
    return comment + uncounted(run, scope), details
