"""Files of traces, cut into chunks that any worker can take; the same files always give the same chunks."""

from __future__ import annotations

import glob
import gzip
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from ._errors import BulkError

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
        data: The lines themselves, where the file is packed.
    """

    index: int
    path: str
    kind: Kind
    start: int
    length: int
    first_row: int
    data: bytes | None = None


def files_of(paths: Iterable[str | Path]) -> list[str]:
    """
    The files that paths, folders and patterns name, each once; those of a folder or pattern in order of name.

    Raises:
        BulkError: A path that is not there, a pattern or folder without traces, or no path at all.
    """
    found: dict[str, None] = {}
    for path in map(str, paths):
        if os.path.isdir(path):
            inside = [str(file) for file in sorted(Path(path).rglob("*")) if file.is_file() and _holds_traces(file.name)]
            if not inside:
                raise BulkError(f"expected files of traces ({', '.join(SUFFIXES)}, packed or not) in the folder {path!r}, found none")
            found |= dict.fromkeys(_slashed(file) for file in inside)
        elif os.path.exists(path):
            found[_slashed(path)] = None
        elif matched := sorted(glob.glob(path, recursive=True)):
            found |= dict.fromkeys(_slashed(file) for file in matched if os.path.isfile(file))
        else:
            raise BulkError(f"expected a file, a folder or a pattern that matches some, found nothing at {path!r}")
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
            for kind, start, length, first_row, data in _pieces(path, size):
                yield Chunk(index, path, kind, start, length, first_row, data)
                index += 1
        except OSError as error:
            raise BulkError(f"cannot read {path}: {error.strerror or error}") from error


_Piece: TypeAlias = tuple[Kind, int, int, int, bytes | None]


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
        return iter([("json", 0, os.path.getsize(path), 0, None)])
    return _ranges(path, size)


def _ranges(path: str, size: int) -> Iterator[_Piece]:
    with open(path, "rb") as file:
        for start, block, first_row in _cut(file, size):
            yield "lines", start, len(block), first_row, None


def _blocks(path: str, size: int) -> Iterator[_Piece]:
    with unpacked(path) as file:
        try:
            for start, block, first_row in _cut(file, size):
                yield "block", start, len(block), first_row, block
        except (EOFError, gzip.BadGzipFile) as error:
            raise BulkError(f"cannot unpack {path}: {error}") from error
        except Exception as error:
            if type(error).__module__.startswith("zstandard") or type(error).__name__ in ("ZstdError", "error"):
                raise BulkError(f"cannot unpack {path}: {error}") from error
            raise


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
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(path)
    except (pa.ArrowInvalid, pa.ArrowException) as error:
        raise BulkError(f"cannot read {path} as Parquet: {error}") from error
    first_row = 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        yield "parquet", group, rows, first_row, None
        first_row += rows


def unpacked(path: str) -> IO[bytes]:
    """A file opened for reading, unpacked on the way."""
    if path.lower().endswith(".gz"):
        return gzip.open(path, "rb")
    if path.lower().endswith(".zst"):
        import zstandard

        opened: Any = zstandard.open(path, "rb")
        return opened  # type: ignore[no-any-return]  # a binary reader
    return open(path, "rb")


def _is_lines(path: str) -> bool:
    """Whether a `.json` file holds a value a line: its first line is one by itself, and another follows."""
    import orjson

    with open(path, "rb") as file:
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


def _slashed(path: str) -> str:
    return path.replace(os.sep, "/")
