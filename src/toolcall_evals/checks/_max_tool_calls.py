"""How many calls were made?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import most_calls
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import listed, place, uncounted


def max_tool_calls(
    n: int | None = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Were at most `n` calls made?

    Args:
        n: How many at most, from 0. None: each example's `max_tool_calls`, or as many as its reference run makes.
        kinds: The kinds of calls to count; tools and server tools unless told otherwise.
        agent: The agents whose calls to count; every agent's unless told otherwise.
        key: The feedback key, instead of `max_tool_calls:<n>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.

    Raises:
        ValueError: A number below 0.
    """
    settings = {"n": None if n is None else setting.count("n", n, 0), "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    subject, fill = (None, partial(most_calls, "n")) if n is None else (str(n), None)
    return Evaluator("max_tool_calls", _measure, settings, key=key, subject=subject, fill=fill, negative=True)


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
    settings = {"n": 0, "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    return Evaluator("used_no_tools", _measure, settings, key=key, negative=True, shown={"scope": settings["scope"]})


def _measure(run: Trajectory, n: int, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    return len(calls) <= n, partial(_explained, run, n, scope, calls)


def _explained(run: Trajectory, n: int, scope: setting.Scope, calls: tuple[ToolInvocation, ...]) -> tuple[str, dict[str, Any]]:
    over = f"; the first too many is {place(calls, n)}" if len(calls) > n else ""
    names = [call.name for call in calls]
    comment = f"{len(calls)} call(s){scope} were made, at most {n} allowed{over}; calls: {listed(names)}{uncounted(run, scope)}"
    return comment, {"count": len(calls), "max": n, "calls": names}
