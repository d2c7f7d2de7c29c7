"""Files of traces, cut into chunks that any worker can take; the same files always give the same chunks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO, Literal, NamedTuple, TypeAlias

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from ._arrays import BOM, is_one, lines_of_items
from ._errors import BulkError
from ._places import mark_of, opened
from ._scoring import load
from ._unpack import TornError, inner_name, is_packed, unpacked

CHUNK = 8 * 2**20
"""Bytes of JSON lines in a chunk, about: a chunk ends with a line."""

LONGEST = 32
"""Chunks that one line may fill; a longer one is not read, so that memory is bounded."""

PACKING = 8
"""How many bytes are in a packed one, about."""

KEPT = 800
"""Bytes that are kept of a line that is not read."""

MOST_ROWS = 10_000
"""Rows of Parquet in a chunk."""

MOST_WHOLE = LONGEST * CHUNK
"""Bytes of a `.json` file that is one run, which is read whole; a larger one is not."""

MOST_PIECES = 1000
"""Pieces of a `.json` file, 64 KiB each, in which its first line must end for the file to be one of lines."""

Kind: TypeAlias = Literal["lines", "block", "json", "parquet"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """
    A part of a file.

    Attributes:
        index: Its place among all chunks, from 0.
        path: The file.
        kind: `lines`: a range of bytes; `block`: lines in `data`; `json`: a whole file; `parquet`: rows of a row group.
        start: The first byte, or the number of the row group.
        length: How many bytes, or rows of the row group.
        first_row: The number of its first row in the file, from 0.
        weight: How many bytes of the file as it lies there, about: for telling how far a run has come.
        data: The lines themselves, where the file is packed.
        cause: Why it cannot be read, where that shows before it is: then it counts as one row, and `data` is how that begins.
    """

    index: int
    path: str
    kind: Kind
    start: int
    length: int
    first_row: int
    weight: int
    data: bytes | None = None
    cause: str | None = None


def chunks_of(files: Iterable[str], size: int = CHUNK) -> Iterator[Chunk]:
    """
    Cut files into chunks.

    Raises:
        BulkError: A file that cannot be opened.
    """
    index = 0
    for path in files:
        try:
            for chunk in _of_file(path, size):
                yield replace(chunk, index=index)
                index += 1
        except OSError as error:
            raise BulkError(f"cannot read {path}: {error.strerror or error}") from error


def _of_file(path: str, size: int) -> Iterator[Chunk]:
    """The chunks of one file, not yet numbered."""
    name = inner_name(path)
    if name.endswith(".parquet"):
        return _of_parquet(path, size)
    if name.endswith(".json") and not _is_lines(path):
        weight = mark_of(path)[0]
        if weight > (size // PACKING if is_packed(path) else size) and _is_list_of_runs(path):
            return _of_list(path, size)
        if weight > MOST_WHOLE:
            with opened(path) as file:
                return iter([Chunk(0, path, "json", 0, weight, 0, weight, file.read(KEPT), too_large(weight))])
        return iter([Chunk(0, path, "json", 0, weight, 0, weight)])
    return _of_lines(path, size)


def too_large(size: int) -> str:
    """Why a file of one JSON value is not read."""
    advice = "is it a list of runs, or one below a name? `jq -c '.[]'` (or '.name[]') writes it as JSON lines"
    return f"expected a JSON value of at most {MOST_WHOLE:,} bytes, found one of {size:,} or more; {advice}"


def _of_list(path: str, size: int) -> Iterator[Chunk]:
    """A list of runs, as lines that no worker could find by itself."""
    with opened(path) as raw:
        before = 0
        for block in _cut(lines_of_items(_pieces(raw, path, size)), size):
            yield Chunk(0, path, "block", block.start, block.length, block.first_row, raw.tell() - before, block.data, block.cause)
            before = raw.tell()


def _is_list_of_runs(path: str) -> bool:
    """Whether a `.json` file is a list of runs: its first item is one by itself."""
    with opened(path) as raw:
        head = _head(lines_of_items(_pieces(raw, path, 2**16)))
    first, broken, _ = head.partition(b"\n")
    try:
        return bool(broken) and not is_one([load(first)])
    except (ValueError, RecursionError):
        return False


def _pieces(raw: IO[bytes], path: str, size: int) -> Iterator[bytes]:
    return unpacked(raw, path) if is_packed(path) else _read(raw, size)


def _of_lines(path: str, size: int) -> Iterator[Chunk]:
    with opened(path) as raw:
        before = 0
        for block in _cut(_pieces(raw, path, size), size):
            kind: Kind = "block" if is_packed(path) else "lines"
            data = block.data if is_packed(path) or block.cause is not None else None
            yield Chunk(0, path, kind, block.start, block.length, block.first_row, raw.tell() - before, data, block.cause)
            before = raw.tell()


def _read(file: IO[bytes], size: int) -> Iterator[bytes]:
    while data := file.read(size):
        yield data


class _Block(NamedTuple):
    """Whole lines: where the first begins, they themselves, their bytes, the first one's number; or one line and why it is not read."""

    start: int
    data: bytes
    length: int
    first_row: int
    cause: str | None = None


