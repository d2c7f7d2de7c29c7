"""Chunks scored by Ray Data, on one machine or many."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from typing import Any

from .._errors import said
from ._chunks import Chunk
from ._errors import BulkError
from ._local import Apart
from ._part import Part
from ._plan import Plan

WINDOW = 256
"""Chunks that are handed to Ray at a time, at least."""

FOR_EACH = 32
"""Chunks that are handed to Ray at a time for each worker, at least."""

MOST_BYTES = 512 * 2**20
"""What the chunks of a window may hold themselves: packed files are cut here."""


class _Worker:
    """
    What an actor of Ray's keeps: one process that scores, so that a row which kills that costs itself alone.

    Ray would try such a row's chunk again and again, and end the run.
    """

    def __init__(self, packed: bytes) -> None:
        self._scorer = Apart(packed)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        try:
            done: Part | BulkError = self._scorer(pickle.loads(row["chunk"]))
        except Exception as error:  # noqa: BLE001 - sent as what came of it: Ray would show its own traceback in its place
            done = BulkError(f"a worker of Ray's: {said(error)}")
        return {"index": row["index"], "part": pickle.dumps(done)}


def on_ray(plan: Plan, chunks: Iterable[Chunk], workers: int) -> Iterator[Part]:
    """
    Score chunks on a Ray cluster; parts come in the order of the chunks. Ray scores the chunks of a worker or a machine that died again; a
    row that kills what scores it is found as on one machine, and listed as unreadable.

    Joins the cluster that `ray.init` or RAY_ADDRESS names, and starts one on this machine otherwise. Files must be where every worker reads
    them: a shared disk, or an object store.

    Raises:
        BulkError: Ray is not installed, or gave up.
    """
    try:
        import ray
    except ImportError as error:
        raise BulkError("the engine 'ray' needs Ray: install toolcall-evals with its extra 'ray'") from error
    packed, own = plan.pickled(), not ray.is_initialized()
    if own:
        _start(ray, workers)
    try:
        for window in _windows(chunks, max(WINDOW, FOR_EACH * workers)):
            yield from _scored(ray, packed, window, workers)
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


def _scored(ray: Any, packed: bytes, window: list[Chunk], workers: int) -> Iterator[Part]:
    """The parts of a window's chunks, as they are done."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    items = [{"index": number, "chunk": pickle.dumps(chunk)} for number, chunk in enumerate(window)]
    pool = ray.data.ActorPoolStrategy(size=min(workers, len(items)))  # restarts an actor that died, and asks it again
    done = ray.data.from_items(items, override_num_blocks=len(items)).map(_Worker, fn_constructor_args=(packed,), compute=pool)
    early: dict[int, bytes] = {}
    following = 0
    try:
        for row in done.iter_rows():
            early[row["index"]] = row["part"]
            while following in early:
                part = pickle.loads(early.pop(following))
                if isinstance(part, BulkError):
                    raise part
                yield part
                following += 1
    except ray.exceptions.RayError as error:
        advice = "what is done can be resumed, with the engine 'local' too"
        raise BulkError(f"Ray gave up on some chunk ({type(error).__name__}); {advice}") from error
