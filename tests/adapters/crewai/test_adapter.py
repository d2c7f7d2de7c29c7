"""Which records the adapter takes for CrewAI's, and which it leaves to others."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.crewai.recordings import recording
from toolcall_evals import Reading, TraceFormatError, to_trajectory
from toolcall_evals_crewai import ADAPTER

EVENTS = recording("native_hooks__events")["payload"]
OUTPUT = recording("native_limit_and_declared_failure__crew_output")["payload"]
REACT = [
    {"role": "user", "content": "find"},
    {"role": "assistant", "content": 'Action: find\nAction Input: {"q": "fern"}\nObservation: 3 hits'},
    {"role": "assistant", "content": "Final Answer: 3"},
]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param([{"role": "user", "content": "hi"}], id="chat messages"),
        pytest.param({"messages": [{"role": "user", "content": "hi"}]}, id="a state of chat messages"),
        pytest.param([{"type": "human", "content": "hi"}], id="LangChain messages"),
        pytest.param({"output": "hi"}, id="some output"),
        pytest.param({"raw": "hi"}, id="a mapping with raw"),
        pytest.param({"events": [{"event": "on_chain_start", "name": "x"}]}, id="somebody else's events"),
        pytest.param([{"event": "on_tool_start", "name": "x", "data": {}}], id="LangChain's stream events"),
        pytest.param([{"name": "s", "span_id": "1", "attributes": {"gen_ai.operation.name": "chat"}}], id="another framework's spans"),
        pytest.param([], id="an empty list"),
        pytest.param("hi", id="a text"),
        pytest.param(None, id="nothing"),
        pytest.param(SimpleNamespace(raw="x", tasks_output=[]), id="an object of another package"),
    ],
)
def test_what_is_not_surely_crewais_is_left_to_others(raw: Any) -> None:
    assert ADAPTER.convert(raw, Reading()) is None


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        pytest.param(EVENTS, "crewai.events", id="an event list"),
        pytest.param({"events": EVENTS}, "crewai.events", id="events in a mapping"),
        pytest.param(
            {"event_record": {"nodes": {row["event_id"]: {"event": row, "edges": {}} for row in EVENTS}}},
            "crewai.checkpoint",
            id="a checkpoint",
        ),
        pytest.param(OUTPUT, "crewai.crew_output", id="a dumped output"),
        pytest.param({"output": OUTPUT}, "crewai.crew_output", id="an output as LangSmith wraps it"),
        pytest.param({"inputs": {}, "outputs": OUTPUT}, "crewai.crew_output", id="a stored LangSmith run"),
        pytest.param(OUTPUT["tasks_output"][0], "crewai.task_output", id="a task's output"),
        pytest.param(OUTPUT["tasks_output"], "crewai.task_output", id="the tasks' outputs"),
    ],
)
def test_crewais_own_records_are_recognised(raw: Any, source: str) -> None:
    trajectory = to_trajectory(raw)
    assert trajectory.source == source
    assert trajectory.invocations


def test_the_text_protocol_is_read_only_when_the_adapter_is_named() -> None:
    assert to_trajectory(REACT).invocations == ()
    assert [call.name for call in to_trajectory(REACT, adapter="crewai").invocations] == ["find"]


def test_a_named_adapter_says_what_it_cannot_read() -> None:
    with pytest.raises(TraceFormatError, match="'crewai' reads"):
        to_trajectory({"a": 1}, adapter="crewai")


def test_reading_needs_no_crewai() -> None:
    code = (
        "import sys, toolcall_evals_crewai as adapter; from toolcall_evals import to_trajectory; "
        "to_trajectory([{'type': 'tool_usage_started', 'tool_name': 'x', 'tool_args': {}}]); "
        "print([name for name in sys.modules if name.partition('.')[0] in ('crewai', 'langsmith', 'openai', 'opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_wire_record_keeps_what_its_tool_messages_say_and_a_tasks_messages_are_read_as_crewais() -> None:
    case = recording("native_hooks__messages")["payload"]
    bare = to_trajectory({"messages": case["messages"]}, adapter="crewai")
    assert [call.status for call in bare.invocations] == ["success", "success"]
    assert any("reads like CrewAI's refusal" in warning for warning in bare.warnings)
    assert [call.status for call in to_trajectory(case, adapter="crewai").invocations] == ["rejected", "success"]
    assert [call.status for call in to_trajectory(case["messages"], adapter="crewai").invocations] == ["rejected", "success"]


@pytest.mark.parametrize(("turns", "names"), [("all", ["a", "b"]), (0, ["a"]), (-1, ["b"]), ("last", ["b"])])
def test_each_kickoff_of_an_event_list_is_a_turn(turns: Any, names: list[str]) -> None:
    rows = []
    for at, name in enumerate("ab"):
        rows += [
            {"type": "crew_kickoff_started", "event_id": f"k{at}", "emission_sequence": 1, "timestamp": f"2026-01-0{at + 1}T00:00:00"},
            {
                "type": "tool_usage_started",
                "event_id": f"s{at}",
                "parent_event_id": f"k{at}",
                "emission_sequence": 2,
                "tool_name": name,
                "tool_args": {},
            },
        ]
    assert [call.name for call in to_trajectory(rows, turns=turns).invocations] == names


def test_after_names_an_event() -> None:
    rows = EVENTS
    first = next(row["event_id"] for row in rows if row["type"] == "tool_usage_finished")
    assert [call.args for call in to_trajectory(rows, after=first).invocations] == [{"query": "mutate"}]
    with pytest.raises(TraceFormatError, match="an event with the id 'nowhere'"):
        to_trajectory(rows, after="nowhere")
