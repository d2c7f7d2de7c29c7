"""How a one-pass reading ends: what was gathered becomes a trajectory."""

from __future__ import annotations

from typing import Any

from .._model import InvocationDraft, Tool, Trajectory, Turn


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
    frozen = tuple([draft.freeze() for draft in calls])
    return Trajectory(request, tuple(said), tuple(texts), frozen, tools, None, True, None, None, source, (), turns)
