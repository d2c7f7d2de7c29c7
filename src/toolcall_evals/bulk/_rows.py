"""The rows of a chunk, each with its place, and which of them are asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from ._chunks import Chunk
from ._errors import BulkError
from ._fields import at, is_absent
from ._places import opened
from ._scoring import load

OPERATORS = (">=", "<=", "!=", "=", ">", "<", "~")


class Row(NamedTuple):
    """One row of a file: where it is, and its line or its value."""

    number: int
    byte: int | None
    line: bytes | None
    value: Any = None


def rows_of(chunk: Chunk) -> Iterator[Row]:
    """The rows of a chunk that are not blank."""
    if chunk.kind == "parquet":
        yield from _of_parquet(chunk)
        return
    if chunk.kind == "json":
        yield from _of_json(chunk)
        return
    data = chunk.data
    if data is None:
        with opened(chunk.path) as file:
            file.seek(chunk.start)
            data = file.read(chunk.length)
    byte = chunk.start
    for number, line in enumerate(data.split(b"\n"), chunk.first_row):
        if line and not line.isspace():
            yield Row(number, None if chunk.kind == "block" else byte, line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line)
        byte += len(line) + 1


def _of_parquet(chunk: Chunk) -> Iterator[Row]:
    number = chunk.first_row
    with opened(chunk.path) as raw, pq.ParquetFile(raw) as file:
        for batch in file.iter_batches(batch_size=1000, row_groups=[chunk.start]):
            for value in batch.to_pylist():
                yield Row(number, None, None, value)
                number += 1


def _of_json(chunk: Chunk) -> Iterator[Row]:
    """A file of one value: one trace, or a list of traces. A list of messages is one trace."""
    with opened(chunk.path) as file:
        data = file.read().removeprefix(b"\xef\xbb\xbf")
    try:
        value = load(data)
    except (ValueError, RecursionError):
        yield Row(0, 0, data)
        return
    if isinstance(value, list) and value and not _is_one(value):
        for number, item in enumerate(value):
            yield Row(number, None, None, item)
    else:
        yield Row(0, 0, None, value)


def _is_one(items: list[Any]) -> bool:
    """Whether a list is one trace: of messages, items or events, not of runs."""
    first = items[0]
    if not isinstance(first, Mapping):
        return not isinstance(first, list)
    if not {"messages", "inputs", "outputs", "trace", "trajectory", "toolcall_evals"}.isdisjoint(first):
        return False
    return not {"role", "type", "event", "lc"}.isdisjoint(first)


@dataclass(frozen=True, slots=True)
class Condition:
    """
    One condition on a row: a field, an operator, a value.

    Attributes:
        field: A dotted path.
        operator: One of `OPERATORS`; `~` is "contains".
        value: What the field is held against: JSON where it is some, and a text otherwise.
    """

    field: str
    operator: str
    value: Any

    @staticmethod
    def of(text: str) -> Condition:
        """
        Read `field=value`.

        Raises:
            BulkError: There is no operator in it, or no field before it.
        """
        places = [(text.find(operator), -len(operator), operator) for operator in OPERATORS if operator in text]
        if not places or min(places)[0] == 0:
            raise BulkError(f"expected a condition such as 'tags.kind=refund', with one of {' '.join(OPERATORS)}, found {text!r}")
        place, _, operator = min(places)
        stated = text[place + len(operator) :].strip()
        try:
            value = json.loads(stated)
        except ValueError:
            value = stated
        return Condition(text[:place].strip(), operator, value)

    def holds(self, row: Any) -> bool:
        """Whether it holds of a row; not of one that lacks the field (which `!=` takes)."""
        found = at(row, self.field)
        if is_absent(found):
            return self.operator == "!="
        if self.operator in ("=", "!="):
            same = found == self.value and isinstance(found, bool) == isinstance(self.value, bool)
            same = same or (isinstance(found, str) and not isinstance(self.value, str) and found == str(self.value))
            return same == (self.operator == "=")
        if self.operator == "~":
            return str(self.value) in found if isinstance(found, str) else self.value in found if isinstance(found, list | dict) else False
        try:
            return bool(
                {">": found > self.value, "<": found < self.value, ">=": found >= self.value, "<=": found <= self.value}[self.operator]
            )
        except TypeError:
            return False


@dataclass(frozen=True, slots=True)
class Selection:
    """
    Which rows are scored.

    Attributes:
        where: Conditions that must all hold.
        sample: The share of rows to take, above 0 to 1, chosen by place: the same rows each time.
        seed: Chooses other rows.
        limit: The most rows to take, or None.
    """

    where: tuple[Condition, ...] = ()
    sample: float = 1.0
    seed: int = 0
    limit: int | None = None

    def drawn(self, source: str, number: int) -> bool:
        """Whether the sample takes the row at this place."""
        if self.sample >= 1:
            return True
        digest = hashlib.blake2b(f"{self.seed}\0{source}\0{number}".encode("utf-8", "surrogateescape"), digest_size=8).digest()
        return int.from_bytes(digest, "big") < self.sample * 2**64

    def wanted(self, row: Any) -> bool:
        """Whether all conditions hold of a row."""
        return all(condition.holds(row) for condition in self.where)
