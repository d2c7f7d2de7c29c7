"""Files of stored runs to a file of scores."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

from ._chunks import CHUNK, Chunk, chunks_of
from ._errors import BulkError
from ._inputs import files_of, takes_in
from ._local import in_process, in_processes
from ._lock import locked
from ._outcome import Outcome, Progress, Sums
from ._part import Part
from ._places import mark_of
from ._plan import Plan
from ._ray import on_ray
from ._store import Store

Engine: TypeAlias = Literal["local", "ray"]
ENGINES = ("local", "ray")


def score_files(
    paths: Iterable[str | Path],
    plan: Plan,
    out: str | Path | None = None,
    *,
    errors: str | Path | None = None,
    engine: Engine = "local",
    workers: int = 1,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[Progress], None] | None = None,
    chunk_bytes: int = CHUNK,
) -> Outcome:
    """
    Score the runs in files.

    Args:
        paths: Files, folders and patterns: JSON, JSON lines (plain, .gz, .zst) and Parquet; addresses of object stores (`s3://...`) too.
        plan: How each row is scored.
        out: Where the scores go, `.parquet` or `.jsonl`, in the columns of `SCHEMA`; None keeps the sums alone.
        errors: Where the rows are listed that could not be read, as JSON lines; unless told otherwise `errors.jsonl` beside `out`, or
            `<out>.errors.jsonl` where the list there is another output's.
        engine: `local`, or `ray` for a Ray cluster.
        workers: How many processes.
        resume: Go on with a run that did not end; of one that did, what came of it is returned.
        overwrite: Replace an output, and the parts of a run that did not end.
        progress: Told after each chunk.
        chunk_bytes: Bytes in a chunk, about: what a worker takes at a time, and what a killed run has to do again. A line may be 32 times
            as long.

    Raises:
        BulkError: Files, evaluators or output are not as described; says which and why.
    """
    if engine not in ENGINES or isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise BulkError(f"expected one of the engines {ENGINES} and at least one worker, found {engine!r} and {workers!r}")
    limit_s = plan.row_timeout_s
    if limit_s is not None and not (math.isfinite(limit_s) and limit_s > 0 and hasattr(signal, "setitimer")):
        raise BulkError(f"expected a time limit for rows above 0 s, on a system that has timers, found {limit_s!r}")
    began, paths = time.perf_counter(), list(paths)
    files = files_of(paths)
    try:
        marks = {path: mark_of(path) for path in files}
    except OSError as error:
        raise BulkError(f"cannot read {error.filename}: {error.strerror}") from error
    total = sum(size for size, _ in marks.values())
    how = (engine, workers, chunk_bytes)
    if out is None:
        sums = Sums(plan, total, progress)
        for part in _all_parts(plan, files, None, how):
            sums.add(part)
        return sums.outcome(time.perf_counter() - began, None)
    store = Store(Path(out), Path(errors) if errors is not None else None)
    for place in (store.out, *store.unreadable.places):
        if takes_in(paths, place):
            raise BulkError(f"the output {place} would be among the files to be scored; give it another place")
    with locked(store.out):
        fingerprint = plan.fingerprint(marks, chunk_bytes)
        if resume and not overwrite and (before := store.finished(fingerprint)) is not None:
            return before
        store.begin(fingerprint, resume=resume, overwrite=overwrite)
        sums = Sums(plan, total, progress)
        for part in _all_parts(plan, files, store, how):
            if not store.has(part.index):
                store.keep(part)
            sums.add(part)
        listed = store.join()
        outcome = sums.outcome(time.perf_counter() - began, listed)
        store.close(outcome, fingerprint)
        return outcome


def _all_parts(plan: Plan, files: list[str], store: Store | None, how: tuple[Engine, int, int]) -> Iterator[Part]:
    engine, workers, size = how
    return _limited(plan, _parts(plan, chunks_of(files, size), store, engine, workers), files, size, engine, workers)


def _parts(plan: Plan, chunks: Iterator[Chunk], store: Store | None, engine: Engine, workers: int) -> Iterator[Part]:
    """The parts of all chunks in order: those that an earlier run has done, and the others."""
    if store is None or not any(store.folder.glob("*.json")):
        yield from _scored(plan, chunks, engine, workers)
        return
    done: list[int] = []

    def missing() -> Iterator[Chunk]:
        for chunk in chunks:
            if store.has(chunk.index):
                done.append(chunk.index)
            else:
                yield chunk

    # those done before and those done now take turns by index
    for part in _scored(plan, missing(), engine, workers):
        while done and done[0] < part.index:
            yield store.part(done.pop(0))
        yield part
    for index in done:
        yield store.part(index)


def _scored(plan: Plan, chunks: Iterable[Chunk], engine: Engine, workers: int) -> Iterator[Part]:
    if engine == "ray":
        return on_ray(plan, chunks, workers)
    return in_process(plan, chunks) if workers == 1 and plan.row_timeout_s is None else in_processes(plan, chunks, workers)


def _limited(plan: Plan, parts: Iterator[Part], files: list[str], size: int, engine: Engine, workers: int) -> Iterator[Part]:
    """The parts, up to the limit of rows; the one in which it is reached is scored again for the rows before it."""
    left = plan.selection.limit
    if left is None:
        yield from parts
        return
    if left == 0:
        return
    for part in parts:
        if part.taken > left:
            again = (chunk for chunk in chunks_of(files, size) if chunk.index == part.index)
            part = next(iter(_scored(plan.limited(left), islice(again, 1), engine, workers)))
        left -= part.taken
        yield part
        if left == 0:
            return
