"""Scores as an Arrow table, made from buffers: `pa.array` would import pandas, where that is installed, into every worker."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import pyarrow as pa

from .._model import Score
from ._text import explained, writable_text

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


@dataclass(slots=True)
class Columns:
    """The columns of a table, while rows are added."""

    explain: bool
    ids: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    def add(self, id: str, number: int, scores: Iterable[Score]) -> None:
        """Add the scores of a row."""
        self.ids.append(id)
        self.numbers.append(number)
        for score in scores:
            self.scores.append(score.score)
            self.statuses.append(score.status)
            if self.explain:
                comment, details = explained(score)
                self.comments.append(comment)
                self.details.append(details)

    def table(self, keys: Sequence[str], source: str) -> pa.Table:
        """The table; `keys` are those of the scores of each row."""
        each, absent = len(keys), pa.nulls(len(self.scores), pa.string())
        return pa.table(
            [
                _texts([id for id in self.ids for _ in keys]),
                _texts([*keys] * len(self.ids)),
                _numbers(self.scores),
                _texts(self.statuses),
                _texts(self.comments) if self.explain else absent,
                _texts(self.details) if self.explain else absent,
                _texts([source] * len(self.scores)),
                _whole([number for number in self.numbers for _ in range(each)]),
            ],
            schema=SCHEMA,
        )


def _texts(texts: Sequence[str]) -> pa.Array:
    whole = "".join(texts)
    try:
        data = whole.encode()
    except UnicodeEncodeError:
        return _texts([writable_text(text) for text in texts])
    lengths = map(len, texts) if len(data) == len(whole) else [len(text.encode()) for text in texts]
    ends = array("i", accumulate(lengths, initial=0))
    return pa.Array.from_buffers(pa.string(), len(texts), [None, pa.py_buffer(ends), pa.py_buffer(data)])


def _numbers(numbers: Sequence[float | None]) -> pa.Array:
    present: pa.Buffer | None = None
    if None in numbers:
        bits = "".join(["0" if number is None else "1" for number in numbers])
        present = pa.py_buffer(int(bits[::-1], 2).to_bytes(len(bits) // 8 + 1, "little"))
    values = array("d", [number or 0.0 for number in numbers])
    return pa.Array.from_buffers(pa.float64(), len(values), [present, pa.py_buffer(values)])


def _whole(numbers: Sequence[int]) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(array("q", numbers))])
