"""`toolcall-evals score`: the run, its progress, and what is said of it at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from .. import _table as table
from ..bulk import BulkError, Outcome, Plan, score_files
from ..bulk import Progress as Step
from ..bulk._inputs import files_of
from ..gates import GateReport, Verdict, gate_tallies
from ._targets import check_targets

UNREADABLE_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the scores, and where the verdict goes."""

    gates: Sequence[str]
    thresholds: dict[str, tuple[float, float]]
    allow_unscored: bool
    report: Path | None
    junit: Path | None
    summary: Path | None


def scored(paths: Sequence[str], plan: Plan, out: Path | None, asked: Asked, *, quiet: bool, **options: Any) -> Verdict:
    """
    Score files and say what came of it on standard output.

    Raises:
        BulkError: It could not be run.
    """
    keys = [evaluator.key for evaluator in plan.built()]
    for key in (*asked.gates, *asked.thresholds):
        if key not in keys:
            raise BulkError(f"expected a gate or threshold on one of the evaluators' keys {keys}, found {key!r}")
    targets = {
        "--out": out,
        "--errors": options.get("errors"),
        "--report": asked.report,
        "--junit": asked.junit,
        "--summary": asked.summary,
    }
    check_targets(targets, files_of(paths), whole=("--out", "--errors", "--report"))
    with _bar(quiet) as progress:
        outcome = score_files(paths, plan, out, progress=progress, **options)
    if not outcome.rows:
        raise BulkError("no row was found to score: the files are empty, or no row meets --where and --sample")
    if outcome.unreadable == outcome.rows:
        first = outcome.errors[0]
        place = f"{first['source']}, row {first['row']}"
        raise BulkError(f"none of the {outcome.rows} rows can be read as a trace; the first ({place}): {first['cause']}")
    if outcome.was_finished:
        sys.stderr.write(f"{out} is finished already: nothing was scored again\n")
    judged = gate_tallies(outcome.tallies, asked.gates, asked.thresholds, allow_unscored=asked.allow_unscored)
    ruled = bool(asked.gates or asked.thresholds)
    verdict: Verdict = judged.verdict
    if ruled and outcome.unreadable and not asked.allow_unscored:
        verdict = "failed"
    sys.stdout.write(_said(outcome, judged, verdict, out, ruled))
    if asked.summary is not None:
        asked.summary.write_text(judged.markdown(), encoding="utf-8")
    if asked.junit is not None:
        asked.junit.write_text(judged.junit_xml(), encoding="utf-8")
    if asked.report is not None:
        from ._report import report_on

        report_on(asked.report, plan, outcome, judged, verdict if ruled else None)
        sys.stdout.write(f"report: {asked.report}\n")
    return verdict


def _said(outcome: Outcome, judged: GateReport, verdict: Verdict, out: Path | None, ruled: bool) -> str:
    rate = outcome.rows / outcome.seconds if outcome.seconds else 0.0
    lines = [f"{outcome.rows:,} runs in {outcome.seconds:.1f} s ({rate:,.0f} a second)"]
    if outcome.unreadable:
        place = f", listed in {outcome.errors_path}" if outcome.errors_path else ""
        lines.append(f"{outcome.unreadable:,} of them could not be read{place}; the first:")
        first = [f"{error['source']}, row {error['row']}: {error['cause']}" for error in outcome.errors[:UNREADABLE_SHOWN]]
        lines += [f"  {table.cut(table.one_line(text), 200)}" for text in first]
    lines.append(str(judged).split("\n", 1)[1])
    if ruled:
        why = " (rows could not be read)" if verdict != judged.verdict else ""
        lines.append(f"verdict: {verdict}{why}")
    if out is not None:
        lines.append(f"scores: {out}")
    return "\n".join([*lines, ""])


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[Step], None] | None]:
    """A progress bar with rate and remaining time on standard error, where that is a terminal."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    told = TextColumn("{task.fields[rows]} runs, {task.fields[rate]} a second")
    columns = (BarColumn(), TaskProgressColumn(), told, TimeRemainingColumn())
    began = time.perf_counter()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, rows=0, rate=0)

        def step(now: Step) -> None:
            rate = round(now.rows / max(time.perf_counter() - began, 1e-9))
            bar.update(task, total=now.total, completed=now.done, rows=f"{now.rows:,}", rate=f"{rate:,}")

        yield step
