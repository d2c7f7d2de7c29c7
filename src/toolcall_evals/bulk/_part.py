"""A chunk of rows to a table of scores: the bulk core, the same in every engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import pyarrow as pa

from .._evaluator import Evaluator
from .._json import json_ready
from .._model import Score
from .._tally import Tally
from ..report import Survey
from ..results import ResultRow
from ._chunks import Chunk
from ._plan import Plan
from ._rows import Row, Selection, rows_of
from ._scoring import RowScorer, Scored, load

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("key", pa.string()),
        ("score", pa.float64()),
        ("status", pa.string()),
        ("comment", pa.string()),
        ("details", pa.string()),
        ("source", pa.string()),
        ("row", pa.int64()),
    ]
)
"""The columns of scores: one row for each trace and evaluator. `details` is JSON; `row` counts from 0 in `source`."""

SHOWN = 200
"""Characters of a line that cannot be read which are shown with its cause."""


@dataclass(slots=True)
class Part:
    """
    What became of a chunk.

    Attributes:
        index: The chunk's.
        table: Its scores, in the columns of `SCHEMA`.
        errors: Its rows that could not be read, with place and cause.
        tallies: One for each evaluator.
        survey: What a report shows of its runs, where that was asked for.
        taken: How many rows were taken: scored, or found unreadable.
        weight: As the chunk's.
    """

    index: int
    table: pa.Table
    errors: list[dict[str, Any]]
    tallies: list[Tally]
    survey: Survey | None
    taken: int
    weight: int

    def facts(self) -> dict[str, Any]:
        """Everything but the table, as JSON."""
        return {
            "errors": self.errors,
            "tallies": [tally.to_dict() for tally in self.tallies],
            "survey": None if self.survey is None else self.survey.to_dict(),
            "taken": self.taken,
            "weight": self.weight,
        }

    @staticmethod
    def of(index: int, table: pa.Table, facts: dict[str, Any]) -> Part:
        """The part that `facts` tells of."""
        survey = None if facts["survey"] is None else Survey.from_dict(facts["survey"])
        tallies = [Tally.from_dict(each) for each in facts["tallies"]]
        return Part(index, table, facts["errors"], tallies, survey, facts["taken"], facts["weight"])

    def merge(self, other: Part) -> None:
        """Add the later rows of the same chunk."""
        self.table = pa.concat_tables([self.table, other.table])
        self.errors += other.errors
        for mine, its in zip(self.tallies, other.tallies, strict=True):
            mine.merge(its)
        if self.survey is not None and other.survey is not None:
            self.survey.merge(other.survey)
        self.taken += other.taken


@dataclass(slots=True)
class _Columns:
    """The columns of a table, while rows are added."""

    explain: bool
    rows: list[tuple[str, str, int]] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    def add(self, scores: Iterable[Score]) -> None:
        """Add the scores of the latest row."""
        for score in scores:
            self.scores.append(score.score)
            self.statuses.append(score.status)
            if self.explain:
                self.comments.append(score.comment)
                self.details.append(as_json(score.details))

    def table(self, keys: Sequence[str]) -> pa.Table:
        """The table; `keys` are those of the scores of each row."""
        each = len(keys)
        ids = [id for id, _, _ in self.rows for _ in range(each)]
        sources = [source for _, source, _ in self.rows for _ in range(each)]
        numbers = [number for _, _, number in self.rows for _ in range(each)]
        absent = pa.nulls(len(ids), pa.string())
        return pa.table(
            [
                pa.array(ids, pa.string()),
                pa.array([*keys] * len(self.rows), pa.string()),
                pa.array(self.scores, pa.float64()),
                pa.array(self.statuses, pa.string()),
                pa.array(self.comments, pa.string()) if self.explain else absent,
                pa.array(self.details, pa.string()) if self.explain else absent,
                pa.array(sources, pa.string()),
                pa.array(numbers, pa.int64()),
            ],
            schema=SCHEMA,
        )


class ChunkScorer:
    """Scores chunks, one after another; a worker has one."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._evaluators = plan.built()
        self.keys = [evaluator.key for evaluator in self._evaluators]
        self._scorer = RowScorer(self._evaluators, plan.fields, adapter=plan.adapter, form=plan.form, turns=plan.turns)

    def __call__(self, chunk: Chunk, first: int = 0, last: int | None = None) -> Part:
        """Score a chunk, or those of its rows whose numbers are from `first` to below `last`."""
        rows = rows_of(chunk)
        if first or last is not None:
            rows = (row for row in rows if row.number >= first and (last is None or row.number < last))
        return self.part(chunk, rows)

    def part(self, chunk: Chunk, rows: Iterable[Row]) -> Part:
        """Score rows of a chunk."""
        source, selection = writable_text(chunk.path), self._plan.selection
        columns, errors, taken = _Columns(self._plan.explain), list[dict[str, Any]](), 0
        counted = Counted(self._evaluators)
        survey = Survey() if self._plan.survey else None
        for row in rows:
            if taken == selection.limit:
                break
            if not selection.drawn(chunk.path, row.number):
                continue
            scored = read_row(self._scorer, selection, row)
            if scored is None:
                continue
            taken += 1
            if scored.error is not None:
                errors.append(fault(source, row, scored.error))
                if survey is not None:
                    survey.add_unreadable(source, row.number, scored.error)
                continue
            id = f"{source}#{row.number}" if scored.id is None else writable_text(scored.id)
            columns.rows.append((id, source, row.number))
            columns.add(scored.scores)
            counted.add(id, source, row.number, scored.scores)
            if survey is not None and scored.trajectory is not None:
                survey.add(source, row.number, id, scored.trajectory, scored.scores, scored.reference)
        return Part(chunk.index, columns.table(self.keys), errors, counted.tallies(), survey, taken, chunk.weight)


