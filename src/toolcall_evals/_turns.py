"""The turns of a conversation, each as a run of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ._errors import TraceFormatError
from ._model import ToolInvocation, Trajectory, Turn

UNTOLD = "this record does not say which turn a text belongs to"

_MOST_GAPS = 10_000
"""Turn numbers that are taken as a count; beyond it only turns with calls are seen."""


def split(run: Trajectory) -> Iterator[Trajectory]:
    """
    The turns of a run in order; the run itself where it has one.

    Where texts are not told by turns, the turns have none and say so in their warnings. A crash is the last turn's.
    """
    calls: dict[int, list[ToolInvocation]] = {}
    for call in run.invocations:
        calls.setdefault(call.turn, []).append(call)
    if run.turns:
        for turn in run.turns:
            yield _of_turn(run, turn, tuple(calls.get(turn.index, ())))
    elif len(calls) <= 1:
        yield run
    else:
        first, last = min(calls), max(calls)
        for index in range(last + 1) if first >= 0 and last < _MOST_GAPS else sorted(calls):
            yield replace(
                run,
                texts=(),
                invocations=tuple(calls.get(index, ())),
                error=run.error if index == last else None,
                usage=None,
                duration_s=None,
                warnings=(*run.warnings, UNTOLD),
            )


def one_turn(run: Trajectory, turn: int | str) -> Trajectory:
    """
    One turn of a run.

    Args:
        turn: `last`, or its index; negative from the end.

    Raises:
        TraceFormatError: There is no such turn.
    """
    last = run.turns[-1].index if run.turns else max((call.turn for call in run.invocations), default=0)
    index = last if turn == "last" else int(turn) if int(turn) >= 0 else last + 1 + int(turn)
    calls = tuple([call for call in run.invocations if call.turn == index])
    if not run.turns and 0 <= index <= last:
        return replace(run, invocations=calls, warnings=(*run.warnings, f"{UNTOLD}: every text is kept"))
    for each in run.turns:
        if each.index == index:
            return _of_turn(run, each, calls)
    raise TraceFormatError(f"expected a turn {turn} (turns=), found {len(run.turns) or last + 1} in all")


def _of_turn(run: Trajectory, turn: Turn, calls: tuple[ToolInvocation, ...]) -> Trajectory:
    asked = [text for role, text in run.messages[turn.start : turn.start + 1] if role == "user"] or _asked_before(run, turn.start)
    return replace(
        run,
        input=asked[0] if asked else run.input,
        messages=run.messages[: turn.end],
        texts=tuple([text for role, text in run.messages[turn.start : turn.end] if role == "assistant"]),
        invocations=calls,
        error=run.error if turn is run.turns[-1] else None,
        usage=None,
        duration_s=None,
        turns=(),
    )


def _asked_before(run: Trajectory, start: int) -> list[str]:
    """The user's message before a position, where the turn's own is history."""
    for role, text in reversed(run.messages[:start]):
        if role == "user":
            return [text]
    return []
