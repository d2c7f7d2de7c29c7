"""A chunk of rows to a table of scores: the bulk core, the same in every engine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from .._evaluator import Evaluator
from .._model import Score
from .._tally import Tally
from ..results import ResultRow
from ._chunks import Chunk
from ._plan import Plan
from ._rows import Reader, Row
from ._scoring import RowScorer, Scored, load
from ._selection import Selection
from ._table import Columns
from ._text import writable_text

if TYPE_CHECKING:
    from ..report import Survey

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
        survey = None if facts["survey"] is None else new_survey().from_dict(facts["survey"])
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


def new_survey() -> Survey:
    """An empty survey; what reports need is imported only where one was asked for."""
    from ..report import Survey

    return Survey()


class Span(NamedTuple):
    """
    Some rows of a chunk.

    Attributes:
        first: The number of the first.
        last: That of the first behind them, or None.
        limit: How many are taken at most; None is as the plan has it.
    """

    first: int = 0
    last: int | None = None
    limit: int | None = None

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number >= self.first and (self.last is None or number < self.last)


WHOLE = Span()


class ChunkScorer:
    """Scores chunks, one after another; a worker has one."""

    def __init__(self, plan: Plan, watched: Callable[[Iterator[Row]], Iterator[Row]] = iter) -> None:
        """
        Args:
            plan: How rows are scored.
            watched: Hands on the rows of a chunk, and so sees when each is done.
        """
        self._plan, self._watched = plan, watched
        self._evaluators = plan.built()
        self.keys = [evaluator.key for evaluator in self._evaluators]
        self._scorer = RowScorer(self._evaluators, plan.fields, adapter=plan.adapter, form=plan.form, turns=plan.turns)
        self._reader = Reader(plan.fields.columns(each.field for each in plan.selection.where))

    def __call__(self, chunk: Chunk, span: Span = WHOLE) -> Part:
        """Score a chunk, or the rows of it that are in a span."""
        rows = self._reader.rows(chunk)
        rows = self._watched(rows if span == WHOLE else (row for row in rows if row.number in span))
        return self.part(chunk, rows, span.limit)

    def part(self, chunk: Chunk, rows: Iterable[Row], limit: int | None = None) -> Part:
        """Score rows of a chunk, `limit` of them at most."""
        source, selection = writable_text(chunk.path), self._plan.selection
        limit = selection.limit if limit is None else limit
        columns, errors, taken = Columns(self._plan.explain), list[dict[str, Any]](), 0
        counted = Counted(self._evaluators)
        survey = new_survey() if self._plan.survey else None
        for row in rows:
            if taken == limit:
                break
            if not selection.drawn(chunk.path, row.number):
                continue
            try:
                scored = read_row(self._scorer, selection, row)
            except SystemExit as left:
                scored = Scored(None, [], None, f"an evaluator left the process: SystemExit({left.code!r})")
            if scored is None:
                continue
            taken += 1
            if scored.error is not None:
                errors.append(fault(source, row, scored.error))
                if survey is not None:
                    survey.add_unreadable(source, row.number, scored.error)
                continue
            id = f"{source}#{row.number}" if scored.id is None else writable_text(scored.id)
            columns.add(id, row.number, scored.scores)
            counted.add(id, source, row.number, scored.scores)
            if survey is not None and scored.trajectory is not None:
                survey.add(source, row.number, id, scored.trajectory, scored.scores, scored.reference)
        if isinstance(rows, Generator):
            rows.close()  # whoever watches the rows sees that the last is done
        return Part(chunk.index, columns.table(self.keys, source), errors, counted.tallies(), survey, taken, chunk.weight)


def read_row(scorer: RowScorer, selection: Selection, row: Row) -> Scored | None:
    """A row's scores, or None where the conditions do not hold of it; what cannot be read meets any."""
    if row.cause is not None:
        return Scored(None, [], None, row.cause)
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
    shown = "" if row.value is None else repr(row.value)
    if row.line is not None:
        shown = row.line[: 4 * SHOWN].decode("utf-8", "replace")
    return {"source": source, "row": row.number, "byte": row.byte, "cause": writable_text(cause), "line": writable_text(shown)[:SHOWN]}
