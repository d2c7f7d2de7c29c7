"""Packed files as pieces of what is in them; what comes before a tear is not lost."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO, Any

import zstandard

PACKED = (".gz", ".zst")
PIECE = 2**18
"""Packed bytes that are unpacked at a time."""


class TornError(Exception):
    """A packed file that is broken, or ends too early."""


def is_packed(path: str) -> bool:
    """Whether a file is packed, by its name."""
    return path.lower().endswith(PACKED)


def inner_name(path: str) -> str:
    """The name of what is in a file, in small letters: without the suffix of a packed one."""
    lower = path.lower()
    return lower.rpartition(".")[0] if lower.endswith(PACKED) else lower


def unpacked(raw: IO[bytes], path: str) -> Iterator[bytes]:
    """
    The pieces of what is in a packed file: all members of a gzip file, all frames of a zstd file.

    Raises:
        TornError: After the last piece that could be unpacked, where the file is broken or ends too early.
    """
    stream = _stream(path)
    fed = False
    while data := raw.read(PIECE):
        while data:
            fed = True
            try:
                piece = stream.decompress(data)
            except (zlib.error, zstandard.ZstdError) as error:
                raise TornError(str(error)) from error
            if piece:
                yield piece
            data = b""
            if stream.eof:
                data = stream.unused_data.lstrip(b"\0") if path.lower().endswith(".gz") else stream.unused_data
                stream, fed = _stream(path), False
    if fed:
        raise TornError("the file ends before what is packed in it does")


def _stream(path: str) -> Any:
    return zlib.decompressobj(zlib.MAX_WBITS | 16) if path.lower().endswith(".gz") else zstandard.ZstdDecompressor().decompressobj()
