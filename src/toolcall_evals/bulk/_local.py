"""Chunks scored on this machine: in this process, or in several that each take chunks by byte range."""

from __future__ import annotations

import multiprocessing
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from ._chunks import Chunk
from ._part import ChunkScorer, Part, fault
from ._plan import Plan
from ._rows import rows_of

AHEAD = 2
"""Chunks that wait for each worker."""

DIED = "the process that scored it died (out of memory, or a crash in native code)"


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
    """
    packed, waiting = plan.pickled(), iter(chunks)
    under_way: deque[tuple[Chunk, Future[Part]]] = deque()
    pool = _pool(packed, workers)
    try:
        while True:
            for chunk in waiting:
                under_way.append((chunk, pool.submit(_score, chunk)))
                if len(under_way) >= AHEAD * workers:
                    break
            if not under_way:
                return
            chunk, future = under_way[0]
            try:
                part = future.result()
            except BrokenProcessPool:
                pool.shutdown(wait=False, cancel_futures=True)
                done = [_result(each) for _, each in under_way]
                again = list(under_way)
                under_way.clear()
                for (chunk, _), part in zip(again, done, strict=True):
                    yield part if part is not None else _alone(plan, packed, chunk)
                pool = _pool(packed, workers)
                continue
            under_way.popleft()
            yield part
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(future: Future[Part]) -> Part | None:
    """The part of a chunk that was done before a worker died."""
    return future.result() if future.done() and not future.cancelled() and future.exception() is None else None


def _alone(plan: Plan, packed: bytes, chunk: Chunk, first: int | None = None, last: int | None = None) -> Part:
    """Score a chunk in a process of its own, and its halves where that dies."""
    with _pool(packed, 1) as pool:
        try:
            return pool.submit(_score, chunk, first or 0, last).result()
        except BrokenProcessPool:
            pass
    rows = [row for row in rows_of(chunk) if row.number >= (first or 0) and (last is None or row.number < last)]
    if len(rows) <= 1:
        part = ChunkScorer(plan).part(chunk, [])
        for row in rows:
            part.errors.append(fault(chunk.path, row, DIED))
            part.taken += 1
            if part.survey is not None:
                part.survey.add_unreadable(chunk.path, row.number, DIED)
        return part
    middle = rows[len(rows) // 2].number
    part = _alone(plan, packed, chunk, first, middle)
    part.merge(_alone(plan, packed, chunk, middle, last))
    return part


def _pool(packed: bytes, workers: int) -> ProcessPoolExecutor:
    # "spawn": a fork of a process with threads may hang
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (packed,))


_scorer: ChunkScorer | None = None


def _begin(packed: bytes) -> None:
    global _scorer  # noqa: PLW0603 - what a worker process keeps between chunks
    _scorer = ChunkScorer(pickle.loads(packed))


def _score(chunk: Chunk, first: int = 0, last: int | None = None) -> Part:
    assert _scorer is not None
    return _scorer(chunk, first, last)
