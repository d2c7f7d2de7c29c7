"""
Adds up what `make coverage` measured, a row a package, and fails where the branches of the whole are below the floor.

`python -m tests.quality.coverage_table MEASURED.json`, with what `coverage json` wrote.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.quality.figures import Figures, today, versions

FLOOR = 95.0
"""Percent of all branches."""
COUNTED = ("num_statements", "covered_lines", "num_branches", "covered_branches")
TEXT = (
    "Statements and branches of `src` and `adapters` that the tests run: those of the two dependency worlds (today's pydantic and openai, "
    f"and CrewAI's) together. The target fails where fewer than {FLOOR:.0f} % of the branches are taken."
)


def package(path: str) -> str:
    """The package, or the subpackage of the core, that a file belongs to: `src/toolcall_evals/checks/_follows.py` to its `checks`."""
    return ".".join(Path(path).parts[1:-1])


def table(files: dict[str, Any]) -> list[list[Any]]:
    """A row a package and one for all: statements, percent run, branches, percent taken."""
    counts: dict[str, Counter[str]] = {}
    for path, measured in sorted(files.items()):
        counts.setdefault(package(path), Counter()).update({name: measured["summary"][name] for name in COUNTED})
    return [_row(name, count) for name, count in counts.items()] + [_row("all", _sum(counts.values()))]


def _sum(counts: Iterable[Counter[str]]) -> Counter[str]:
    return sum(counts, Counter())


def _row(name: str, count: Counter[str]) -> list[Any]:
    lines = percent(count["covered_lines"], count["num_statements"])
    return [name, count["num_statements"], lines, count["num_branches"], percent(count["covered_branches"], count["num_branches"])]


def percent(part: int, whole: int) -> float:
    """Rounded down to a tenth, so that 100 means all; 100 of nothing."""
    return part * 1000 // whole / 10 if whole else 100.0


def main(measured: str) -> None:
    rows = table(json.loads(Path(measured).read_text(encoding="utf-8"))["files"])
    Figures(
        title="Coverage",
        date=today(),
        versions=versions("coverage", "pytest"),
        text=TEXT,
        columns=["package", "statements", "% run", "branches", "% taken"],
        rows=rows,
    ).write("coverage")
    if rows[-1][-1] < FLOOR:
        sys.exit(f"{rows[-1][-1]} % of the branches are taken, and {FLOOR:.0f} % are wanted")


if __name__ == "__main__":
    main(sys.argv[1])
