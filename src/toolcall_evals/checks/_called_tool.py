"""Was a tool called?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import one_name
from .._model import Trajectory
from .._shown import amount, cut, listed, place, uncounted


def called_tool(
    name: str | None = None,
    times: int = 1,
    *,
    at_most: int | None = None,
    exactly: int | None = None,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was the tool called at least `times` times, and at most `at_most`?

    Every call counts, whatever came of it, but a hallucinated one: it never ran.

    Args:
        name: The tool. None: each example's `expected_tool`.
        times: How often at least, from 1.
        at_most: How often at most; None for any number.
        exactly: How often, instead of `times` and `at_most`.
        kinds: The kinds of calls to look at; every kind unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `called_tool:<name>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.

    Raises:
        ValueError: An empty name, `times` below 1, `at_most` below `times`, or `exactly` beside one of them.
    """
    setting.count("times", times, 1)
    if exactly is not None:
        if times != 1 or at_most is not None:
            setting.refuse("exactly", exactly, "given without times and at_most")
        times = at_most = setting.count("exactly", exactly, 1)
    settings = {
        "name": None if name is None else setting.text("name", name),
        "times": times,
        "most": None if at_most is None else setting.count("at_most", at_most, times),
        "scope": setting.scope(kinds, agent, None),
    }
    shown = {"name": settings["name"], "times": times, **({} if at_most is None else {"at_most": at_most}), "scope": settings["scope"]}
    variant = [f"x{times}"] * (times > 1) + [f"most.{at_most}"] * (at_most is not None)
    fill = partial(one_name, "name") if name is None else None
    return Evaluator("called_tool", _measure_called, settings, key=key, subject=name, variant=variant, fill=fill, shown=shown)


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


def _measure_called(run: Trajectory, name: str, times: int, most: int | None, scope: setting.Scope) -> Finding:
    found = scope.names(run).count(name)
    return found >= times and (most is None or found <= most), partial(_explained, run, name, scope, times, most)


def _measure_not_called(run: Trajectory, name: str, scope: setting.Scope) -> Finding:
    return name not in scope.names(run), partial(_explained, run, name, scope, 0, 0)


def _explained(run: Trajectory, name: str, scope: setting.Scope, times: int, most: int | None) -> tuple[str, dict[str, Any]]:
    names = scope.names(run)
    found = [index for index, called in enumerate(names) if called == name]
    over = times > 0 and most is not None and len(found) > most
    first = f" ({'one too many:' if over else 'first'} {place(scope.calls(run), found[most if over and most else 0])})" if found else ""
    times_called = f"{cut(name)} was called {amount(len(found), 'time')}{scope}{first}"
    comment = f"{times_called}, expected {_expected(times, most)}; calls: {listed(names)}"
    limit = {} if most is None or not times else {"at_most": most}
    details = {"tool": name, "count": len(found), "times": times, **limit, "at": found, "calls": [*names]}
    return comment + uncounted(run, scope), details


def _expected(times: int, most: int | None) -> str:
    if most is None:
        return f"at least {times}"
    return "none" if not most else f"exactly {times}" if times == most else f"{times} to {most}"
