"""Long records take time in proportion to their length."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from toolcall_evals import to_trajectory


def _row(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"event_id": f"e{number}", "type": kind, "emission_sequence": number, "agent_role": "Finder", **fields}


def _call(at: int, *, asked: bool, agents: tuple[str, str] = ("agent", "agent"), ids: bool = True) -> list[dict[str, Any]]:
    """One call: asked for by the first agent's model, run by the second."""
    first, args = 3 * at + 10, {"number": at}
    request = {"id": f"c{at}", "type": "function", "function": {"name": "find", "arguments": args}}
    rows = [
        _row(first, "llm_call_completed", parent_event_id=agents[0], response=[request] if asked else "I look."),
        _row(first + 1, "tool_usage_started", parent_event_id=agents[1], tool_name="find", tool_args=args),
        _row(first + 2, "tool_usage_finished", parent_event_id=agents[1], tool_name="find", tool_args=args, output=f"found {at}"),
    ]
    if ids:
        rows[2]["started_event_id"] = f"e{first + 1}"
    return rows


def _events(count: int, **options: Any) -> list[dict[str, Any]]:
    agents = [_row(at, "agent_execution_started", event_id=name) for at, name in enumerate(("agent", "other"))]
    return agents + [row for at in range(count) for row in _call(at, **options)]


def _seconds(read: Callable[[], Any]) -> float:
    gc.collect()
    began = time.process_time()
    read()
    return time.process_time() - began


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"asked": True}, id="each asked for"),
        pytest.param({"asked": False}, id="nobody asked"),
        pytest.param({"asked": True, "agents": ("agent", "other")}, id="asked for in one run, executed in another"),
    ],
)
def test_four_times_the_events_take_about_four_times_as_long(options: dict[str, Any]) -> None:
    short, long = _events(2_000, **options), _events(8_000, **options)
    assert len(to_trajectory(long, adapter="crewai").invocations) == 8_000
    assert _seconds(lambda: to_trajectory(long, adapter="crewai")) < 12 * _seconds(lambda: to_trajectory(short, adapter="crewai"))


def test_a_message_of_many_calls_is_read_in_one_pass() -> None:
    def blocks(count: int) -> list[dict[str, Any]]:
        stated = [f'Thought: x\nAction: find\nAction Input: {{"number": {at}}}\nObservation: found {at}\n' for at in range(count)]
        return [{"role": "user", "content": "Find"}, {"role": "assistant", "content": "".join(stated)}]

    short, long = blocks(250), blocks(1_000)
    assert len(to_trajectory(long, adapter="crewai").invocations) == 1_000
    assert _seconds(lambda: to_trajectory(long, adapter="crewai")) < 12 * _seconds(lambda: to_trajectory(short, adapter="crewai"))
