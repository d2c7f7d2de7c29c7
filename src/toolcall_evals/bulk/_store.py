"""The parts of a run beside its output: what a killed run has done already, and how it becomes one file."""

from __future__ import annotations

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
from ._errors import OVERWRITE, RESUME, BulkError
from ._outcome import Outcome
from ._part import Part
from ._places import check_here, mark_of
from ._table import SCHEMA
from ._text import as_json
from ._unreadable import UnreadableRows

FORMATS = (".parquet", ".jsonl")
PLAN = "plan.json"


class Store:
    """
    The folder `OUT.parts` beside an output: each part a table and its facts, written under another name and renamed.

    A part counts once its facts are there; they are written last.
    """

    def __init__(self, out: Path, errors: Path | None) -> None:
        """
        Args:
            out: The file that the parts become, `.parquet` or `.jsonl`.
            errors: Where the rows are listed that could not be read; None is beside it.
        """
        check_here(out)
        if out.suffix not in FORMATS:
            raise BulkError(f"expected an output that ends in {' or '.join(FORMATS)}, found {out.name!r}")
        self.out, self.unreadable = out, UnreadableRows(out, errors)
        self.folder, self._run = out.with_name(f"{out.name}.parts"), out.with_name(f"{out.name}.run")

    def finished(self, fingerprint: dict[str, Any]) -> Outcome | None:
        """
        What came of the run whose output is there; None where there is none, or its parts are still to be joined.

        Raises:
            BulkError: The output is that of another run, or was changed since.
        """
        if (self.folder / PLAN).exists() or not self.out.is_file():
            return None
        kept = _loaded(self._run)
        if not kept or kept.get("written") != list(mark_of(str(self.out))):
            raise BulkError(f"{self.out} is there already, and {self._run.name} does not say of which run; {OVERWRITE}")
        differ = _differences(kept["fingerprint"], fingerprint)
        if differ:
            raise BulkError(f"{self.out} is of another run: {'; '.join(differ)}; ask for the same, or {OVERWRITE}")
        return Outcome.from_dict(kept["outcome"])

    def begin(self, fingerprint: dict[str, Any], *, resume: bool, overwrite: bool) -> None:
        """
        Make ready for parts.

        Raises:
            BulkError: There is an output or there are parts, and what to do with them was not said; or they are of another run; or the
                output cannot be written.
        """
        kept = self.folder / PLAN
        going_on = resume and not overwrite and kept.exists()
        self.unreadable.check(overwrite=overwrite or going_on)
        if self.out.is_dir():
            raise BulkError(f"expected a file to write, found the folder {self.out}")
        if self.out.exists() and not overwrite and not going_on:
            raise BulkError(f"{self.out} is there already; choose another name, or {OVERWRITE}")
        with self._writing():
            if overwrite:
                shutil.rmtree(self.folder, ignore_errors=True)
            elif going_on:
                differ = _differences(_loaded(kept), fingerprint)
                if differ:
                    raise BulkError(f"the parts in {self.folder} are of another run: {'; '.join(differ)}; ask for the same, or {OVERWRITE}")
                self._drop_damaged()
                return
            elif kept.exists():
                raise BulkError(f"{self.folder} holds the parts of a run that did not end; {RESUME}, or {OVERWRITE}")
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(kept, json.dumps(fingerprint).encode())

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
            kept = f"; what is done is kept in {self.folder}: {RESUME}" if any(self._indexes()) or (self.folder / PLAN).exists() else ""
            raise BulkError(f"cannot write to {place}: {error.strerror or error}{kept}") from error

    def _indexes(self) -> list[int]:
        return sorted(int(path.stem) for path in self.folder.glob("*.json") if path.stem.isdigit())

    def parts(self) -> Iterator[Part]:
        """All parts, in order."""
        return map(self.part, self._indexes())

    def join(self) -> Path | None:
        """
        Make the output of the parts; it appears whole or not at all, after the list of unreadable rows.

        Returns:
            Where the rows are listed that could not be read; None without any.
        """
        with self._writing():
            listed = self.unreadable.write(error for part in self.parts() for error in part.errors)
            unfinished = self.out.with_name(f"{self.out.name}.new")
            write = _write_parquet if self.out.suffix == ".parquet" else _write_lines
            write(unfinished, (part.table for part in self.parts()))
            os.replace(unfinished, self.out)
        return listed

    def close(self, outcome: Outcome, fingerprint: dict[str, Any]) -> None:
        """Keep what came of the run, for when it is asked for again, and remove its parts."""
        told = {"fingerprint": fingerprint, "written": mark_of(str(self.out)), "outcome": outcome.to_dict()}
        with self._writing():
            _write(self._run, json.dumps(told).encode())
        shutil.rmtree(self.folder, ignore_errors=True)

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
    except (FileNotFoundError, ValueError):
        found = None
    return found if isinstance(found, dict) else {}


def _differences(kept: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    return [
        f"{name} was {as_json(kept.get(name))[:200]} and is {as_json(asked.get(name))[:200]}"
        for name in asked
        if kept.get(name) != asked[name]
    ]
