"""`toolcall-evals show`: one run as a timeline, or in our model."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from .._errors import TraceFormatError
from .._model import Trajectory
from .._timeline import timeline
from ..bulk import BulkError, Fields
from ..bulk._chunks import chunks_of
from ..bulk._inputs import files_of
from ..bulk._rows import rows_of
from ..bulk._scoring import load
from ._options import Reading, reading_of


def shown(trace: str, row: int, field: str | None, reading: Reading, *, as_json: bool, width: int | None) -> str:
    """
    The text that the command prints.

    Raises:
        BulkError: There is no such file or row, or it is no trace.
    """
    run = _read(trace, row, field, reading)
    if as_json:
        return json.dumps(run.to_dict(), indent=2, ensure_ascii=True)
    columns = width or shutil.get_terminal_size((100, 24)).columns
    return timeline(run, columns, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)


def _read(trace: str, row: int, field: str | None, reading: Reading) -> Trajectory:
    adapter, form, turns = reading_of(reading)
    place = f"{'standard input' if trace == '-' else trace}, row {row}"
    try:
        value = _stdin(row) if trace == "-" else _row(trace, row, trace)
        return Fields(trace=field).trajectory_of(value, adapter=adapter, form=form, turns=turns)
    except (TraceFormatError, ValueError, RecursionError) as error:
        if isinstance(error, BulkError):
            raise
        raise BulkError(f"{place} cannot be read: {error}") from error


def _stdin(row: int) -> object:
    """A row of standard input, as of a file: it is kept in one, so that rows are counted in the same way."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input.json")
        path.write_bytes(sys.stdin.buffer.read())
        return _row(str(path), row, "standard input")


def _row(path: str, number: int, place: str) -> object:
    files = files_of([path])
    if len(files) > 1:
        raise BulkError(f"expected one file, found {len(files)} at {path!r}")
    last = -1
    for chunk in chunks_of(files):
        for row in rows_of(chunk):
            last = row.number
            if row.number == number:
                if row.cause is not None:
                    raise BulkError(f"{place}, row {number} cannot be read: {row.cause}")
                return load(row.line) if row.line is not None else row.value
    raise BulkError(f"expected row {number} in {place}, found none; its last row is {last}" if last >= 0 else f"{place} holds no row")
