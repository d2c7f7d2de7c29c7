"""Was a tool called?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import one_name
from .._model import Trajectory


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
    name = None if name is None else setting.text("name", name)
    settings = {"name": name, "times": setting.count("times", times, 1), "scope": setting.scope(kinds, agent, None)}
    subject = name and (name if times == 1 else f"{name}.{times}")
    return Evaluator("called_tool", _measure, settings, key=key, subject=subject, fill=partial(one_name, "name") if name is None else None)


def _measure(run: Trajectory, name: str, times: int, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    found = [call for call in calls if call.name == name]

    def explain() -> tuple[str, dict[str, Any]]:
        names = ", ".join(call.name for call in calls) or "none"
        comment = f"{name} was called {len(found)} time(s){scope}, at least {times} expected; calls: {names}"
        return comment, {"tool": name, "count": len(found), "times": times, "calls": [call.name for call in calls]}

    return len(found) >= times, explain
