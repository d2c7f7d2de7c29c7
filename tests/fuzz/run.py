"""`make fuzz`: every target by every engine, and the report of it.

The loop goes round all targets, so that a run that ends early has something of each.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .growth import worst, worst_of_evaluators
from .inputs import GROUPS
from .loop import Findings, loop
from .seeds import ROOT, SHARED
from .structured import examples
from .targets import Target, named

ENGINES = ("mutation", "coverage", "hypothesis")
TITLE = {"mutation": "mutation loop", "coverage": "atheris, coverage-guided", "hypothesis": "hypothesis"}
MOST_MEMORY = 8 * 2**30
SLICE = 20_000
MANY = 1_000_000
SLOWER = {"coverage": 10, "hypothesis": 1_000}
"""How many executions of the mutation loop stand against one of an engine that costs more each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, write the report; 1 where a law was broken."""
    asked = _arguments(arguments)
    if asked.merge:
        _dump(asked.out, merged([json.loads(path.read_text(encoding="utf-8")) for path in asked.merge], asked.note))
        return 0
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    found: dict[tuple[str, str], Findings] = {}
    end = time.perf_counter() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as folder:
        chosen = named(asked.targets, folder)
        share = 60 * asked.minutes / 5 / len(chosen)
        for target, engine, count in _slices(chosen, asked.engines, asked.executions):
            left = end - time.perf_counter()
            if left <= 1:
                break
            if engine == "coverage":
                left = min(left, share)
            have = found.setdefault((target.name, engine), Findings())
            for kind, fault in _add(have, _run(target, engine, count, have.executions + asked.first, left)):
                sys.stderr.write(f"{target.name} ({engine}): {kind}: {fault['text']} [{fault['example']}]\n")
            _write(asked.out, found, {}, asked.executions)
        growths: dict[str, Any] = {target.name: worst(target.name) for target in chosen if target.name in GROUPS}
        if any(target.name == "evaluators" for target in chosen):
            growths["evaluators"] = worst_of_evaluators()
    _write(asked.out, found, growths, asked.executions)
    faults = [(name, engine, kind, fault) for (name, engine), each in found.items() for kind, fault in each.faults.items()]
    for name, engine, kind, fault in faults:
        sys.stderr.write(f"{name} ({engine}): {fault['count']} x {kind}: {fault['text']} [{fault['example']}]\n")
    return 1 if faults else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description="Fuzz every way into the package.")
    parser.add_argument("--executions", type=int, default=100_000, help="of the mutation loop, for each target")
    parser.add_argument("--minutes", type=float, default=600.0, help="the longest that it takes")
    parser.add_argument("--first", type=int, default=0, help="the first seed of the mutation loop")
    parser.add_argument("--engines", nargs="*", choices=ENGINES, default=ENGINES)
    parser.add_argument("--targets", nargs="*", default=(), help="all, unless named")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "quality" / "fuzz.json")
    parser.add_argument("--merge", type=Path, nargs="+", help="run nothing: make one report of these, of runs by other targets or seeds")
    parser.add_argument("--note", action="append", default=[], help="what a reader of the merged report should know")
    return parser.parse_args(arguments)


def _slices(chosen: Sequence[Target], engines: Sequence[str], executions: int) -> Iterator[tuple[Target, str, int]]:
    """Pieces of work: the engines that cost more for each execution, a fifth of the time at most, then the loop in rounds."""
    for engine in ("hypothesis", "coverage"):
        for target in chosen if engine in engines else ():
            yield target, engine, max(executions // SLOWER[engine], 1)
    for done in range(0, executions if "mutation" in engines else 0, SLICE):
        for target in chosen:
            yield target, "mutation", min(SLICE, executions - done)


def _run(target: Target, engine: str, count: int, first: int, left: float) -> Findings:
    if engine == "mutation":
        return loop(target, count, first, left)
    if engine == "hypothesis":
        return examples(target, count)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "tests.fuzz.coverage", target.name, str(count), str(int(left)), str(report)]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        return Findings(**json.loads(report.read_text(encoding="utf-8"))) if report.exists() else Findings()


def _add(have: Findings, more: Findings) -> list[tuple[str, dict[str, Any]]]:
    """Add what a piece of work found to what there is; the kinds of fault that are new are returned."""
    have.executions += more.executions
    have.seconds += more.seconds
    new = [(kind, fault) for kind, fault in more.faults.items() if kind not in have.faults]
    for kind, fault in more.faults.items():
        kept = have.faults.setdefault(kind, {**fault, "count": 0})
        kept["count"] += fault["count"]
    return new


def _write(out: Path, found: dict[tuple[str, str], Findings], growths: dict[str, Any], executions: int) -> None:
    rows = []
    for (name, engine), each in found.items():
        growth = growths.get(name) if engine == "mutation" else None
        shown = f"{growth.ratio} ({growth.way})" if growth else ""
        rows.append([name, TITLE[engine], each.executions, round(each.seconds), sum(f["count"] for f in each.faults.values()), shown])
    note = f"`make fuzz EXECUTIONS={executions}`; {'with' if SHARED.exists() else 'without'} the real traces beside the checkout."
    report = {
        "title": "Fuzzing",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {name: _version(name) for name in ("python", "hypothesis", "atheris", "pydantic", "langsmith")},
        "text": (
            "Mutated recordings, real traces, random values and hostile objects, by three engines, against every way into the package. "
            "A crash is any broken law: another exception than the documented one, an unsound result, a changed input, a log above "
            "DEBUG, a name that the record does not hold, an execution that does not end. The last column is the most that doubling a "
            "record multiplied the time of reading it by."
        ),
        "columns": ["target", "engine", "executions", "seconds", "crashes found", "growth"],
        "rows": sorted(rows, key=lambda row: row[:2]),
        "notes": [note, *_totals(rows)],
    }
    _dump(out, report)


def merged(reports: Sequence[dict[str, Any]], notes: Sequence[str] = ()) -> dict[str, Any]:
    """One report of several: what each target and engine did is added up, and its growth is the worst that was measured."""
    rows: dict[tuple[str, str], list[Any]] = {}
    for report in reports:
        for name, engine, executions, seconds, crashes, growth in report["rows"]:
            have = rows.setdefault((name, engine), [name, engine, 0, 0, 0, ""])
            have[2:5] = have[2] + executions, have[3] + seconds, have[4] + crashes
            have[5] = max(have[5], growth, key=_ratio)
    found = [rows[place] for place in sorted(rows)]
    return {**reports[-1], "date": max(report["date"] for report in reports), "rows": found, "notes": [*notes, *_totals(found)]}


def _ratio(growth: str) -> float:
    return float(growth.partition(" ")[0] or 0)


def _totals(rows: Sequence[Sequence[Any]]) -> list[str]:
    of_target: Counter[str] = Counter()
    for row in rows:
        of_target[row[0]] += row[2]
    few = [f"{name} {count:,}" for name, count in sorted(of_target.items()) if count < MANY]
    many = f"{len(of_target) - len(few)} of {len(of_target)} targets have {MANY:,} or more"
    said = [f"{of_target.total():,} executions in all; {many}, by all engines together."]
    return [*said, f"Fewer than that: {', '.join(few)}."] if few else said


def _dump(out: Path, report: dict[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _version(name: str) -> str:
    if name == "python":
        return platform.python_version()
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "-"


if __name__ == "__main__":
    sys.exit(main())
