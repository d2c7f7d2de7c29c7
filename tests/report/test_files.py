"""The report on files of runs: real recorded ones where they are at hand, and generated ones cut into chunks."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from benchmarks.make_traces import Generator, record

from report.made import agree, page_of
from toolcall_evals import checks, scorers
from toolcall_evals.bulk import Fields, Plan, score_files
from toolcall_evals.cli._report import report_on
from toolcall_evals.gates import gate_tallies

TRACES = Path(__file__).resolve().parents[2].parent / "shared" / "real_traces"
EVALUATORS = [checks.no_tool_errors(), checks.max_tool_calls(10), scorers.tool_calls_match(), scorers.argument_accuracy()]


@pytest.mark.skipif(not TRACES.is_dir(), reason="the real traces are not at hand")
def test_its_figures_on_real_traces_are_those_of_the_output_file(tmp_path: Path) -> None:
    plan = Plan(EVALUATORS, fields=Fields(reference="expected"), survey=True)
    outcome = score_files(sorted(TRACES.glob("*.jsonl")), plan, tmp_path / "scores.parquet")
    judged = gate_tallies(outcome.tallies, ["no_tool_errors"])
    report_on(tmp_path / "report.html", plan, outcome, judged, judged.verdict)
    page = page_of(tmp_path / "report.html")
    agree(page, pq.read_table(tmp_path / "scores.parquet").to_pylist())
    assert outcome.unreadable == 0 and not page.unbalanced
    assert "could not be read again" not in page.text and len(page.of("details")) > 50


@pytest.mark.parametrize("chunk_bytes", [3_000, 40_000])
def test_the_facts_are_the_same_however_the_runs_are_cut(tmp_path: Path, chunk_bytes: int) -> None:
    generator = Generator(errors=0.2)
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(record(generator, number)) + "\n" for number in range(60)) + "broken\n", encoding="utf-8")
    plan = Plan(EVALUATORS, survey=True)
    whole, cut = score_files([path], plan), score_files([path], plan, chunk_bytes=chunk_bytes)
    assert whole.survey is not None and cut.survey is not None
    assert cut.survey.to_dict() == whole.survey.to_dict()
