"""The row that kills whatever scores it: found by halves, and listed, so that the others are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from ._chunks import Chunk
from ._part import WHOLE, ChunkScorer, Part, Span, fault
from ._plan import Plan
from ._rows import Row, rows_of
from ._text import writable_text

DIED = "the process that scored it died (out of memory, or a crash in native code)"


def by_halves(plan: Plan, chunk: Chunk, attempt: Callable[[Chunk, Span], Part | None], span: Span = WHOLE) -> Part:
    """
    Score a chunk in which something died.

    Args:
        plan: How rows are scored.
        chunk: The chunk.
        attempt: Scores a span of a chunk in a process that may die: then it gives None.
        span: Which rows; all unless told otherwise.

    Returns:
        The part, with the rows that kill listed as unreadable.
    """
    if (part := attempt(chunk, span)) is not None:
        return part
    count = sum(1 for _ in _within(chunk, span))
    if count <= 1:
        return _listed(plan, chunk, span)
    middle = next(islice(_within(chunk, span), count // 2, None)).number
    limit = plan.selection.limit if span.limit is None else span.limit
    part = by_halves(plan, chunk, attempt, Span(span.first, middle, limit))
    if limit is None or part.taken < limit:
        part.merge(by_halves(plan, chunk, attempt, Span(middle, span.last, None if limit is None else limit - part.taken)))
    return part


def _within(chunk: Chunk, span: Span) -> Iterator[Row]:
    return (row for row in rows_of(chunk) if row.number in span)


def _listed(plan: Plan, chunk: Chunk, span: Span) -> Part:
    """The part of rows that cannot be scored."""
    part, cause = ChunkScorer(plan).part(chunk, []), _cause(plan)
    source = writable_text(chunk.path)
    for row in _within(chunk, span):
        part.errors.append(fault(source, row, cause))
        part.taken += 1
        if part.survey is not None:
            part.survey.add_unreadable(source, row.number, cause)
    return part


def _cause(plan: Plan) -> str:
    return DIED if plan.row_timeout_s is None else f"it took more than {plan.row_timeout_s:g} s, or {DIED}"
