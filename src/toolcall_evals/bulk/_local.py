"""Chunks scored on this machine: in this process, or in several that each take chunks by byte range."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from ._chunks import Chunk
from ._errors import BulkError
from ._halving import by_halves
from ._part import WHOLE, ChunkScorer, Part, Span
from ._plan import Plan
from ._rows import Row

AHEAD = 2
"""Chunks that wait for each worker."""


def in_process(plan: Plan, chunks: Iterable[Chunk]) -> Iterator[Part]:
    """Score chunks one after another, here."""
    scorer = ChunkScorer(plan)
    for chunk in chunks:
        yield scorer(chunk)


def in_processes(plan: Plan, chunks: Iterable[Chunk], workers: int) -> Iterator[Part]:
    """
    Score chunks in several processes; parts come in the order of the chunks.

    Where a worker dies, the chunks under way are scored again, each in a process of its own; one in which that dies too is halved until the
    row that does it is alone, and listed as unreadable.

    Raises:
        BulkError: The evaluators cannot be sent to a process, or no process can be started with them.
    """
    packed, waiting = plan.pickled(), iter(chunks)
    under_way: deque[tuple[Chunk, Future[Part]]] = deque()
    started = False
    pool = _pool(packed, workers)
    try:
        while True:
            while len(under_way) < AHEAD * workers and (chunk := next(waiting, None)) is not None:
                under_way.append((chunk, _submitted(pool, chunk)))
            if not under_way:
                return
            chunk, future = under_way[0]
            try:
                part = future.result()
            except BrokenProcessPool:
                pool.shutdown(wait=False, cancel_futures=True)
                if not started:
                    _check_start(packed)
                started = True
                for chunk, future in under_way:
                    done = _result(future)
                    yield done if done is not None else by_halves(plan, chunk, partial(_alone, packed))
                under_way.clear()
                pool = _pool(packed, workers)
                continue
            started = True
            under_way.popleft()
            yield part
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class Apart:
    """Scores chunks, one after another, in a process apart: what kills that is found by halves."""

    def __init__(self, packed: bytes) -> None:
        self._packed, self._plan, self._pool = packed, pickle.loads(packed), _pool(packed, 1)

    def __call__(self, chunk: Chunk) -> Part:
        """Score a chunk."""
        try:
            return self._pool.submit(_score, chunk, WHOLE).result()
        except BrokenProcessPool:
            _check_start(self._packed)
            self._pool = _pool(self._packed, 1)
            return by_halves(self._plan, chunk, partial(_alone, self._packed))


def _alone(packed: bytes, chunk: Chunk, span: Span) -> Part | None:
    """Score a span in a process of its own; None where that dies."""
    with _pool(packed, 1) as own:
        try:
            return own.submit(_score, chunk, span).result()
        except BrokenProcessPool:
            return None


def _submitted(pool: ProcessPoolExecutor, chunk: Chunk) -> Future[Part]:
    """The part to come; a pool that is broken already gives one that says so."""
    try:
        return pool.submit(_score, chunk, WHOLE)
    except BrokenProcessPool as error:
        broken: Future[Part] = Future()
        broken.set_exception(error)
        return broken


def _result(future: Future[Part]) -> Part | None:
    """The part of a chunk that was done before a worker died."""
    return future.result() if future.done() and not future.cancelled() and future.exception() is None else None


def _check_start(packed: bytes) -> None:
    """
    Can a worker start?

    Raises:
        BulkError: It cannot; so no row is to blame.
    """
    with _pool(packed, 1) as own:
        try:
            own.submit(_ready).result()
        except BrokenProcessPool as error:
            advice = "a script that asks for workers needs `if __name__ == '__main__':` around what it does; or ask for one worker"
            raise BulkError(f"a worker process dies while it starts; {advice}") from error


def _pool(packed: bytes, workers: int) -> ProcessPoolExecutor:
    """Workers: forked off a process that has imported this module and nothing else, where there are forks; one with threads may hang."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (packed,))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(workers, context, _begin, (packed,))


_scorer: ChunkScorer | Exception | None = None


def _begin(packed: bytes) -> None:
    global _scorer  # noqa: PLW0603 - what a worker process keeps between chunks
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C reaches the whole group; the parent ends its workers itself
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        plan: Plan = pickle.loads(packed)
        limit_s = plan.row_timeout_s
        _scorer = ChunkScorer(plan) if limit_s is None else ChunkScorer(plan, partial(_timed, limit_s))
    except Exception as error:  # noqa: BLE001 - told by the first chunk: an initializer that raises looks like a worker that died
        _scorer = error


def _timed(limit_s: float, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows; one that takes too long ends this process, as code that never returns to Python could not be stopped otherwise."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for row in rows:
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        try:
            yield row
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with_parent() -> None:
    """End when the parent does: a worker whose parent was killed waits for ever otherwise."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ready() -> bool:
    return True


def _score(chunk: Chunk, span: Span) -> Part:
    if not isinstance(_scorer, ChunkScorer):
        raise BulkError(f"a worker process cannot load the evaluators: {_scorer}")
    return _scorer(chunk, span)
