"""How a one-pass reading ends: what was gathered becomes a trajectory."""

from __future__ import annotations

from typing import Any

from .._model import InvocationDraft, Tool, ToolInvocation, Trajectory, Turn, usual_trajectory


def closed(
    request: str | None,
    said: list[tuple[str, Any]],
    texts: list[str],
    calls: list[InvocationDraft],
    begins: list[int],
    tools: tuple[Tool, ...] | None,
    source: str,
) -> Trajectory:
    """
    The trajectory of a usual conversation.

    Args:
        request: The user's request.
        said: The conversation as (role, text) pairs.
        texts: The assistant's texts.
        calls: The calls, in order; the drafts are frozen.
        begins: Where a later message of the user's begins a turn, among `said`.
        tools: What was on offer, or None.
        source: What was read.
    """
    bounds = zip([0, *begins], [*begins, len(said)], strict=True) if begins else ()
    turns = tuple([Turn(index, first, last) for index, (first, last) in enumerate(bounds)])
    for draft in calls:
        draft.__class__ = ToolInvocation  # type: ignore[assignment]  # as InvocationDraft.freeze, without a call for each
    made: Any = tuple(calls)
    return usual_trajectory(request, tuple(said), tuple(texts), made, tools, source, turns)
