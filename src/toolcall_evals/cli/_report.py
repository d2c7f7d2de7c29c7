"""The report of a run over files: the worst runs are read again, for their timelines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .._errors import TraceFormatError
from .._model import Trajectory
from ..bulk import BulkError, Outcome, Plan
from ..bulk._chunks import chunks_of
from ..bulk._rows import rows_of
from ..bulk._scoring import load
from ..gates import GateReport, Verdict
from ..report import write_report

Place = tuple[str, int]


def report_on(path: Path, plan: Plan, outcome: Outcome, judged: GateReport, verdict: Verdict | None) -> None:
    """Write the report."""
    survey = outcome.survey
    assert survey is not None
    places = {(facts.source, facts.row) for facts in survey.worth_a_look()}
    write_report(path, survey=survey, tallies=outcome.tallies, gate=judged, verdict=verdict, runs=_runs(plan, places))


def _runs(plan: Plan, places: set[Place]) -> dict[Place, Trajectory]:
    """The runs at these places, as far as their files are what they were."""
    found: dict[Place, Trajectory] = {}
    for source in sorted({source for source, _ in places}):
        with suppress(BulkError, OSError):
            found.update(_runs_in(plan, source, {row for at, row in places if at == source}))
    return found


def _runs_in(plan: Plan, source: str, wanted: set[int]) -> Iterator[tuple[Place, Trajectory]]:
    for chunk in chunks_of([source]):
        if not wanted:
            return
        for row in rows_of(chunk):
            if row.number in wanted:
                wanted.discard(row.number)
                try:
                    value = load(row.line) if row.line is not None else row.value
                    run = plan.fields.trajectory_of(value, adapter=plan.adapter, form=plan.form, turns=plan.turns)
                except (TraceFormatError, ValueError, RecursionError):  # the file was changed meanwhile
                    continue
                yield (source, row.number), run
