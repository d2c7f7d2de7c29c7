"""
What scoring costs, as ratios measured side by side in one process; `make bench` runs it with agentevals installed.

CPU time; every case runs once a round, the ratio is taken inside the round, and its median over the rounds is printed. The
data is made by `make_traces.py`: one turn, about 8 tool calls and 8 KiB of JSON a trace at the median.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import resource
import statistics
import subprocess
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from typing import Any

import make_traces

from toolcall_evals import Evaluator, Trajectory, checks, scorers, to_trajectory

USED = "from toolcall_evals import checks, scorers, to_trajectory"


def naive(messages: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """The yardstick: names and arguments in order, by the shortest program that one would write."""
    calls = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            try:
                args = json.loads(function["arguments"])
            except ValueError:
                args = None
            calls.append((function["name"], args))
    if len(calls) != len(expected):
        return False
    return all(name == wanted["name"] and args == wanted["args"] for (name, args), wanted in zip(calls, expected, strict=True))


def ten_checks() -> list[Evaluator]:
    return [
        checks.called_tool("get_weather"),
        checks.did_not_call("drop_table"),
        checks.tool_order(["search_web", "send_email"]),
        checks.max_tool_calls(20),
        checks.used_no_tools(),
        checks.no_tool_errors(),
        checks.includes("order"),
        checks.excludes("I cannot help"),
        checks.equals("Done."),
        checks.matches(r"order O-\d+"),
    ]


def cpu(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def ratios(rounds: int, measured: dict[str, Callable[[], Any]], yardstick: str) -> dict[str, float]:
    """The median over rounds of each case's CPU time by that of the yardstick in the same round."""
    found: dict[str, list[float]] = {name: [] for name in measured}
    for work in measured.values():
        work()
    for _ in range(rounds):
        times = {name: cpu(work) for name, work in measured.items()}
        for name, seconds in times.items():
            found[name].append(seconds / times[yardstick])
    return {name: statistics.median(values) for name, values in found.items()}


class Table:
    """The lines that are printed: what, the ratio, its target, whether it is met."""

    def __init__(self) -> None:
        self.missed = 0

    def add(self, what: str, ratio: float, target: float | None = None, at_least: bool = False) -> None:
        met = "" if target is None else "met" if (ratio >= target if at_least else ratio <= target) else "MISSED"
        self.missed += met == "MISSED"
        bound = "" if target is None else f"{'>=' if at_least else '<='} {target:g}"
        print(f"{what:<80} {ratio:8.2f}  {bound:>8}  {met}", flush=True)


def conversion_and_checks(table: Table, rounds: int, traces: int) -> None:
    from langchain_core.messages import messages_from_dict

    generator = make_traces.Generator(seed=0, errors=0.0)
    made = [generator.trace(number) for number in range(traces)]
    openai = [make_traces.to_openai(trace) for trace in made]
    stored = [make_traces.to_langchain(trace) for trace in made]
    live = [messages_from_dict(messages) for messages in stored]
    expected = [make_traces.calls(trace) for trace in made]
    strict = [scorers.tool_call_accuracy(expected_tool_order=[call["name"] for call in calls], strict_mode=True) for calls in expected]
    ten = ten_checks()

    def accuracy(runs: list[Any]) -> Callable[[], None]:
        def work() -> None:
            for run, scorer in zip(runs, strict, strict=True):
                assert scorer.score(run).score == 1.0

        return work

    def ten_on(runs: list[Any], comments: bool = False) -> Callable[[], None]:
        def work() -> None:
            for raw in runs:
                run: Trajectory = to_trajectory(raw)
                scores = [check.score(run) for check in ten]
                if comments:
                    assert all(score.comment for score in scores)

        return work

    def plain() -> None:
        for messages, calls in zip(openai, expected, strict=True):
            assert naive(messages, calls)

    measured: dict[str, Callable[[], Any]] = {
        "naive": plain,
        "T1": accuracy(live),
        "T1 openai": accuracy(openai),
        "T1 stored": accuracy(stored),
        "T3": ten_on(live),
        "T3 openai": ten_on(openai),
        "T3 comments": ten_on(live, comments=True),
    }
    found = ratios(rounds, measured, "naive")
    table.add("T1  LangChain objects -> strict order, by naive", found["T1"], 2.0)
    table.add("    the same, OpenAI dicts", found["T1 openai"])
    table.add("    the same, messages_to_dict", found["T1 stored"])
    table.add("T3  LangChain objects -> ten checks with results, by naive", found["T3"], 3.5)
    table.add("    the same, OpenAI dicts", found["T3 openai"])
    table.add("    the same, LangChain objects, every comment read", found["T3 comments"])

    try:
        from agentevals.trajectory.match import create_trajectory_match_evaluator
    except ImportError:
        print("agentevals is not installed: not compared (make bench installs it)")
        return
    few = slice(0, 40)
    unordered = create_trajectory_match_evaluator(trajectory_match_mode="unordered")

    def peer() -> None:
        for messages in live[few]:
            assert unordered(outputs=messages, reference_outputs=messages)["score"]

    def ours() -> None:
        for run, scorer in zip(live[few], strict[few], strict=True):
            scorer.score(run)

    found = ratios(rounds, {"ours": ours, "peer": peer}, "ours")
    table.add("T1  agentevals unordered on the same objects, by ours", found["peer"], 30.0, at_least=True)


