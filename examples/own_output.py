"""
An output format of your own: results as rows, written as you like; here a CSV file for a
spreadsheet.

    python -m examples.own_output results.csv

`read_results` gives the same rows for LangSmith's results, for a results file and for rows of your
own.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from toolcall_evals import checks
from toolcall_evals.results import ResultRow, read_results

COLUMNS = ("id", "key", "score", "status", "comment")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(path: str | Path, results: Any) -> int:
    """Write results as CSV, formulas quoted, and return how many rows."""
    rows = read_results(results)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([[_cell(getattr(row, column)) for column in COLUMNS] for row in rows])
    return len(rows)


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) and not isinstance(value, float) else text


if __name__ == "__main__":
    run = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello!"}]
    scores = [check.score(run) for check in (checks.used_no_tools(), checks.includes("Hello"))]
    written = write_csv(
        sys.argv[1] if len(sys.argv) > 1 else "results.csv",
        [ResultRow.of(score, "greeting") for score in scores],
    )
    print(f"{written} rows")
