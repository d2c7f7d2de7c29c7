"""Files of traces, cut into chunks that any worker can take; the same files always give the same chunks."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, TypeAlias

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from ._errors import BulkError
from ._places import is_folder, listed, mark_of, opened

CHUNK = 8 * 2**20
"""Bytes of JSON lines in a chunk, about: a chunk ends with a line."""

SUFFIXES = (".json", ".jsonl", ".ndjson", ".parquet")
PACKED = (".gz", ".zst")

Kind: TypeAlias = Literal["lines", "block", "json", "parquet"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """
    A part of a file.

    Attributes:
        index: Its place among all chunks, from 0.
        path: The file.
        kind: `lines`: a range of bytes; `block`: lines in `data`; `json`: a whole file; `parquet`: a row group.
        start: The first byte, or the number of the row group.
        length: How many bytes.
        first_row: The number of its first row in the file, from 0.
        weight: How many bytes of the file as it lies there, about: for telling how far a run has come.
        data: The lines themselves, where the file is packed.
    """

    index: int
    path: str
    kind: Kind
    start: int
    length: int
    first_row: int
    weight: int
    data: bytes | None = None


def files_of(paths: Iterable[str | Path]) -> list[str]:
    """
    The files that paths, folders and patterns name, each once; those of a folder or pattern in order of name.

    Raises:
        BulkError: A path that is not there, a pattern or folder without traces, or no path at all.
    """
    found: dict[str, None] = {}
    for path in map(str, paths):
        try:
            inside = listed(path)
        except OSError as error:
            raise BulkError(f"cannot read {path}: {error}") from error
        if inside is None:
            raise BulkError(f"expected a file, a folder or a pattern that matches some, found nothing at {path!r}")
        if is_folder(path):
            inside = [file for file in inside if _holds_traces(file.rpartition("/")[2])]
            if not inside:
                raise BulkError(f"expected files of traces ({', '.join(SUFFIXES)}, packed or not) in the folder {path!r}, found none")
        found |= dict.fromkeys(inside)
    if not found:
        raise BulkError("expected at least one file of traces, found none")
    return list(found)


def chunks_of(files: Iterable[str], size: int = CHUNK) -> Iterator[Chunk]:
    """
    Cut files into chunks.

    Raises:
        BulkError: A file that cannot be opened, is packed and broken, or is no Parquet.
    """
    index = 0
    for path in files:
        try:
            for piece in _pieces(path, size):
                yield Chunk(index, path, *piece)
                index += 1
        except OSError as error:
            raise BulkError(f"cannot read {path}: {error.strerror or error}") from error


_Piece: TypeAlias = tuple[Kind, int, int, int, int, bytes | None]
"""A chunk without its place."""


def _pieces(path: str, size: int) -> Iterator[_Piece]:
    plain = path.lower()
    packed = plain.endswith(PACKED)
    if packed:
        plain = plain.rpartition(".")[0]
    if plain.endswith(".parquet"):
        return _row_groups(path)
    if packed:
        return _blocks(path, size)
    if plain.endswith(".json") and not _is_lines(path):
        size = mark_of(path)[0]
        return iter([("json", 0, size, 0, size, None)])
    return _ranges(path, size)


def _ranges(path: str, size: int) -> Iterator[_Piece]:
    with opened(path) as file:
        for start, block, first_row in _cut(file, size):
            yield "lines", start, len(block), first_row, len(block), None


def _blocks(path: str, size: int) -> Iterator[_Piece]:
    with opened(path) as raw:
        before = 0
        try:
            for start, block, first_row in _cut(_unpacked(raw, path), size):
                yield "block", start, len(block), first_row, raw.tell() - before, block
                before = raw.tell()
        except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
            raise BulkError(f"cannot unpack {path}: {error}") from error


def _unpacked(raw: IO[bytes], path: str) -> IO[bytes]:
    if path.lower().endswith(".gz"):
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]  # it reads as files do
    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)  # type: ignore[return-value]  # likewise


def _cut(file: IO[bytes], size: int) -> Iterator[tuple[int, bytes, int]]:
    """Blocks of whole lines: where each begins, itself, and the number of its first line."""
    start = first_row = 0
    rest = b""
    while data := file.read(size):
        end = data.rfind(b"\n") + 1
        if not end:
            rest += data
            continue
        block = rest + data[:end]
        rest = data[end:]
        yield start, block, first_row
        start += len(block)
        first_row += block.count(b"\n")
    if rest:
        yield start, rest, first_row


def _row_groups(path: str) -> Iterator[_Piece]:
    try:
        with opened(path) as file:
            metadata = pq.read_metadata(file)
    except pa.ArrowException as error:
        raise BulkError(f"cannot read {path} as Parquet: {error}") from error
    size, first_row = mark_of(path)[0], 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        yield "parquet", group, rows, first_row, size * rows // max(metadata.num_rows, 1), None
        first_row += rows


def _is_lines(path: str) -> bool:
    """Whether a `.json` file holds a value a line: its first line is one by itself, and another follows."""
    with opened(path) as file:
        first = file.readline(64 * 2**20)
        while (second := file.readline(1000)) and not second.strip():
            pass
    if not second:
        return False
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return True


def _holds_traces(name: str) -> bool:
    lower = name.lower()
    if lower.endswith(PACKED):
        lower = lower.rpartition(".")[0]
    return lower.endswith(SUFFIXES) and not name.startswith((".", "_"))