def in_evaluate(table: Table, rounds: int, rows: int) -> None:
    """
    Ten evaluators in `evaluate`, by what it costs without any.

    The target is a graph of one node, which says what a recorded run said. A plain function in its place costs next to nothing, so that
    what LangSmith itself spends on ten evaluators, here those that do nothing, is as much as the whole run.
    """
    from langchain_core.messages import messages_from_dict
    from langgraph.graph import START, MessagesState, StateGraph
    from langsmith import evaluate
    from langsmith.evaluation import EvaluationResult, RunEvaluator
    from langsmith.schemas import Example

    from toolcall_evals.langsmith import offline_client

    class Nothing(RunEvaluator):
        def evaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None) -> EvaluationResult:
            return EvaluationResult(key="nothing", score=1.0)

    generator = make_traces.Generator(seed=0)
    runs = [messages_from_dict(make_traces.to_langchain(generator.trace(number))) for number in range(min(rows, 200))]

    def node(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": runs[int(state["messages"][-1].text) % len(runs)][1:]}

    graph = StateGraph(MessagesState).add_node("agent", node).add_edge(START, "agent").compile()
    data = [Example(id=uuid.uuid4(), inputs={"messages": [{"role": "user", "content": str(number)}]}, outputs={}) for number in range(rows)]
    client = offline_client()

    def function(inputs: dict[str, Any]) -> dict[str, Any]:
        return {"messages": runs[int(inputs["messages"][0]["content"]) % len(runs)]}

    def run(target: Any, evaluators: list[Any]) -> Callable[[], None]:
        def work() -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                results = evaluate(target, data=data, evaluators=evaluators, client=client, upload_results=False, max_concurrency=0)
            assert len(results) == rows

        return work

    ten, nothing = ten_checks(), [Nothing() for _ in range(10)]
    found = ratios(rounds, {"none": run(graph, []), "ten": run(graph, ten), "nothing": run(graph, nothing)}, "none")
    table.add(f"    ten evaluators in langsmith.evaluate, a graph, {rows} rows: added, by none", found["ten"] - 1, 0.7)
    table.add("    the same, ten evaluators that do nothing", found["nothing"] - 1)
    found = ratios(rounds, {"none": run(function, []), "ten": run(function, ten), "nothing": run(function, nothing)}, "none")
    table.add("    the same, a function instead of the graph", found["ten"] - 1)
    table.add("    the same, ten evaluators that do nothing", found["nothing"] - 1)


def hostile_pattern(table: Table) -> None:
    limit = 0.2
    worst = 0.0
    for pattern, text in [
        (r"(a|aa)+$", "a" * 60 + "b"),
        (r"(a+)+$", "a" * 40 + "b"),
        (r"\s+$", " " * 20_000 + "x"),
        (r"(.*)(.*)(.*)x", "a" * 2_000),
    ]:
        check = checks.matches(pattern, timeout_s=limit)
        run = Trajectory(texts=(text,))
        worst = max(worst, cpu(lambda check=check, run=run: check.score(run)))
    table.add(f"T11 the longest that one matches() took, by its limit of {limit} s", worst / limit, 1.1)


def child_cpu(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imports(table: Table, rounds: int) -> None:
    loaded: list[float] = []
    used: list[float] = []
    for _ in range(rounds):
        bare, pydantic, ours, names = (
            child_cpu(code) for code in ("pass", "from pydantic import BaseModel", "import toolcall_evals", USED)
        )
        loaded.append((ours - bare) / (pydantic - bare))
        used.append((names - bare) / (pydantic - bare))
    table.add("    import toolcall_evals, by import pydantic's BaseModel", statistics.median(loaded), 1.5)
    table.add("    from toolcall_evals import checks, scorers, to_trajectory, by the same", statistics.median(used), 1.5)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--traces", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1000)
    options = parser.parse_args()
    os.environ["TQDM_DISABLE"] = "1"
    logging.getLogger("langsmith").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", "'upload_.*' parameter is in beta")

    table = Table()
    imports(table, options.rounds)
    conversion_and_checks(table, options.rounds, options.traces)
    in_evaluate(table, max(options.rounds // 2, 3), options.rows)
    hostile_pattern(table)
    print("every target is met" if not table.missed else f"{table.missed} target(s) missed")
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
