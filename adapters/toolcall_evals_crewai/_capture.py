"""`capture`: which tools did the crews that run inside this block use?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from toolcall_evals import Reading, Trajectory

from ._events import read_events
from ._listener import Listener
from ._snapshot import Row
from ._tree import STARTS, PartKind, Tree, begins_a_part


@dataclass(frozen=True)
class RunPart:
    """
    One part of a captured run.

    Attributes:
        kind: `crew` for one kickoff, `task` for one task of it, `agent` for one `Agent.kickoff`, `flow` for one flow.
        name: The crew's, task's or flow's name, or the agent's role; None where it has none.
        id: The id of the event that began it: another one in every kickoff.
        events: Its events as plain rows, those of its nested parts included.
    """

    kind: PartKind
    name: str | None
    id: str
    events: tuple[Row, ...] = field(repr=False)

    @cached_property
    def trajectory(self) -> Trajectory:
        """What was done in it."""
        return read(self.events)


class CapturedRun:
    """What ran inside a `capture` block."""

    def __init__(self, listener: Listener) -> None:
        self._listener: Listener | None = listener
        self._rows: tuple[Row, ...] = ()
        self._warnings: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[Row, ...]:
        """The events as plain rows, in order and ready for JSON; `to_trajectory` reads a list of them."""
        return self._rows if self._listener is None else tuple(self._listener.rows())

    @property
    def trajectory(self) -> Trajectory:
        """All of it as one trajectory; inside the block, what has arrived so far."""
        return self._whole if self._listener is None else read(self.events)

    @property
    def trajectories(self) -> tuple[RunPart, ...]:
        """Every crew, task, flow and `Agent.kickoff` of it, in the order in which they began, each with a trajectory of its own."""
        return parts(self.events)

    @cached_property
    def _whole(self) -> Trajectory:
        return read(self._rows, self._warnings)

    def finish(self) -> None:
        """End the capture; for callers that cannot use a block."""
        listener, self._listener = self._listener, None
        if listener is not None:
            rows, warnings = listener.close()
            self._rows, self._warnings = tuple(rows), tuple(warnings)


Run = TypeVar("Run", bound=CapturedRun)


def opened(kind: type[Run], *runnables: Any) -> Run:
    """A capture that has begun; for callers that cannot use a block."""
    listener = Listener(runnables)
    listener.open()
    return kind(listener)


@contextmanager
def capture(*runnables: Any) -> Iterator[CapturedRun]:
    """
    Which tools did the crews, flows and agents use that ran inside this block?

    ```python
    with capture(crew) as run:
        crew.kickoff(inputs={"topic": "tides"})
    run.trajectory.calls()
    ```

    Works for `kickoff`, `kickoff_async`, `akickoff`, every `*_for_each`, asynchronous tasks, parallel calls, flows and
    `Agent.kickoff` (crewai 1.11 and newer). Captures nest, and those of concurrent runs see only their own. Nothing of CrewAI is
    replaced. A run that streams has to be consumed inside the block.

    Args:
        runnables: The crews, agents or flows to capture, wherever they run, plain threads included; an equal crew that runs in
            this block's context counts as a copy. Without any: whatever runs in this block's context.

    Yields:
        A `CapturedRun`, complete when the block is left, also by an exception. A block in which nothing ran gives a trajectory that
        says so and cannot be scored.
    """
    run = opened(CapturedRun, *runnables)
    try:
        yield run
    finally:
        run.finish()


def read(rows: Iterable[Row], warnings: tuple[str, ...] = ()) -> Trajectory:
    """The trajectory of some events of a run."""
    kept = list(rows)
    if not kept:
        nothing = ("no event of CrewAI's was captured: nothing ran inside the block", *warnings)
        return Trajectory(source="crewai.events", has_call_record=False, warnings=nothing)
    trajectory = read_events(kept, Reading())
    return replace(trajectory, warnings=(*trajectory.warnings, *warnings)) if warnings else trajectory


def parts(rows: Iterable[Row]) -> tuple[RunPart, ...]:
    """The parts of a run, each with the events below the one that began it."""
    kept = list(rows)
    tree = Tree(kept)
    starts = [row for row in kept if begins_a_part(row)]
    below: dict[str, list[Row]] = {str(row.get("event_id")): [] for row in starts}
    for row in kept:
        for ancestor in tree.line(row):
            if ancestor in below:
                below[ancestor].append(row)
    return tuple(_part(row, below[str(row.get("event_id"))]) for row in starts)


def _part(start: Row, events: list[Row]) -> RunPart:
    kind, attribute = STARTS[start["type"]]
    return RunPart(kind, start.get(attribute), str(start.get("event_id")), tuple(events))


def crashed(trajectory: Trajectory, error: str | None) -> Trajectory:
    """The trajectory of a run that was ended by an error, where its events did not tell."""
    return trajectory if error is None or trajectory.error else replace(trajectory, error=error)


def told(error: BaseException | None) -> str:
    """An exception as the error of a run."""
    return f"{type(error).__name__}: {error}" if error is not None else "the run failed"
