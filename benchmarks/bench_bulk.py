"""
What scoring stored runs costs, as ratios to decoding their JSON alone: CPU time, both in one run.

    python -m benchmarks.bench_bulk [--bytes 20M] [--engine] [--agentevals PYTHON]

Ten checks on synthetic traces (`make_traces.py`). The targets: 3.5 times `orjson.loads` for scores and statuses, 7 with comments and
details written. With --engine: the whole command's peak memory, and what a second process gains. With --agentevals: how many traces the
trajectory match of agentevals (strict and unordered), installed under that interpreter, scores in the same time; it is given decoded runs,
and makes one evaluation of each.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from benchmarks import make_traces
from toolcall_evals import Evaluator, checks
from toolcall_evals.bulk import Plan, RowScorer, score_files
from toolcall_evals.bulk._table import Columns

ROUNDS = 5
PLACE = "benchmarks.bench_bulk:EVALUATORS"
EVALUATORS: list[Evaluator] = [
    checks.called_tool("search_web"),
    checks.did_not_call("delete_account"),
    checks.tool_order(["search_web", "send_email"]),
    checks.max_tool_calls(8),
    checks.no_tool_errors(),
    checks.includes("the"),
    checks.excludes("as an AI"),
    checks.matches(r"order O-\d+"),
    checks.called_with("get_weather", {"city": "Oslo"}),
    checks.no_redundant_calls(),
]


def cpu(work: Callable[[bytes], object], lines: list[bytes]) -> float:
    begun = time.process_time()
    for line in lines:
        work(line)
    return time.process_time() - begun


def ratios(lines: list[bytes]) -> dict[str, float]:
    scorer = RowScorer(EVALUATORS)

    def explained(line: bytes) -> None:
        columns.add("", 0, scorer.line(line).scores)

    found: dict[str, list[float]] = {"scores": [], "explained": []}
    for _ in range(ROUNDS):
        columns = Columns(explain=True)
        alone = cpu(orjson.loads, lines)
        found["scores"].append(cpu(scorer.line, lines) / alone)
        found["explained"].append(cpu(explained, lines) / alone)
    return {name: statistics.median(values) for name, values in found.items()}


PEER = """
import json, sys, time
from agentevals.trajectory.match import create_trajectory_match_evaluator as made

runs = [json.loads(line)["messages"] for line in open(sys.argv[1], encoding="utf-8")]
for mode in ("strict", "unordered"):
    match, begun = made(trajectory_match_mode=mode), time.process_time()
    for run in runs:
        match(outputs=run, reference_outputs=run)
    print(mode, (time.process_time() - begun) / len(runs))
"""


def peer(python: str, lines: list[bytes]) -> None:
    scorer = RowScorer(EVALUATORS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.jsonl"
        path.write_bytes(b"".join(lines[:300]))
        told = subprocess.run([python, "-c", PEER, str(path)], check=True, capture_output=True, text=True).stdout
    ours = statistics.median(cpu(scorer.line, lines) for _ in range(ROUNDS)) / len(lines)
    for mode, seconds in map(str.split, told.splitlines()):
        took = float(seconds)
        print(
            f"agentevals {mode}: {took * 1e6:.0f} us a run, ours with {len(EVALUATORS)} checks and from JSON {ours * 1e6:.0f}: "
            f"{took / ours:.0f} times the runs, {took / ours * len(EVALUATORS):.0f} times the evaluations"
        )


def engine(path: Path) -> None:
    for workers in (1, 2):
        code = f"from benchmarks.bench_bulk import whole; whole({str(path)!r}, {workers})"
        subprocess.run([sys.executable, "-c", code], check=True)


def whole(path: str, workers: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        outcome = score_files([path], Plan(PLACE, explain=False), Path(folder) / "out.parquet", workers=workers)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate = outcome.rows / outcome.seconds
    print(f"{workers} worker(s): {outcome.rows} runs in {outcome.seconds:.1f} s, {rate:.0f} a second, peak {peak:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description="the cost of stored runs")
    parser.add_argument("--bytes", default="20M")
    parser.add_argument("--engine", action="store_true", help="also whole runs: memory, and two processes")
    parser.add_argument("--agentevals", metavar="PYTHON", help="an interpreter that has agentevals")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for form in ("openai", "langchain"):
            path = Path(folder) / f"{form}.jsonl"
            make_traces.main(["--bytes", options.bytes, "-f", form, "-o", str(path)])
            with open(path, "rb") as file:
                lines = [line for _, line in zip(range(2000), file, strict=False)]
            found = ratios(lines)
            print(f"{form}: {found['scores']:.2f} times orjson for scores, {found['explained']:.2f} with comments and details")
            if options.agentevals and form == "openai":
                peer(options.agentevals, lines)
            if options.engine and form == "openai":
                engine(path)


if __name__ == "__main__":
    main()
