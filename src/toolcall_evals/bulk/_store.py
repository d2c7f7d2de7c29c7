"""The parts of a run beside its output: what a killed run has done already, and how it becomes one file."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from ..results import HEADER, VERSION
from ._errors import BulkError
from ._part import Part
from ._table import SCHEMA
from ._text import as_json

FORMATS = (".parquet", ".jsonl")
PLAN = "plan.json"


class Store:
    """
    The folder `OUT.parts` beside an output: each part a table and its facts, written under another name and renamed.

    A part counts once its facts are there; they are written last.
    """

    def __init__(self, out: Path, errors: Path) -> None:
        """
        Args:
            out: The file that the parts become, `.parquet` or `.jsonl`.
            errors: Where the rows are listed that could not be read.
        """
        if out.suffix not in FORMATS:
            raise BulkError(f"expected an output that ends in {' or '.join(FORMATS)}, found {out.name!r}")
        self.out, self.errors = out, errors
        self.folder = out.with_name(f"{out.name}.parts")

    def begin(self, fingerprint: dict[str, Any], *, resume: bool, overwrite: bool) -> None:
        """
        Make ready for parts.

        Raises:
            BulkError: There is an output or there are parts, and what to do with them was not said; or they are of another run; or the
                output cannot be written.
        """
        kept = self.folder / PLAN
        going_on = resume and not overwrite and kept.exists()
        for place in (self.out, self.errors):
            if place.is_dir():
                raise BulkError(f"expected a file to write, found the folder {place}")
            if place.exists() and not overwrite and not going_on:
                raise BulkError(f"{place} is there already; choose another name, or overwrite it")
        with self._writing():
            if overwrite:
                shutil.rmtree(self.folder, ignore_errors=True)
            elif going_on:
                differ = _differences(_loaded(kept), fingerprint)
                if differ:
                    advice = "overwrite them, or ask for the same"
                    raise BulkError(f"the parts in {self.folder} are of another run: {'; '.join(differ)}; {advice}")
                self._drop_damaged()
                return
            elif kept.exists():
                raise BulkError(f"{self.folder} holds the parts of a run that did not end; resume it, or overwrite it")
            self.folder.mkdir(parents=True, exist_ok=True)
            self.errors.parent.mkdir(parents=True, exist_ok=True)
            _write(kept, json.dumps(fingerprint).encode())
            if not os.access(self.errors.parent, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self.errors.parent))

    def has(self, index: int) -> bool:
        """Whether a part is done."""
        return self._facts(index).exists()

    def keep(self, part: Part) -> None:
        """
        Write a part.

        Raises:
            BulkError: It cannot be written; what was written before is kept.
        """
        with self._writing():
            unfinished = f"{self._table(part.index)}.new"
            with pa.OSFile(unfinished, "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
                writer.write_table(part.table)
            os.replace(unfinished, self._table(part.index))
            _write(self._facts(part.index), orjson.dumps(part.facts()))

    def part(self, index: int) -> Part:
        """Read a part."""
        with pa.memory_map(str(self._table(index))) as source:
            table = pa.ipc.open_file(source).read_all()
        return Part.of(index, table, orjson.loads(self._facts(index).read_bytes()))

    def _drop_damaged(self) -> None:
        """Remove the facts of parts that cannot be read, after a power cut say: they are made again."""
        for index in self._indexes():
            try:
                self.part(index)
            except (OSError, ValueError, KeyError, TypeError):  # pyarrow's and orjson's errors are among these
                self._facts(index).unlink()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            place = error.filename or self.folder
            kept = f"; what is done is kept in {self.folder}: resume it" if any(self._indexes()) or (self.folder / PLAN).exists() else ""
            raise BulkError(f"cannot write to {place}: {error.strerror or error}{kept}") from error

    def _indexes(self) -> list[int]:
        return sorted(int(path.stem) for path in self.folder.glob("*.json") if path.stem.isdigit())

    def parts(self) -> Iterator[Part]:
        """All parts, in order."""
        return map(self.part, self._indexes())

    def finish(self) -> Path | None:
        """
        Make the output of the parts, and remove them; it appears whole or not at all, after the list of errors.

        Returns:
            Where the rows are listed that could not be read; None without any: then a list of an earlier run is removed.
        """
        with self._writing():
            count = self._list_errors()
            unfinished = self.out.with_name(f"{self.out.name}.new")
            write = _write_parquet if self.out.suffix == ".parquet" else _write_lines
            write(unfinished, (part.table for part in self.parts()))
            os.replace(unfinished, self.out)
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.errors if count else None

    def _list_errors(self) -> int:
        unfinished, count = self.errors.with_name(f"{self.errors.name}.new"), 0
        with open(unfinished, "wb") as file:
            for part in self.parts():
                for error in part.errors:
                    file.write(orjson.dumps(error) + b"\n")
                count += len(part.errors)
        if count:
            os.replace(unfinished, self.errors)
        else:
            unfinished.unlink()
            self.errors.unlink(missing_ok=True)
        return count

    def _table(self, index: int) -> Path:
        return self.folder / f"{index:08}.arrow"

    def _facts(self, index: int) -> Path:
        return self.folder / f"{index:08}.json"


def _write(path: Path, data: bytes) -> None:
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_bytes(data)
    os.replace(unfinished, path)


def _write_parquet(path: Path, tables: Iterator[pa.Table]) -> None:
    with pq.ParquetWriter(str(path), SCHEMA, compression="zstd") as writer:
        for table in tables:
            if table.num_rows:
                writer.write_table(table)


def _write_lines(path: Path, tables: Iterator[pa.Table]) -> None:
    """JSON lines that `read_results` reads: the version first, then a row a line, with details as an object."""
    with open(path, "wb") as file:
        file.write(orjson.dumps({HEADER: VERSION}) + b"\n")
        for table in tables:
            for batch in table.to_batches(max_chunksize=10_000):
                for row in batch.to_pylist():
                    if row["details"] is not None:
                        row["details"] = orjson.Fragment(row["details"])
                    file.write(orjson.dumps(row) + b"\n")


def _loaded(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _differences(kept: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    return [
        f"{name} was {as_json(kept.get(name))[:200]} and is {as_json(asked.get(name))[:200]}"
        for name in asked
        if kept.get(name) != asked[name]
    ]
