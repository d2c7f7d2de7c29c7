"""Files of stored runs to a file of scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .._tally import Tally
from ._chunks import CHUNK, Chunk, chunks_of
from ._errors import BulkError
from ._inputs import files_of, takes_in
from ._local import in_process, in_processes
from ._part import Part, new_survey
from ._places import mark_of
from ._plan import Plan
from ._ray import on_ray
from ._store import Store

if TYPE_CHECKING:
    from ..report import Survey

Engine: TypeAlias = Literal["local", "ray"]
ENGINES = ("local", "ray")
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: bytes read of bytes there are, rows taken, and how many of them could not be read."""

    done: int
    total: int
    rows: int
    unreadable: int


@dataclass(slots=True)
class Outcome:
    """
    What came of a run over files.

    Attributes:
        rows: How many rows were taken: scored, or found unreadable.
        unreadable: How many could not be read.
        errors: The first of these, with place and cause.
        errors_path: Where all are listed; None where there are none, or no output was asked for.
        tallies: One for each evaluator, in their order.
        survey: What a report shows of the runs, where that was asked for.
        seconds: How long it took.
    """

    rows: int
    unreadable: int
    errors: list[dict[str, Any]]
    errors_path: Path | None
    tallies: list[Tally]
    survey: Survey | None
    seconds: float


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
        errors: Where the rows are listed that could not be read, as JSON lines; `errors.jsonl` beside `out` unless told otherwise.
        engine: `local`, or `ray` for a Ray cluster.
        workers: How many processes.
        resume: Go on with a run that did not end.
        overwrite: Replace an output, and the parts of a run that did not end.
        progress: Told after each chunk.
        chunk_bytes: Bytes in a chunk, about: what a worker takes at a time, and what a killed run has to do again. A line may be 32 times
            as long.

    Raises:
        BulkError: Files, evaluators or output are not as described; says which and why.
    """
    if engine not in ENGINES or isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise BulkError(f"expected one of the engines {ENGINES} and at least one worker, found {engine!r} and {workers!r}")
    began, paths = time.perf_counter(), list(paths)
    files = files_of(paths)
    try:
        marks = {path: mark_of(path) for path in files}
    except OSError as error:
        raise BulkError(f"cannot read {error.filename}: {error.strerror}") from error
    store = None
    if out is not None:
        store = Store(Path(out), Path(errors) if errors is not None else Path(out).with_name("errors.jsonl"))
        for place in (store.out, store.errors):
            if takes_in(paths, place):
                raise BulkError(f"the output {place} would be among the files to be scored; give it another place")
        store.begin(plan.fingerprint(marks, chunk_bytes), resume=resume, overwrite=overwrite)
    sums = _Sums(plan, sum(size for size, _ in marks.values()), progress)
    for part in _limited(plan, _parts(plan, chunks_of(files, chunk_bytes), store, engine, workers), files, chunk_bytes, engine, workers):
        if store is not None and not store.has(part.index):
            store.keep(part)
        sums.add(part)
    errors_path = None
    if store is not None:
        errors_path = store.finish()
    return sums.outcome(time.perf_counter() - began, errors_path)


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
    return in_process(plan, chunks) if workers == 1 else in_processes(plan, chunks, workers)


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


class _Sums:
    """What parts add up to."""

    def __init__(self, plan: Plan, total: int, progress: Callable[[Progress], None] | None) -> None:
        self._tallies = [Tally(evaluator.key) for evaluator in plan.built()]
        self._survey = new_survey() if plan.survey else None
        self._errors: list[dict[str, Any]] = []
        self._rows = self._unreadable = self._done = 0
        self._total, self._progress = total, progress

    def add(self, part: Part) -> None:
        for mine, its in zip(self._tallies, part.tallies, strict=True):
            mine.merge(its)
        if self._survey is not None and part.survey is not None:
            self._survey.merge(part.survey)
        self._errors += part.errors[: MOST_SHOWN - len(self._errors)]
        self._rows += part.taken
        self._unreadable += len(part.errors)
        self._done += part.weight
        if self._progress is not None:
            self._progress(Progress(min(self._done, self._total), self._total, self._rows, self._unreadable))

    def outcome(self, seconds: float, errors_path: Path | None) -> Outcome:
        return Outcome(self._rows, self._unreadable, self._errors, errors_path, self._tallies, self._survey, seconds)