def read_row(scorer: RowScorer, selection: Selection, row: Row) -> Scored | None:
    """A row's scores, or None where the conditions do not hold of it; a line that is no JSON meets any."""
    if row.line is None:
        return scorer.value(row.value) if selection.wanted(row.value) else None
    if not selection.where:
        return scorer.line(row.line)
    try:
        value = load(row.line)
    except (ValueError, RecursionError):
        return scorer.line(row.line)
    return scorer.value(value) if selection.wanted(value) else None


class Counted:
    """Tallies of many rows, one for each evaluator."""

    def __init__(self, evaluators: Iterable[Evaluator]) -> None:
        self._kept: list[tuple[Tally, list[float]]] = [(Tally(evaluator.key), []) for evaluator in evaluators]

    def add(self, id: str, source: str, number: int, scores: Iterable[Score]) -> None:
        """Count the scores of one row."""
        for (tally, between), score in zip(self._kept, scores, strict=True):
            value = score.score
            if value == 1.0 and tally.high_end == 1.0:  # the two usual cases, once enough rows are kept
                tally.ones += 1
                tally.bins[-1] += 1
            elif value == 0.0 and tally.low_end == 0.0:
                tally.zeros += 1
                tally.bins[0] += 1
            else:
                tally.count(value, score.status, _row(id, source, number, score), between)

    def tallies(self) -> list[Tally]:
        """The tallies."""
        for tally, between in self._kept:
            tally.close(between)
        return [tally for tally, _ in self._kept]


def _row(id: str, source: str, number: int, score: Score) -> Callable[[], ResultRow]:
    return lambda: ResultRow(id, score.key, score.score, score.status, score.comment, {}, 0, f"{source}#{number}")


def fault(source: str, row: Row, cause: str) -> dict[str, Any]:
    """A line of the errors' file: a row that could not be read, and why."""
    shown = row.line[: 4 * SHOWN].decode("utf-8", "replace") if row.line is not None else repr(row.value)
    return {"source": source, "row": row.number, "byte": row.byte, "cause": writable_text(cause), "line": writable_text(shown)[:SHOWN]}


def as_json(details: Any) -> str:
    """Details as JSON text."""
    try:
        return orjson.dumps(details).decode()
    except (TypeError, orjson.JSONEncodeError):  # integers of more than 64 bits
        return json.dumps(json_ready(details), ensure_ascii=False)


def writable_text(text: str) -> str:
    """A text that any file takes: lone surrogates replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
