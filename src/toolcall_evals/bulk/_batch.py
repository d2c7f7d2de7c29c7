"""A batch of raw traces to a table of scores: one function for Ray, Spark, DuckDB, Polars and whatever else speaks Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from .._evaluator import Evaluator
from ._chunks import Chunk
from ._errors import BulkError
from ._fields import Fields
from ._part import ChunkScorer
from ._plan import Plan
from ._rows import Row


def score_batch(
    batch: pa.RecordBatch | pa.Table,
    evaluators: Sequence[Evaluator] | str,
    *,
    column: str = "trace",
    id: str | None = None,
    reference: str | None = None,
    explain: bool = True,
    source: str = "",
) -> pa.Table:
    """
    Score a batch of raw traces.

    Args:
        batch: A column of traces, as JSON text, bytes or nested values, and whatever else.
        evaluators: The evaluators, or the place that `load_evaluators` finds them at.
        column: The column of the traces.
        id: The column of ids; without one, an id is the place in the batch.
        reference: The column of what is expected.
        explain: Whether comments and details are made.
        source: What the column `source` says.

    Returns:
        A table in the columns of `SCHEMA`, one row for each trace and evaluator. A trace that cannot be read has its rows too: None,
        `could_not_score`, the cause as comment.

    Raises:
        BulkError: A column that is not there, or evaluators that are none.
    """
    for name in (column, id, reference):
        if name is not None and name not in batch.schema.names:
            raise BulkError(f"expected the column {name!r} in the batch, found {batch.schema.names}")
    scorer = ChunkScorer(Plan(evaluators, Fields(column, id, reference), explain=explain))
    names = [name for name in (column, id, reference) if name is not None]
    rows = [Row(number, None, None, _texts(value)) for number, value in enumerate(batch.select(names).to_pylist())]
    part = scorer.part(Chunk(0, source, "block", 0, 0, 0, 0), rows)
    causes = {error["row"]: error["cause"] for error in part.errors}
    return part.table if not causes else _with_unreadable(part.table, rows, causes, scorer.keys, source, id)


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value for name, value in row.items()}


def _with_unreadable(
    table: pa.Table, rows: Sequence[Row], causes: dict[int, str], keys: Sequence[str], source: str, id: str | None
) -> pa.Table:
    """The table with rows for what could not be read, each at its place."""
    fields = Fields(id=id)
    made = [
        {
            "id": (fields.id_of(rows[number].value) if id else None) or f"{source}#{number}",
            "key": key,
            "score": None,
            "status": "could_not_score",
            "comment": cause,
            "details": "{}",
            "source": source,
            "row": number,
        }
        for number, cause in causes.items()
        for key in keys
    ]
    whole = sorted([*table.to_pylist(), *made], key=lambda row: row["row"])
    return pa.Table.from_pylist(whole, schema=table.schema)
