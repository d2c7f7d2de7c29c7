"""Did the model invent the result of a call that never ran?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._model import ToolInvocation, Trajectory
from .._shown import amount, named, quoted

_SHOWN = 3


def no_hallucinated_tool_calls(
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Did the model state no result of a call that never ran?

    Such a call has the status `hallucinated`: the model wrote the call and its result, or built its final answer on it, and no tool was
    asked. No other check counts it. A call that did run although the model had already written a result of its own is not one; the
    comment names it.

    Args:
        kinds: The kinds of calls to look at; every kind unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `no_hallucinated_tool_calls`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without calls scores 1.0. What the source cannot show is in the details' `warnings`.
    """
    settings = {"scope": setting.scope(kinds, agent, None)}
    return Evaluator("no_hallucinated_tool_calls", _measure, settings, key=key, negative=True)


def _measure(run: Trajectory, scope: setting.Scope) -> Finding:
    return not any(_is_invented(call, scope) for call in run.invocations), partial(_explained, run, scope)


def _is_invented(call: ToolInvocation, scope: setting.Scope) -> bool:
    return call.status == "hallucinated" and _is_looked_at(call, scope)


def _is_looked_at(call: ToolInvocation, scope: setting.Scope) -> bool:
    return (scope.kinds is None or call.kind in scope.kinds) and (scope.agents is None or call.agent in scope.agents)


def _explained(run: Trajectory, scope: setting.Scope) -> tuple[str, dict[str, Any]]:
    invented = [call for call in run.invocations if _is_invented(call, scope)]
    early = [call for call in run.invocations if "fabricated_observation" in call.extra and _is_looked_at(call, scope)]
    shown = "; ".join([f"{named(call)}{f' by {call.agent}' if call.agent else ''}: {_stated(call)}" for call in invented[:_SHOWN]])
    rest = f"; and {len(invented) - _SHOWN} more" if len(invented) > _SHOWN else ""
    comment = f"{amount(len(invented), 'call')}{scope} stated but never run{': ' if invented else ''}{shown}{rest}"
    if early:
        comment += f"; {len(early)} that the framework took up although the model had written a result of its own ({named(early[0])})"
    details = {
        "hallucinated": [
            {"name": call.name, "args": call.args, "agent": call.agent, "result": call.result, "confidence": call.extra.get("confidence")}
            for call in invented
        ],
        "fabricated_observations": [
            {"name": call.name, "agent": call.agent, "observation": call.extra["fabricated_observation"]} for call in early
        ],
        "warnings": list(run.warnings),
    }
    return comment, details


def _stated(call: ToolInvocation) -> str:
    return "a final answer built on it" if call.result is None else f"the model wrote {quoted(call.result, 100)}"