def _cut(pieces: Iterator[bytes], size: int) -> Iterator[_Block]:
    """Blocks of whole lines, and what cannot be read as such: a line beyond all measure, the end of a torn file, another encoding."""
    start = row = held = 0
    parts: list[bytes] = []
    ended = False  # whether a line ends in `parts`
    try:
        for piece in pieces:
            if not start and not held and (encoding := foreign_encoding(piece)):
                yield _Block(0, piece[:KEPT], len(piece), 0, f"expected UTF-8 text, found {encoding}; convert the file first")
                return
            if held > size * LONGEST:  # in a line that is too long: only its begin is kept
                end = piece.find(b"\n") + 1
                held += end or len(piece)
                if not end:
                    continue
                yield _Block(start, parts[0], held, row, _too_long(held, size))
                start, row, held, parts, piece = start + held, row + 1, 0, [], piece[end:]
            parts.append(piece)
            held += len(piece)
            ended = ended or b"\n" in piece
            if not ended and held > size * LONGEST:
                parts = [next(filter(None, parts))[:KEPT]]
            if not ended or held < size:
                continue
            data = b"".join(parts)
            end = data.rfind(b"\n") + 1
            yield _Block(start, data[:end], end, row)
            start, row, held, parts, ended = start + end, row + data.count(b"\n", 0, end), held - end, [data[end:]], False
    except TornError as error:
        data = b"".join(parts)
        end = data.rfind(b"\n") + 1
        if end:
            yield _Block(start, data[:end], end, row)
        row += data.count(b"\n", 0, end)
        yield _Block(start + end, data[end : end + KEPT], held - end, row, f"cannot unpack the file from here on: {error}")
        return
    if held > size * LONGEST and not ended:
        yield _Block(start, parts[0], held, row, _too_long(held, size))
    elif held:
        yield _Block(start, b"".join(parts), held, row)


def _too_long(length: int, size: int) -> str:
    return f"expected a line of at most {size * LONGEST:,} bytes, found one of {length:,}: is a line break missing?"


def foreign_encoding(data: bytes) -> str | None:
    """The encoding of a text that is clearly not UTF-8: by its byte order mark, or by the zeros between ASCII characters."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    first = data[:2]
    if len(first) == 2 and (first[0] == 0) != (first[1] == 0) and chr(max(first)) in '{["':
        return "UTF-16" if any(data[2:4]) else "UTF-32"
    return None


def _of_parquet(path: str, size: int) -> Iterator[Chunk]:
    whole, first_row = mark_of(path)[0], 0
    try:
        with opened(path) as file:
            metadata = pq.read_metadata(file)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        yield Chunk(0, path, "parquet", 0, 0, 0, whole, b"", f"cannot be read as Parquet: {str(error)[:300]}")
        return
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        pieces = max(1, math.ceil(group.total_byte_size / size), math.ceil(group.num_rows / MOST_ROWS))
        each, left = max(1, math.ceil(group.num_rows / pieces)), group.num_rows
        while left > 0:
            rows = min(each, left)
            yield Chunk(0, path, "parquet", number, rows, first_row, whole * rows // metadata.num_rows)
            first_row, left = first_row + rows, left - rows


def _is_lines(path: str) -> bool:
    """Whether a `.json` file holds a value a line: its first line is one by itself, and another follows."""
    with opened(path) as raw:
        head = _head(_pieces(raw, path, 2**16))
    first, _, more = head.removeprefix(BOM).lstrip().partition(b"\n")
    if not more.strip():
        return False
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return True


def _head(pieces: Iterator[bytes]) -> bytes:
    """The first line, and the begin of what follows it."""
    parts: list[bytes] = []
    ended = False
    try:
        for piece in pieces:
            parts.append(piece)
            ended = ended or b"\n" in piece.strip()
            if len(parts) > MOST_PIECES or (ended and len(parts) > 1):
                break
    except TornError:
        pass
    return b"".join(parts)
