"""The parts of a run beside its output: what a killed run has done already, and how it becomes one file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from ..results import HEADER, VERSION
from ._errors import BulkError
from ._part import SCHEMA, Part, as_json

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
            BulkError: There is an output or there are parts, and what to do with them was not said; or they are of another run.
        """
        kept = self.folder / PLAN
        if overwrite:
            shutil.rmtree(self.folder, ignore_errors=True)
        elif self.out.exists() and not (resume and kept.exists()):
            raise BulkError(f"{self.out} is there already; choose another name, or overwrite it")
        elif kept.exists() and not resume:
            raise BulkError(f"{self.folder} holds the parts of a run that did not end; resume it, or overwrite it")
        elif kept.exists():
            differ = _differences(json.loads(kept.read_text(encoding="utf-8")), fingerprint)
            if differ:
                raise BulkError(f"the parts in {self.folder} are of another run: {'; '.join(differ)}; overwrite them, or ask for the same")
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(kept, json.dumps(fingerprint).encode())
        except OSError as error:
            raise BulkError(f"cannot write to {self.folder}: {error.strerror or error}") from error

    def has(self, index: int) -> bool:
        """Whether a part is done."""
        return self._facts(index).exists()

    def keep(self, part: Part) -> None:
        """Write a part."""
        with pa.OSFile(str(self._table(part.index)) + ".new", "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
            writer.write_table(part.table)
        os.replace(str(self._table(part.index)) + ".new", self._table(part.index))
        _write(self._facts(part.index), orjson.dumps(part.facts()))

    def part(self, index: int) -> Part:
        """Read a part."""
        with pa.memory_map(str(self._table(index))) as source:
            table = pa.ipc.open_file(source).read_all()
        return Part.of(index, table, orjson.loads(self._facts(index).read_bytes()))

    def parts(self) -> Iterator[Part]:
        """All parts, in order."""
        for path in sorted(self.folder.glob("*.json")):
            if path.stem.isdigit():
                yield self.part(int(path.stem))

    def join(self, tables: Iterator[pa.Table]) -> None:
        """Write tables, one after another, as the output; it appears whole or not at all."""
        unfinished = self.out.with_name(f"{self.out.name}.new")
        write = _write_parquet if self.out.suffix == ".parquet" else _write_lines
        write(unfinished, tables)
        os.replace(unfinished, self.out)

    def list_errors(self, errors: Iterator[dict[str, Any]]) -> int:
        """Write the rows that could not be read, and return how many; without any, a list of an earlier run is removed."""
        unfinished, count = self.errors.with_name(f"{self.errors.name}.new"), 0
        with open(unfinished, "wb") as file:
            for count, error in enumerate(errors, 1):  # noqa: B007 - it is returned
                file.write(orjson.dumps(error) + b"\n")
        if count:
            os.replace(unfinished, self.errors)
        else:
            unfinished.unlink()
            self.errors.unlink(missing_ok=True)
        return count

    def end(self) -> None:
        """Remove the parts."""
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


def _differences(kept: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    return [
        f"{name} was {as_json(kept.get(name))[:200]} and is {as_json(asked.get(name))[:200]}"
        for name in asked
        if kept.get(name) != asked[name]
    ]
