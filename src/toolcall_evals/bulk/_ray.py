"""Chunks scored by Ray Data, on one machine or many."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ._chunks import Chunk
from ._errors import BulkError
from ._part import ChunkScorer, Part
from ._plan import Plan

WINDOW = 256
"""Chunks that are handed to Ray at a time: packed files are cut here, and their blocks must fit in memory."""


class _Worker:
    """What an actor of Ray's keeps: the evaluators, built once."""

    def __init__(self, packed: bytes) -> None:
        self._scorer = ChunkScorer(pickle.loads(packed))

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"index": row["index"], "part": pickle.dumps(self._scorer(pickle.loads(row["chunk"])))}


def on_ray(plan: Plan, chunks: Iterable[Chunk], workers: int) -> Iterator[Part]:
    """
    Score chunks on a Ray cluster; parts come in the order of the chunks. Ray scores the chunks of a worker that died again.

    Joins the cluster that `ray.init` or RAY_ADDRESS names, and starts one on this machine otherwise. Files must be where every worker reads
    them: a shared disk, or an object store.

    Raises:
        BulkError: Ray is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise BulkError("the engine 'ray' needs Ray: pip install 'toolcall-evals[ray]'") from error
    packed = plan.pickled()
    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    context.max_errored_blocks = 0
    waiting = iter(chunks)
    while window := list(islice(waiting, WINDOW)):
        items = [{"index": chunk.index, "chunk": pickle.dumps(chunk)} for chunk in window]
        done = ray.data.from_items(items, override_num_blocks=len(items)).map(
            _Worker, fn_constructor_args=(packed,), concurrency=min(workers, len(items)), max_restarts=5, max_task_retries=5
        )
        try:
            parts = {row["index"]: row["part"] for row in done.iter_rows()}
        except ray.exceptions.RayError as error:
            advice = "a row may kill whatever scores it: the engine 'local' finds such a row and lists it"
            raise BulkError(f"Ray gave up on some chunk ({type(error).__name__}); {advice}") from error
        for chunk in window:
            yield pickle.loads(parts[chunk.index])
