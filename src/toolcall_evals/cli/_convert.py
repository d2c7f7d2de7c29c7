"""`toolcall-evals convert`: runs in our model, a line each."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..bulk import BulkError, Plan, RowScorer
from ..bulk._chunks import chunks_of
from ..bulk._errors import OVERWRITE
from ..bulk._inputs import files_of
from ..bulk._lock import locked
from ..bulk._part import fault, read_row
from ..bulk._rows import rows_of
from ..bulk._text import writable_text
from ..bulk._unreadable import UnreadableRows
from ._targets import check_targets


def converted(paths: Sequence[str], plan: Plan, out: Path, errors: Path | None, *, overwrite: bool) -> str:
    """
    Write the runs, and return what is said of it.

    Raises:
        BulkError: It could not be run, or no row is a trace.
    """
    if out.exists() and not overwrite:
        raise BulkError(f"{out} is there already; choose another name, or {OVERWRITE}")
    files, unreadable = files_of(paths), UnreadableRows(out, errors)
    if out.resolve() in [Path(path).resolve() for path in files]:
        raise BulkError(f"the output {out} is among the files to be converted; give it another place")
    check_targets({"--out": out, "--errors": errors}, files, whole=("--out", "--errors"))
    unreadable.check(overwrite=overwrite)
    with locked(out):
        return _written(files, plan, out, unreadable)


def _written(files: list[str], plan: Plan, out: Path, unreadable: UnreadableRows) -> str:
    reader = RowScorer((), plan.fields, adapter=plan.adapter, form=plan.form, turns=plan.turns)
    unfinished, written, faults = out.with_name(f"{out.name}.new"), 0, list[dict[str, Any]]()
    with open(unfinished, "w", encoding="utf-8") as file:
        for chunk in chunks_of(files):
            for row in rows_of(chunk):
                if written + len(faults) == plan.selection.limit:
                    break
                read = read_row(reader, plan.selection, row)
                if read is None:
                    continue
                if read.trajectory is None:
                    faults.append(fault(chunk.path, row, read.error or ""))
                    continue
                id = f"{chunk.path}#{row.number}" if read.id is None else read.id
                line = {"id": writable_text(id), **read.trajectory.to_dict()}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                written += 1
    if not written:
        unfinished.unlink()
        first = f"; the first: {faults[0]['source']}, row {faults[0]['row']}: {faults[0]['cause']}" if faults else ""
        raise BulkError(f"no row can be read as a trace{first}")
    listed = unreadable.write(faults)
    os.replace(unfinished, out)
    return f"{written:,} runs written to {out}" + (f"; {len(faults):,} rows could not be read, listed in {listed}" if faults else "")
