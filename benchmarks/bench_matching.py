"""What matching costs: against a naive comparison, against peers where they are installed, and at worst.

    python benchmarks/bench_matching.py [--peers] [--rounds 7]

CPU time; the median of the rounds, in each of which every case runs once; ratios are taken inside one process. "naive" walks OpenAI
dicts, loads each call's arguments and compares names and arguments in order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("LANGSMITH_TRACING", "false")
os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
os.environ.setdefault("OPENAI_API_KEY", "none")  # deepeval asks for one at construction

import make_traces

from toolcall_evals import ToolInvocation, Trajectory, to_trajectory
from toolcall_evals.scorers import tool_call_f1, tool_calls_match, trajectory_accuracy

Case = Callable[[], object]
Calls = list[tuple[str, dict[str, Any]]]

TRACES = 200


def naive(messages: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """The yardstick: fifteen lines that anybody would write."""
    found = []
    for message in messages:
        if message["role"] == "assistant":
            for call in message.get("tool_calls") or ():
                function = call["function"]
                found.append((function["name"], json.loads(function["arguments"])))
    if len(found) != len(expected):
        return False
    return all(name == wanted["name"] and args == wanted["args"] for (name, args), wanted in zip(found, expected, strict=True))


def naive_calls(calls: tuple[ToolInvocation, ...], expected: list[dict[str, Any]]) -> bool:
    """The same comparison, once the calls are there."""
    if len(calls) != len(expected):
        return False
    return all(call.name == wanted["name"] and call.args == wanted["args"] for call, wanted in zip(calls, expected, strict=True))


def typical() -> dict[str, Case]:
    """Eight calls, equal to what is expected; each case scores every trace once."""
    generator = make_traces.Generator(seed=0)
    traces = [generator.trace(index) for index in range(TRACES)]
    openai = [make_traces.to_openai(trace) for trace in traces]
    expected = [make_traces.calls(trace) for trace in traces]
    runs = [to_trajectory({"messages": messages}) for messages in openai]
    cases: dict[str, Case] = {
        "naive": lambda: [naive(messages, calls) for messages, calls in zip(openai, expected, strict=True)],
        "naive, calls given": lambda: [naive_calls(run.invocations, calls) for run, calls in zip(runs, expected, strict=True)],
        "convert OpenAI": lambda: [to_trajectory({"messages": messages}) for messages in openai],
    }
    for order in ("strict", "in_order", "unordered", "superset", "subset"):
        evaluators = [tool_calls_match(calls, order=order) for calls in expected]
        cases[f"match {order}"] = lambda evaluators=evaluators: [  # type: ignore[misc]  # bound now
            evaluator.score(run) for evaluator, run in zip(evaluators, runs, strict=True)
        ]
        cases[f"convert OpenAI + match {order}"] = lambda evaluators=evaluators: [  # type: ignore[misc]  # bound now
            evaluator.score({"messages": messages}) for evaluator, messages in zip(evaluators, openai, strict=True)
        ]
    f1 = [tool_call_f1(calls) for calls in expected]
    cases["f1"] = lambda: [evaluator.score(run) for evaluator, run in zip(f1, runs, strict=True)]
    accuracy = [trajectory_accuracy(calls) for calls in expected]
    cases["trajectory_accuracy"] = lambda: [evaluator.score(run) for evaluator, run in zip(accuracy, runs, strict=True)]
    per_example = tool_calls_match()
    cases["match strict, expected per example"] = lambda: [
        per_example.score(run, {"tool_calls": calls}) for run, calls in zip(runs, expected, strict=True)
    ]
    return cases


def peers() -> dict[str, Case]:
    """The same question asked of peers, from each one's own objects; those that are not installed are left out."""
    generator = make_traces.Generator(seed=0)
    traces = [generator.trace(index) for index in range(TRACES)]
    expected = [make_traces.calls(trace) for trace in traces]
    cases: dict[str, Case] = {}
    for add in (_agentevals, _deepeval, _adk):
        try:
            cases |= add(traces, expected)
        except ImportError as error:
            print(f"left out: {add.__name__[1:]} ({error})")
    return cases


def _agentevals(traces: list[Any], expected: list[Any]) -> dict[str, Case]:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    objects = [make_traces.to_langchain_objects(trace) for trace in traces]
    cases: dict[str, Case] = {}
    for mode in ("strict", "unordered"):
        evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode)
        cases[f"agentevals {mode}, LangChain objects"] = lambda evaluator=evaluator: [  # type: ignore[misc]  # bound now
            evaluator(outputs=messages, reference_outputs=messages) for messages in objects
        ]
        ours = [tool_calls_match(calls, order=mode) for calls in expected]
        cases[f"ours {mode}, LangChain objects, conversion included"] = lambda ours=ours: [  # type: ignore[misc]  # bound now
            evaluator.score({"messages": messages}) for evaluator, messages in zip(ours, objects, strict=True)
        ]
    return cases


def _deepeval(traces: list[Any], expected: list[Any]) -> dict[str, Case]:
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall

    try:
        from deepeval.test_case import ToolCallParams
    except ImportError:
        from deepeval.test_case import LLMTestCaseParams as ToolCallParams
    cases_ = []
    for calls in expected:
        tools = [ToolCall(name=call["name"], input_parameters=call["args"]) for call in calls]
        cases_.append(LLMTestCase(input="x", actual_output="y", tools_called=tools, expected_tools=list(tools)))
    parameters = [ToolCallParams.INPUT_PARAMETERS]

    def run(**settings: Any) -> list[float]:
        metric = ToolCorrectnessMetric(evaluation_params=parameters, async_mode=False, **settings)
        return [metric.measure(case, _show_indicator=False) for case in cases_]

    return {
        "deepeval strict, own objects": lambda: run(should_exact_match=True),
        "deepeval unordered, own objects": run,
    }


