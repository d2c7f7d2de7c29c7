"""Adds up what `make mutation` found, a row a package, with every survivor named: `python -m tests.quality.mutation_table`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.quality.coverage_table import percent
from tests.quality.figures import Figures, today, versions
from tests.quality.mutation import FOUND, MOST_SECONDS

EQUIVALENT = Path(__file__).with_name("equivalent.json")
"""By file and mutant, why no test could tell a survivor from what it was made of."""
TEXT = (
    "A mutant is one small fault put into one function: a comparison, an operator, a condition or a constant changed, a result or a call "
    "left out. Of each file a sample is tried, evenly spread over its lines: each against the tests that run its line, the quickest first "
    f"and {MOST_SECONDS:.0f} seconds of them at most, with 20 examples a law. One that never ends is killed too. Equivalent ones change "
    "nothing that anybody could see, and are left out of the share."
)
COLUMNS = ["package", "mutants", "tried", "killed", "survived", "equivalent", "% killed"]


def table(found: dict[str, Any], equivalent: dict[str, dict[str, str]]) -> list[list[Any]]:
    """A row a package and one for all."""
    counts: dict[str, Counter[str]] = {}
    for path, each in sorted(found.items()):
        count = counts.setdefault(".".join(Path(path).parts[1:-1]), Counter())
        count["mutants"] += each["mutants"]
        for mutant, outcome in each["tried"].items():
            count["tried"] += 1
            count["killed"] += outcome in ("killed", "timeout")
            count["survived"] += outcome in ("survived", "not run")
            count["equivalent"] += outcome in ("survived", "not run") and mutant_key(mutant) in equivalent.get(path, {})
    total = sum(counts.values(), Counter())
    return [[name, *_numbers(count)] for name, count in [*counts.items(), ("all", total)]]


def _numbers(count: Counter[str]) -> list[Any]:
    share = percent(count["killed"], count["killed"] + count["survived"] - count["equivalent"])
    return [count["mutants"], count["tried"], count["killed"], count["survived"], count["equivalent"], share]


def mutant_key(mutant: str) -> str:
    """A mutant's name without the number of its line, which changes more often."""
    function, _, rest = mutant.split(":", 2)
    return f"{function}:{rest}"


def survivors(found: dict[str, Any], equivalent: dict[str, dict[str, str]]) -> list[str]:
    """Every survivor in words."""
    notes = []
    for path, each in sorted(found.items()):
        for mutant, outcome in each["tried"].items():
            if outcome in ("survived", "not run"):
                function, _, change = mutant.split(":", 2)
                before, after = change.strip().split(" -> ", 1)
                why = equivalent.get(path, {}).get(mutant_key(mutant), "no test runs it" if outcome == "not run" else "survives")
                notes.append(f"`{'/'.join(Path(path).parts[-2:])}`, `{function}`: `{before}` as `{after}`: {why}")
    return notes


def main(notes: Sequence[str]) -> None:
    """Write the table; what else a reader must know is given as notes."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    equivalent = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    Figures(
        title="Mutants",
        date=today(),
        versions=versions("pytest", "hypothesis"),
        text=TEXT,
        columns=COLUMNS,
        rows=table(found, equivalent),
        notes=[*notes, *survivors(found, equivalent)],
    ).write("mutation")


if __name__ == "__main__":
    main(sys.argv[1:])
