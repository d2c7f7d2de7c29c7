"""
What a judgement costs beside the model's own time, and what one costs that is kept already.

    python benchmarks/bench_judge.py [--runs 1000]

CPU time, the median of five rounds; the judge is a callable that answers at once, the runs have eight calls and eight tools each.
The targets: at most 2 ms a judgement, and at most 2 s for a thousand that are kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolcall_evals import Tool, ToolInvocation, Trajectory, scorers

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    count = parser.parse_args().runs
    runs = [run_of(number) for number in range(count)]

    def scored(scorer: Any) -> None:
        assert all(scorer.score(run).score == 1.0 for run in runs)

    async def awaited(scorer: Any) -> None:
        for run in runs:
            assert (await scorer.ascore(run)).score == 1.0

    plain: Any = scorers.tool_call_accuracy_llm(judge=judge)
    print(f"a judgement, sync:   {seconds(lambda: scored(plain)) / count * 1000:.2f} ms")
    print(f"a judgement, async:  {seconds(lambda: asyncio.run(awaited(plain))) / count * 1000:.2f} ms")
    with tempfile.TemporaryDirectory() as folder:
        kept: Any = scorers.tool_call_accuracy_llm(judge=judge, cache=Path(folder) / "answers.db")
        print(f"{count} judgements into the cache: {seconds(lambda: scored(kept), 1):.2f} s")
        print(f"{count} judgements from the cache: {seconds(lambda: scored(kept)):.2f} s")


if __name__ == "__main__":
    main()
