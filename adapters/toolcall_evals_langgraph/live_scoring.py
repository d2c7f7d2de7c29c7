"""Live scoring: a share of the runs, scored as they end, in a thread beside them."""

from __future__ import annotations

import contextvars
import logging
import random
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from toolcall_evals import Evaluator, Reading, Score, Trajectory

from ._feedback import Feedback, Tracing, tracing_here
from ._live_runs import Run

logger = logging.getLogger("toolcall_evals.live")

WAITING_LIMIT = 100
"""Ended runs that may wait to be scored; a run that finds no place is dropped and counted."""

PAUSED_LIMIT = 1000
"""Interrupted runs that may wait to be resumed; the oldest is then scored as it stands."""


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """
    One run that was scored live.

    Attributes:
        run_id: The id of the root run, which is also its id in LangSmith; of an interrupted run, the one that ended it.
        name: The root run's name.
        metadata: Its metadata, such as `thread_id`.
        trajectory: What it did.
        scores: One for each evaluator, in their order.
    """

    run_id: UUID
    name: str | None
    metadata: Mapping[str, Any]
    trajectory: Trajectory
    scores: tuple[Score, ...]


@dataclass(slots=True)
class _Job:
    """Root runs that belong together, and where the last of them is traced to."""

    roots: list[Run]
    tracing: Tracing | None


@dataclass(eq=False)
class LiveScoring:
    """
    Scores the runs it is given.

    Attributes:
        scored: Runs that were scored.
        dropped: Runs that were not, because too many waited, or no thread could be started.
        failed: Runs that could not be read, scored or reported; the log says why.
    """

    evaluators: Sequence[Evaluator]
    sample: float = 1.0
    report: Callable[[ScoredRun], object] | None = None
    feedback: bool = True
    scored: int = 0
    dropped: int = 0
    failed: int = 0
    _waiting: deque[_Job] = field(default_factory=deque)
    _paused: OrderedDict[str, _Job] = field(default_factory=OrderedDict)
    _traced: dict[UUID, Tracing] = field(default_factory=dict)
    _sender: Feedback = field(default_factory=Feedback)
    _worker: threading.Thread | None = None
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def wants(self, root: Run) -> bool:
        """Whether to record the root run that begins: by lot, but a resume goes with the run that it resumes."""
        thread = _thread(root)
        if thread is not None and _resumes(root):
            with self._changed:
                if thread not in self._paused:
                    return False
        elif random.random() >= self.sample:
            return False
        tracing = tracing_here() if self.feedback else None
        if tracing is not None:
            self._traced[root["id"]] = tracing
        return True

    def submit(self, root: Run) -> None:
        """Take a root run that has ended; returns at once."""
        thread, tracing = _thread(root), self._traced.pop(root["id"], None)
        with self._changed:
            before = self._paused.pop(thread, None) if thread is not None and _resumes(root) else None
            job = _Job([*before.roots, root] if before else [root], tracing)
            if thread is not None and _paused(root):
                self._paused[thread] = job
                if len(self._paused) <= PAUSED_LIMIT:
                    return
                job = self._paused.popitem(last=False)[1]
            if len(self._waiting) >= WAITING_LIMIT:
                self.dropped += 1
                return
            self._waiting.append(job)
            self._work_on()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until every run that has ended is scored; False when the time was not enough. Paused runs are not waited for."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._working(), timeout_s)

    def _working(self) -> bool:
        return self._worker is not None and self._worker.is_alive()  # after a fork there is the object, but no thread

    def _work_on(self) -> None:
        if self._working():
            return
        # An empty context: what an evaluator traces is no part of the run, whose context a thread may inherit (free-threaded 3.14).
        worker = threading.Thread(target=contextvars.Context().run, args=(self._work,), name="toolcall-evals-live", daemon=True)
        self._worker = worker
        try:
            worker.start()
        except RuntimeError:  # the interpreter is shutting down, or has no thread left
            self._worker = None
            self.dropped += len(self._waiting)
            self._waiting.clear()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._worker = None
                    self._changed.notify_all()
                    return
                job = self._waiting.popleft()
            try:
                self._score(job)
            except Exception as error:  # noqa: BLE001 - one run's fault must not end the scoring of the others
                self._fail(job, "score", error)

    def _score(self, job: _Job) -> None:
        from ._run_tree import read_run_tree

        root = job.roots[-1]
        trajectory = read_run_tree(job.roots, Reading(), together=True)
        scores = tuple([evaluator.score(trajectory) for evaluator in self.evaluators])
        self.scored += 1
        logger.info("run %s: %s", root["id"], " ".join([f"{s.key}={s.status if s.score is None else s.score}" for s in scores]))
        run = ScoredRun(root["id"], root["name"], root["extra"].get("metadata") or {}, trajectory, scores)
        if self.report is not None:
            try:
                self.report(run)
            except Exception as error:  # noqa: BLE001 - the user's function
                self._fail(job, "report", error)
        if job.tracing is not None:
            try:
                self._sender.send(job.tracing, run.run_id, root["start_time"], scores)
            except Exception as error:  # noqa: BLE001 - whatever the client and the network raise
                self._fail(job, "send the feedback of", error)

    def _fail(self, job: _Job, what: str, error: Exception) -> None:
        self.failed += 1
        logger.warning("could not %s run %s: %s", what, job.roots[-1]["id"], type(error).__name__)  # its text may hold the trace
        logger.debug("could not %s run %s", what, job.roots[-1]["id"], exc_info=error)


def _thread(root: Run) -> str | None:
    thread = (root["extra"].get("metadata") or {}).get("thread_id")
    return None if thread is None else str(thread)


def _resumes(root: Run) -> bool:
    """Whether a root run resumes another: its input is a langgraph `Command(resume=...)`."""
    return getattr(root["inputs"], "resume", None) is not None


def _paused(root: Run) -> bool:
    """Whether a root run ended at an interrupt: what a node of it raised then is no error of the run's (langgraph 1.x)."""
    return root["error"] is None and any(
        (node["error"] or "").startswith(("GraphInterrupt", "NodeInterrupt")) for node in root["child_runs"]
    )
