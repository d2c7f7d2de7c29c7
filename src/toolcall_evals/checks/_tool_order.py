"""Were the tools called in this order?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import several_names
from .._model import COUNTED_KINDS, Trajectory
from .._order import in_order, told
from .._shown import listed, uncounted


def tool_order(
    names: Sequence[str] | None = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Do the names occur among the calls in this order, whatever comes between them?

    Args:
        names: The tools in order, a subsequence of the calls; a name that repeats must be called as often. An empty list is met by every
            run. None: each example's `expected_tool_order`.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `tool_order:<name>:<name>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.

    Raises:
        ValueError: No list of names, or an empty name.
    """
    order = None if names is None else setting.names("names", names)
    settings = {"names": order, "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    fill = partial(several_names, "names") if order is None else None
    return Evaluator("tool_order", _measure, settings, key=key, subject=order, variant=["none"] * (order == ()), fill=fill)


def _measure(run: Trajectory, names: tuple[str, ...], scope: setting.Scope) -> Finding:
    found = in_order(names, scope.names(run))
    return len(found) == len(names), partial(_explained, run, names, scope, found)


def _explained(run: Trajectory, names: tuple[str, ...], scope: setting.Scope, found: list[int]) -> tuple[str, dict[str, Any]]:
    called = scope.names(run)
    comment = f"{told(names, scope.calls(run), found)}; calls{scope}: {listed(called)}{uncounted(run, scope)}"
    return comment, {"expected": [*names], "calls": [*called], "matched_at": found}
