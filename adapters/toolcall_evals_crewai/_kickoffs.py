"""Score every kickoff of a crew, those that fail included: a pair of callbacks."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from toolcall_evals import Evaluator, Trajectory

from ._capture import CapturedRun, crashed, opened, told
from ._listener import flush
from ._scoring import Report, Scoring, log_fault


class KickoffScoring:
    """The pair of callbacks that `score_kickoffs` makes."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._lock = threading.Lock()
        self._open: dict[str, _Kickoff] = {}

    def before(self, *instance_and_inputs: Any) -> Any:
        """For `before_kickoff_callbacks`: begin to capture; returns the inputs unchanged."""
        try:
            self._begin(_crew_id())
        except Exception as error:  # noqa: BLE001 - whatever it is, the crew goes on
            log_fault("the kickoff cannot be captured, so it will not be scored", error)
        return instance_and_inputs[-1]

    def after(self, *instance_and_output: Any) -> Any:
        """For `after_kickoff_callbacks`: score what was captured; returns the output unchanged."""
        kickoff = self._taken(_crew_id())
        if kickoff is not None:
            kickoff.score()
        return instance_and_output[-1]

    def _begin(self, crew_id: str) -> None:
        if crew_id in self._open:
            flush()  # the event of a failure just before is under way
            if (stale := self._taken(crew_id)) is not None:  # a kickoff that was ended by KeyboardInterrupt or the like
                stale.leave()
        kickoff = _Kickoff(self._scoring, crew_id, lambda: self._taken(crew_id))
        with self._lock:
            self._open[crew_id] = kickoff

    def _taken(self, crew_id: str) -> _Kickoff | None:
        with self._lock:
            return self._open.pop(crew_id, None)


class _Kickoff:
    """
    One kickoff that is being captured.

    A failure is told by the hook at an execution's end (crewai 1.15.3 and newer), so that the scores are there when `kickoff` raises;
    in older versions by the failure's event, from whose handler the bus cannot be flushed, so that a thread scores it soon after.
    """

    def __init__(self, scoring: Scoring, crew_id: str, take: Callable[[], _Kickoff | None]) -> None:
        self._scoring, self._crew_id, self._take = scoring, crew_id, take
        self._run = opened(CapturedRun)
        self._stop_watching = self._watch_end() or self._watch_failure()

    def leave(self) -> None:
        self._stop_watching()
        self._run.finish()

    def score(self, error: str | None = None, *, late: bool = False) -> None:
        """Score it; `late` where the crew may have begun another kickoff since."""

        def finished() -> Trajectory:
            self.leave()
            return crashed(self._first() if late else self._run.trajectory, error)

        self._scoring.of(finished)

    def _first(self) -> Trajectory:
        crews = [part for part in self._run.trajectories if part.kind == "crew" and part.events[0].get("crew_id") == self._crew_id]
        return crews[0].trajectory if crews else self._run.trajectory

    def _watch_end(self) -> Callable[[], Any] | None:
        try:
            from crewai.hooks import InterceptionPoint, register_hook, unregister_hook
        except ImportError:
            return None

        def at_end(context: Any) -> None:
            failed = getattr(context, "status", None) == "failed"
            if failed and str(getattr(getattr(context, "crew", None), "id", None)) == self._crew_id and self._take() is not None:
                self.score(told(getattr(context, "error", None)))

        register_hook(InterceptionPoint.EXECUTION_END, at_end)
        return partial(unregister_hook, InterceptionPoint.EXECUTION_END, at_end)

    def _watch_failure(self) -> Callable[[], Any]:
        from crewai.events import CrewKickoffFailedEvent, crewai_event_bus

        def on_failure(source: Any, event: Any) -> None:
            if str(getattr(source, "id", None)) == self._crew_id and self._take() is not None:
                score = partial(self.score, str(event.error), late=True)
                threading.Thread(target=contextvars.copy_context().run, args=(score,), name="score_kickoffs").start()

        crewai_event_bus.register_handler(CrewKickoffFailedEvent, on_failure)
        return partial(crewai_event_bus.off, CrewKickoffFailedEvent, on_failure)


def score_kickoffs(evaluators: Iterable[Evaluator] | Evaluator, *, report: Report | None = None, reference: Any = None) -> KickoffScoring:
    """
    A pair of callbacks that scores every kickoff of a crew, those that fail included, from all of its events.

    ```python
    scoring = score_kickoffs([checks.no_tool_errors()], report=print)
    crew = Crew(agents=..., tasks=..., before_kickoff_callbacks=[scoring.before], after_kickoff_callbacks=[scoring.after])
    ```

    Works for every kind of kickoff; `*_for_each` gives one report for each input. The pair may serve several crews, also at once.
    A failed kickoff's trajectory has `error` set. On crewai before 1.15.3 its scores may arrive shortly after `kickoff` has raised.

    Args:
        evaluators: Checks and scorers.
        report: As in `score_after_kickoff`.
        reference: As in `score_after_kickoff`.
    """
    return KickoffScoring(Scoring(evaluators, report, reference))


def _crew_id() -> str:
    from crewai.utilities.crew.crew_context import get_crew_context

    context = get_crew_context()
    return str(context.id) if context is not None else f"thread {threading.get_ident()}"
