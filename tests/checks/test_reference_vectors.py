"""Every case of the reference implementation that these checks share, with the answers that its README recommends."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import Evaluator, SettingError, ToolInvocation, Trajectory, checks, scorers

CASES: dict[str, list[dict[str, Any]]] = defaultdict(list)
with (Path(__file__).resolve().parents[1] / "vectors" / "mastra_open.jsonl").open(encoding="utf-8") as lines:
    for line in lines:
        case = json.loads(line)
        CASES[case["scorer"]["kind"]].append(case)

EXPECTED_CASES = {
    "called_tool": 90,
    "did_not_call": 54,
    "equals": 150,
    "excludes": 135,
    "includes": 162,
    "matches": 186,
    "max_tool_calls": 54,
    "no_tool_errors": 108,
    "similarity": 265,
    "tool_call_accuracy": 216,
    "tool_order": 120,
    "used_no_tools": 38,
}
STATES = {"result": "success", "call": "pending", "output-error": "error"}
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


def text_of(content: Any) -> str:
    return "".join(block["text"] for block in content) if isinstance(content, list) else content or ""


def call_of(call: dict[str, Any]) -> ToolInvocation:
    failed = call.get("is_error") or (call["state"] == "result" and call.get("error"))
    return ToolInvocation(
        name=call["name"],
        id=call["id"],
        status="error" if failed else STATES[call["state"]],
        raw_result=call.get("result"),
        error=call.get("error"),
    )


def run_of(run: dict[str, Any]) -> Trajectory:
    return Trajectory(
        input=run["input"],
        texts=tuple(text_of(message["content"]) for message in run["messages"] if message["role"] == "assistant"),
        invocations=tuple(call_of(call) for message in run["messages"] for call in message.get("tool_calls") or ()),
    )


def evaluator_of(kind: str, params: dict[str, Any]) -> Evaluator:
    names = {"tool_name": "name", "expected_order": "names", "max": "n"}
    settings = {names.get(name, name): value for name, value in params.items()}
    if flags := settings.pop("flags", ""):
        settings["pattern"] = re.compile(settings["pattern"], sum(FLAGS[letter] for letter in flags))
    return getattr(scorers if kind == "tool_call_accuracy" else checks, kind)(**settings)


def answer(case: dict[str, Any]) -> float | None:
    try:
        evaluator = evaluator_of(case["scorer"]["kind"], case["scorer"]["params"])
    except SettingError:
        return None
    return evaluator.score(run_of(case["run"])).score


def test_the_vectors_are_all_here() -> None:
    assert {kind: len(CASES[kind]) for kind in EXPECTED_CASES} == EXPECTED_CASES


@pytest.mark.parametrize("kind", sorted(EXPECTED_CASES))
def test_the_score_is_what_is_recommended(kind: str) -> None:
    wrong = []
    for case in CASES[kind]:
        wanted, got = case.get("recommended", case.get("score")), answer(case)
        if (got is None) != (wanted is None) or (got is not None and not math.isclose(got, wanted, abs_tol=1e-12)):
            wrong.append(f"{case['id']}: got {got}, expected {wanted}")
    assert not wrong


def test_the_code_scorer_tells_the_details_that_the_reference_tells() -> None:
    settings = ("expected_tool", "strict_mode", "expected_tool_order")
    names = (*settings, "actual_tools", "has_tool_calls", "correct_tool_called", "correct_order_called")
    compared = 0
    for case in CASES["tool_call_accuracy"]:
        if case.get("disputed") or "details" not in case or "unnamed_call" in case.get("tags", ()):
            continue
        details = evaluator_of("tool_call_accuracy", case["scorer"]["params"]).score(run_of(case["run"])).details
        told = {name: case["details"][name] for name in names if name in case["details"]}
        assert {name: details[name] for name in told} == told, case["id"]
        compared += 1
    assert compared == 173
