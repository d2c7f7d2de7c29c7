"""Every recorded run is read as what happened in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.crewai.recordings import NAMES, recording
from toolcall_evals import ToolInvocation, TraceFormatError, Trajectory, to_trajectory

RUNS = [name for name in NAMES if not recording(name).get("not_a_trace")]
STATED = ("id", "agent", "kind", "executed_args", "executed_name", "attempts", "task")


def _shown(call: ToolInvocation) -> dict[str, Any]:
    args = call.raw_args if call.args is None else call.args
    return {"name": call.name, "args": args or None, "status": "cached" if call.cached else call.status, "result": call.result}


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_is_read_as_what_happened(name: str) -> None:
    case = recording(name)
    calls = to_trajectory(case["payload"], adapter="crewai").invocations
    if case.get("recoverable_from_payload") is False:
        return
    expected = case["expected"]
    assert [_shown(call) for call in calls] == [
        {**{field: each[field] for field in ("name", "status", "result")}, "args": each["args"] or None} for each in expected
    ]
    for call, each in zip(calls, expected, strict=True):
        stated = {"id" if field == "call_id" else field: value for field, value in each.items() if value is not None}
        assert {field: getattr(call, field) for field in STATED if field in stated} == {
            field: stated[field] for field in STATED if field in stated
        }
        facts = {field: each[field] for field in ("fabricated_observation", "root_task", "via") if field in each}
        assert {field: call.extra.get(field) for field in facts} == facts


@pytest.mark.parametrize("name", RUNS)
def test_the_record_is_left_as_it_was(name: str) -> None:
    payload = recording(name)["payload"]
    to_trajectory(payload, adapter="crewai")
    assert payload == recording(name)["payload"]


@pytest.mark.parametrize("name", [name for name in NAMES if recording(name).get("not_a_trace")])
def test_a_log_of_task_starts_and_ends_is_no_trace(name: str) -> None:
    with pytest.raises(TraceFormatError):
        to_trajectory(recording(name)["payload"], adapter="crewai")


@pytest.mark.parametrize(("name", "adapter"), [(name, "crewai" if "messages" in recording(name)["form"] else None) for name in RUNS])
def test_only_messages_need_the_adapters_name(name: str, adapter: str | None) -> None:
    assert isinstance(to_trajectory(recording(name)["payload"], adapter=adapter), Trajectory)


@pytest.mark.parametrize("name", RUNS)
def test_a_reading_survives_json(name: str) -> None:
    trajectory = to_trajectory(recording(name)["payload"], adapter="crewai")
    assert json.dumps([dict(call.extra) for call in trajectory.invocations])