def _adk(traces: list[Any], expected: list[Any]) -> dict[str, Case]:
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types

    def invocation(calls: list[dict[str, Any]]) -> Invocation:
        uses = [types.FunctionCall(name=call["name"], args=call["args"]) for call in calls]
        content = types.Content(role="user", parts=[types.Part(text="x")])
        return Invocation(user_content=content, intermediate_data=IntermediateData(tool_uses=uses))

    built = [invocation(calls) for calls in expected]
    cases: dict[str, Case] = {"adk, building an Invocation": lambda: [invocation(calls) for calls in expected]}
    for kind in ("EXACT", "ANY_ORDER"):
        match_type = getattr(ToolTrajectoryCriterion.MatchType, kind)
        criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=match_type)
        evaluator = TrajectoryEvaluator(eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=criterion))

        def scored(evaluator: Any = evaluator) -> list[Any]:
            results = [evaluator.evaluate_invocations([one], [one]) for one in built]
            return [asyncio.run(result) if asyncio.iscoroutine(result) else result for result in results]

        cases[f"adk {kind}, own objects"] = scored
    return cases


def realistic(count: int, seed: int = 1) -> tuple[Calls, Calls]:
    """Calls of 12 tools of which 70 % are exactly as expected, in another order nearby."""
    draw = random.Random(seed)
    names = [f"tool_{index}" for index in range(12)]
    actual = [(draw.choice(names), {"q": f"query {index}", "limit": draw.randrange(5), "page": index % 7}) for index in range(count)]
    expected = [(name, dict(args) if draw.random() < 0.7 else {**args, "q": f"other {index}"}) for index, (name, args) in enumerate(actual)]
    for index in range(0, count - 1, 5):
        expected[index], expected[index + 1] = expected[index + 1], expected[index]
    return expected, actual


def adversarial(count: int) -> tuple[Calls, Calls]:
    """One tool; every call shares arguments with every expected one and fits few."""
    actual = [("t", {"a": index % 3, "b": index % 5, "c": index % 7, "d": index}) for index in range(count)]
    expected = [("t", {"a": (index + 1) % 3, "b": index % 5, "c": (index * 2) % 7}) for index in range(count)]
    return expected, actual


def run_of(calls: Calls) -> Trajectory:
    return Trajectory(invocations=tuple([ToolInvocation(name, args=args, status="success") for name, args in calls]))


def listed(calls: Calls) -> list[dict[str, Any]]:
    return [{"name": name, "args": args} for name, args in calls]


def large() -> None:
    """Long runs: the score and, apart, its explanation."""
    for title, make, sizes, rules in (
        ("realistic", realistic, (500, 5_000), ("exact", "superset", "loose")),
        ("adversarial", adversarial, (500, 2_000, 5_000), ("exact", "superset", "partial")),
    ):
        for size in sizes:
            expected, actual = make(size)
            for rule in rules:
                for scorer in (
                    tool_calls_match(listed(expected), order="unordered", args=rule),
                    tool_calls_match(listed(expected), order="in_order", args=rule),
                    tool_call_f1(listed(expected), args=rule),
                    trajectory_accuracy(listed(expected), args=rule),
                ):
                    run = run_of(actual)
                    began = time.process_time()
                    score = scorer.score(run)
                    scored = time.process_time()
                    bound = score.details.get("bound")
                    told = time.process_time()
                    name = f"{title} {size}, {rule}, {scorer.key.split(':')[0]}"
                    print(f"{name:60} {1e3 * (scored - began):9.1f} ms, told {1e3 * (told - scored):9.1f} ms, {score.score}, bound {bound}")


def growth() -> None:
    """1,600 calls against 80, 20 times the size."""
    for order in ("strict", "in_order", "unordered", "superset", "subset"):
        for turned in (False, True):
            times = []
            for size in (80, 1_600):
                _, actual = realistic(size)
                expected = listed(actual)[::-1] if turned else listed(actual)
                scorer, run = tool_calls_match(expected, order=order), run_of(actual)
                times.append(min(_seconds(lambda scorer=scorer, run=run: scorer.score(run)) for _ in range(9)))  # type: ignore[misc]  # bound now
            few, many = (1e6 * seconds for seconds in times)
            print(f"{order:10} {'reversed' if turned else 'equal':9} {few:9.0f} us, {many:9.0f} us, {many / few:6.1f}x")


def _seconds(case: Case) -> float:
    began = time.perf_counter()
    case()
    return time.perf_counter() - began


def table(cases: dict[str, Case], rounds: int) -> None:
    """Microseconds a trace and the ratio to the naive comparison of the same round."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            began = time.process_time()
            case()
            times[name].append((time.process_time() - began) / TRACES)
    for name, seconds in times.items():
        ratio = statistics.median([one / other for one, other in zip(seconds, times["naive"], strict=True)])
        print(f"{name:60} {1e6 * statistics.median(seconds):9.1f} us, {ratio:7.2f}x naive")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=["typical", "growth", "large"])
    options = parser.parse_args()
    if options.only in (None, "typical"):
        table(typical() | (peers() if options.peers else {}), options.rounds)
    if options.only in (None, "growth"):
        growth()
    if options.only in (None, "large"):
        large()
