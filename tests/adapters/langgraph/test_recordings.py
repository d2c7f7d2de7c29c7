"""Every recording of a LangChain or LangGraph run is read as what it says that happened."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import ToolInvocation, TraceFormatError, to_trajectory

FOLDER = Path(__file__).resolve().parents[2] / "recordings" / "langgraph"
RECORDINGS = [pytest.param(path, id=path.stem) for path in sorted(FOLDER.glob("*.json"))]
STATED = ("id", "agent", "kind", "executed", "executed_args", "executed_name", "attempts", "synthetic", "truncated", "artifact")


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def form_of(case: dict[str, Any]) -> str | None:
    return case["form"] if case["form"].startswith(("stream_", "astream_")) else None


def row(call: ToolInvocation) -> tuple[Any, ...]:
    return call.name, call.raw_args if call.args is None else call.args, call.status, call.result


@pytest.mark.parametrize("path", RECORDINGS)
def test_a_recording_is_read_as_what_happened(path: Path) -> None:
    case = load(path)
    untouched = copy.deepcopy(case["payload"])
    if case.get("not_a_trace"):
        with pytest.raises(TraceFormatError):
            to_trajectory(case["payload"])
        return
    run = to_trajectory(case["payload"], form=form_of(case))
    assert case["payload"] == untouched
    assert [row(call) for call in run.invocations] == [
        (each["name"], each["args"], each["status"], each["result"]) for each in case["expected"]
    ]
    for call, each in zip(run.invocations, case["expected"], strict=True):
        for name in STATED:
            if each.get(name) not in (None, ""):
                assert getattr(call, name) == each[name], name


@pytest.mark.parametrize("path", [each for each in RECORDINGS if "expected_current_turn" in each.values[0].read_text(encoding="utf-8")])
def test_the_last_turn_of_a_recording_is_told_apart(path: Path) -> None:
    case = load(path)
    assert [call.id for call in to_trajectory(case["payload"], turns="last").invocations] == case["expected_current_turn"]


@pytest.mark.parametrize("path", [each for each in RECORDINGS if "astream" in each.id or "parts" in each.id])
def test_streams_that_say_what_they_are_need_no_form(path: Path) -> None:
    case = load(path)
    assert [call.name for call in to_trajectory(case["payload"]).invocations] == [each["name"] for each in case["expected"]]
