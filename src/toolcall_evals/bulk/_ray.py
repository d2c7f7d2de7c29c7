"""Chunks scored by Ray Data, on one machine or many."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from typing import Any

from ._chunks import Chunk
from ._errors import BulkError
from ._halving import by_halves
from ._part import WHOLE, ChunkScorer, Part, Span
from ._plan import Plan

WINDOW = 256
"""Chunks that are handed to Ray at a time, at least."""

FOR_EACH = 32
"""Chunks that are handed to Ray at a time for each worker, at least."""

MOST_BYTES = 512 * 2**20
"""What the chunks of a window may hold themselves: packed files are cut here."""


class _Worker:
    """What an actor of Ray's keeps: the evaluators, built once."""

    def __init__(self, packed: bytes) -> None:
        self._scorer = ChunkScorer(pickle.loads(packed))

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"index": row["index"], "part": pickle.dumps(self._scorer(pickle.loads(row["chunk"])))}


def on_ray(plan: Plan, chunks: Iterable[Chunk], workers: int) -> Iterator[Part]:
    """
    Score chunks on a Ray cluster; parts come in the order of the chunks. Ray scores the chunks of a worker that died again; where one keeps
    dying, the chunk is halved until the row that does it is alone, and listed as unreadable.

    Joins the cluster that `ray.init` or RAY_ADDRESS names, and starts one on this machine otherwise. Files must be where every worker reads
    them: a shared disk, or an object store.

    Raises:
        BulkError: Ray is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise BulkError("the engine 'ray' needs Ray: pip install 'toolcall-evals[ray]'") from error
    packed, own = plan.pickled(), not ray.is_initialized()
    if own:
        _start(ray, workers)
    try:
        for window in _windows(chunks, max(WINDOW, FOR_EACH * workers)):
            yield from _scored(ray, plan, packed, window, workers)
    finally:
        if own:
            ray.shutdown()


def _start(ray: Any, workers: int) -> None:
    """Join the cluster that RAY_ADDRESS names, or start one here that tells nobody of it."""
    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False, logging_level="ERROR")
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")


def _windows(chunks: Iterable[Chunk], most: int) -> Iterator[list[Chunk]]:
    window: list[Chunk] = []
    held = 0
    for chunk in chunks:
        window.append(chunk)
        held += len(chunk.data or b"")
        if len(window) == most or held > MOST_BYTES:
            yield window
            window, held = [], 0
    if window:
        yield window


def _scored(ray: Any, plan: Plan, packed: bytes, window: list[Chunk], workers: int) -> Iterator[Part]:
    """The parts of a window's chunks, as they are done; those that are left when Ray gives up, one by one."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    items = [{"index": number, "chunk": pickle.dumps(chunk)} for number, chunk in enumerate(window)]
    done = ray.data.from_items(items, override_num_blocks=len(items)).map(
        _Worker, fn_constructor_args=(packed,), concurrency=min(workers, len(items)), max_restarts=3, max_task_retries=3
    )
    early: dict[int, bytes] = {}
    next_one = 0
    try:
        for row in done.iter_rows():
            early[row["index"]] = row["part"]
            while next_one in early:
                yield _part(early.pop(next_one))
                next_one += 1
    except ray.exceptions.RayError:
        pass
    if next_one == len(window):
        return
    attempt = ray.remote(max_retries=0)(_alone)
    left = [chunk for number, chunk in enumerate(window) if number >= next_one and number not in early]
    wholes = {chunk.index: attempt.remote(packed, chunk, WHOLE) for chunk in left}

    def alone(chunk: Chunk, span: Span) -> Part | None:
        whole = wholes.pop(chunk.index, None) if span == WHOLE else None
        try:
            return _part(ray.get(whole or attempt.remote(packed, chunk, span)))
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
            return None
        except ray.exceptions.RayTaskError as error:
            raise BulkError(f"a worker of Ray's cannot score: {error.cause}") from error

    for number in range(next_one, len(window)):
        yield _part(early[number]) if number in early else by_halves(plan, window[number], alone)


def _alone(packed: bytes, chunk: Chunk, span: Span) -> bytes:
    return pickle.dumps(ChunkScorer(pickle.loads(packed))(chunk, span))


def _part(data: bytes) -> Part:
    part = pickle.loads(data)
    assert isinstance(part, Part)
    return part
