"""
What a judgement costs beside the model's own time, and what one costs that is kept already.

    python benchmarks/bench_judge.py [--runs 1000]

CPU time, the median of five rounds; the judge is a callable that answers at once, the runs have eight calls and eight tools each.
The targets: at most 2 ms a judgement, and at most 2 s for a thousand that are kept; the exit code is 1 when one
is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolcall_evals import Tool, ToolInvocation, Trajectory, scorers

JUDGEMENT_S = 0.002
THOUSAND_KEPT_S = 2.0
CALLS = 8
TOOLS = tuple(
    Tool(f"tool_{n}", "Does one of eight things.", {"type": "object", "properties": {"query": {"type": "string"}}}) for n in range(CALLS)
)
VERDICT = {
    "evaluations": [
        {"reasoning": "the user asked for it", "call": n + 1, "tool_called": f"tool_{n}", "verdict": "appropriate"} for n in range(CALLS)
    ],
    "missing_tools": [],
    "reason": "all calls serve the request",
}


def judge(messages: list[dict[str, str]], schema: dict[str, Any]) -> str:
    return json.dumps(VERDICT)


def run_of(number: int) -> Trajectory:
    calls = tuple(
        ToolInvocation(f"tool_{n}", {"query": f"part {n} of {number}"}, status="success", result="a result " * 20) for n in range(CALLS)
    )
    request = f"Do the eight things for order {number}."
    return Trajectory(input=request, messages=(("user", request),), texts=("Done.",), invocations=calls, available_tools=TOOLS)


def seconds(work: Callable[[], Any], rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    count = parser.parse_args().runs
    runs = [run_of(number) for number in range(count)]
    missed: list[str] = []

    def measured(what: str, found_s: float, target_s: float) -> None:
        verdict = "met" if found_s <= target_s else "MISSED"
        print(f"{what:<28} {found_s * 1000:9.2f} ms   {found_s / target_s:5.2f} of the target {target_s * 1000:g} ms: {verdict}")
        missed.extend([what] if verdict == "MISSED" else [])

    def scored(scorer: Any) -> None:
        assert all(scorer.score(run).score == 1.0 for run in runs)

    async def awaited(scorer: Any) -> None:
        for run in runs:
            assert (await scorer.ascore(run)).score == 1.0

    plain: Any = scorers.tool_call_accuracy_llm(judge=judge)
    measured("a judgement, sync", seconds(lambda: scored(plain)) / count, JUDGEMENT_S)
    measured("a judgement, async", seconds(lambda: asyncio.run(awaited(plain))) / count, JUDGEMENT_S)
    with tempfile.TemporaryDirectory() as folder:
        kept: Any = scorers.tool_call_accuracy_llm(judge=judge, cache=Path(folder) / "answers.db")
        print(f"{count} judgements into the cache: {seconds(lambda: scored(kept), 1):.2f} s")
        measured(f"{count} judgements, kept", seconds(lambda: scored(kept)), THOUSAND_KEPT_S * count / 1000)
    print(f"missed: {', '.join(missed)}" if missed else "every target is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
