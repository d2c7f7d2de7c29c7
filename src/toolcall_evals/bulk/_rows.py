"""The rows of a chunk, each with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ._arrays import BOM, is_one
from ._chunks import KEPT, MOST_WHOLE, Chunk, foreign_encoding, too_large
from ._errors import BulkError
from ._places import opened
from ._scoring import load
from ._unpack import TornError, is_packed, unpacked

BATCH = 500
"""Rows of Parquet that are decoded at a time."""


class Row(NamedTuple):
    """One row of a file: where it is, and its line or its value, or why it cannot be read."""

    number: int
    byte: int | None
    line: bytes | None
    value: Any = None
    cause: str | None = None


def rows_of(chunk: Chunk) -> Iterator[Row]:
    """
    The rows of a chunk that are not blank.

    Raises:
        BulkError: The file cannot be read any more, or was changed.
    """
    return Reader().rows(chunk)


class Reader:
    """Reads chunks, one after another; where the next chunk goes on in the same row group, so does this."""

    def __init__(self, columns: Collection[str] | None = None) -> None:
        """
        Args:
            columns: The columns of Parquet files that matter, as far as a file has them; None is all.
        """
        self._columns = columns
        self._open: tuple[str, int, int, Iterator[Any]] | None = None

    def rows(self, chunk: Chunk) -> Iterator[Row]:
        """The rows of a chunk, as `rows_of` gives them."""
        if chunk.cause is not None:
            return iter([Row(chunk.first_row, None if is_packed(chunk.path) else chunk.start, chunk.data, None, chunk.cause)])
        try:
            if chunk.kind == "parquet":
                return self._of_parquet(chunk)
            return _of_json(chunk) if chunk.kind == "json" else _of_lines(chunk)
        except OSError as error:
            raise BulkError(f"cannot read {chunk.path}: {error.strerror or error}") from error

    def _of_parquet(self, chunk: Chunk) -> Iterator[Row]:
        number = chunk.first_row
        last = number + chunk.length
        try:
            for value in self._values(chunk):
                yield Row(number, None, None, value)
                number += 1
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            for broken in range(number, last):
                yield Row(broken, None, None, None, f"cannot be read from the Parquet file: {str(error)[:300]}")

    def _values(self, chunk: Chunk) -> Iterator[Any]:
        place = (chunk.path, chunk.start, chunk.first_row)
        before, self._open = self._open, None
        values = before[3] if before is not None and before[:3] == place else _values_of(chunk, self._columns)
        for _, value in zip(range(chunk.length), values, strict=False):
            yield value
        self._open = (chunk.path, chunk.start, chunk.first_row + chunk.length, values)


def _values_of(chunk: Chunk, columns: Collection[str] | None) -> Iterator[Any]:
    """The rows of a row group, from the chunk's first to the group's last."""
    with opened(chunk.path) as raw, pq.ParquetFile(raw, buffer_size=2**20) as file:
        groups = [file.metadata.row_group(number).num_rows for number in range(chunk.start)]
        before = chunk.first_row - sum(groups)
        names = None if columns is None else [name for name in file.schema_arrow.names if name in columns] or None
        for batch in file.iter_batches(batch_size=BATCH, row_groups=[chunk.start], columns=names):
            if before >= batch.num_rows:
                before -= batch.num_rows
                continue
            yield from batch.slice(before).to_pylist()
            before = 0


def _of_lines(chunk: Chunk) -> Iterator[Row]:
    data, byte = chunk.data, chunk.start
    if data is None:
        with opened(chunk.path) as file:
            file.seek(chunk.start)
            data = file.read(chunk.length)
        if len(data) != chunk.length:
            raise BulkError(f"{chunk.path} was changed while it was scored: it ends at byte {chunk.start + len(data):,} now")
    return _lines(data, chunk.first_row, None if chunk.kind == "block" else byte)


def _lines(data: bytes, number: int, byte: int | None) -> Iterator[Row]:
    for line in data.split(b"\n"):
        if line and not line.isspace():
            yield Row(number, byte, line.removeprefix(BOM) if number == 0 else line)
        number += 1
        if byte is not None:
            byte += len(line) + 1


def _of_json(chunk: Chunk) -> Iterator[Row]:
    """A file of one value: one trace, or a list of traces. A list of messages is one trace; what is no JSON may be lines of it."""
    with opened(chunk.path) as file:
        try:
            data = _joined(unpacked(file, chunk.path)) if is_packed(chunk.path) else file.read()
        except TornError as error:
            return iter([Row(0, None, b"", None, f"cannot unpack the file: {error}")])
    if len(data) > MOST_WHOLE:
        return iter([Row(0, None, data[:KEPT], None, too_large(len(data)))])
    if not data.strip():
        return iter(())
    if encoding := foreign_encoding(data):
        return iter([Row(0, 0, data, None, f"expected UTF-8 text, found {encoding}; convert the file first")])
    try:
        value = load(data.removeprefix(BOM))
    except (ValueError, RecursionError):
        return _lines(data, 0, 0) if any(map(_is_object, data.split(b"\n"))) else iter([Row(0, 0, data)])
    if isinstance(value, list) and not is_one(value):
        return iter([Row(number, None, None, item) for number, item in enumerate(value)])
    return iter([Row(0, 0, None, value)])


def _joined(pieces: Iterable[bytes]) -> bytes:
    """All pieces, or as many as show that there are too many."""
    parts, held = list[bytes](), 0
    for piece in pieces:
        parts.append(piece)
        held += len(piece)
        if held > MOST_WHOLE:
            break
    return b"".join(parts)


def _is_object(line: bytes) -> bool:
    """Whether a line is a whole object by itself."""
    if not line.startswith(b"{"):
        return False
    try:
        load(line)
    except (ValueError, RecursionError):
        return False
    return True
