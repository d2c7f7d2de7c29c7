"""One event in, one plain row out: told with stand-ins, so that no crewai is needed."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from toolcall_evals_crewai._plain import plain
from toolcall_evals_crewai._snapshot import snapshot


def event(type: str, **fields: Any) -> SimpleNamespace:
    return SimpleNamespace(type=type, event_id="e1", emission_sequence=7, timestamp=datetime(2026, 1, 2, tzinfo=UTC), **fields)


def test_a_tool_event_has_the_attributes_of_the_recordings_and_no_none():
    fields = {"tool_name": "search", "tool_args": {"q": "x"}, "from_cache": False, "output": "3"}
    found = snapshot(threading.Lock(), event("tool_usage_finished", parent_event_id=None, agent=object(), **fields))
    assert found == {
        "source": "lock",
        "type": "tool_usage_finished",
        "event_id": "e1",
        "emission_sequence": 7,
        "timestamp": "2026-01-02T00:00:00+00:00",
        "tool_name": "search",
        "tool_args": {"q": "x"},
        "from_cache": False,
        "output": "3",
    }


def test_a_row_does_not_change_with_the_event():
    args: dict[str, Any] = {"q": ["x"]}
    row = snapshot(None, event("tool_usage_started", tool_name="search", tool_args=args))
    args["q"].append("y")
    assert row["tool_args"] == {"q": ["x"]}


class Block(BaseModel):
    type: str
    id: str
    name: str
    input: dict[str, Any]
    cache: str | None = None


@dataclass
class Answer:
    thought: str
    output: str
    text: str


class Part:
    def __init__(self) -> None:
        self.function_call = SimpleNamespace(name="search", args={"q": {"a": [{"b": "x"}]}})
        self._raw = object()


class Reason(str, Enum):  # noqa: UP042 - as crewai writes it
    UNKNOWN = "unknown_tool"


class Cyclic:
    def __init__(self) -> None:
        self.me = self


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            Block(type="tool_use", id="t1", name="search", input={"q": "x"}),
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "x"}},
            id="a pydantic block",
        ),
        pytest.param(Answer("t", "o", "x"), {"thought": "t", "output": "o", "text": "x"}, id="a dataclass"),
        pytest.param(
            [Part()],
            [{"function_call": {"name": "search", "args": {"q": {"a": [{"b": "x"}]}}}}],
            id="objects inside each other, without what is private",
        ),
        pytest.param({"reason": Reason.UNKNOWN}, {"reason": "unknown_tool"}, id="an enum"),
        pytest.param({1: (2, {3})}, {"1": [2, [3]]}, id="keys, tuples and sets"),
        pytest.param(ValueError("bad"), "bad", id="an exception"),
        pytest.param(b"x", "b'x'", id="bytes"),
    ],
)
def test_values_become_plain(value, expected):
    found = plain(value)
    assert found == expected
    assert json.loads(json.dumps(found)) == expected


def test_an_object_that_holds_itself_ends():
    me: Any = Cyclic()
    assert plain(me) == {"me": {"me": {"me": str(me)}}}


class Unreadable:
    @property
    def __dict__(self) -> Any:
        raise OSError("gone")


def test_an_event_that_cannot_be_read_keeps_what_came_before_and_says_why():
    row = snapshot(None, event("tool_usage_finished", tool_name="search", formatted_answer=Unreadable(), output="3"))
    assert (row["type"], row["event_id"], row["tool_name"]) == ("tool_usage_finished", "e1", "search")
    assert row["unreadable"] == "OSError: gone"


def test_a_result_that_json_does_not_know_is_the_text_that_the_model_is_told():
    class Page:
        def __str__(self) -> str:
            return "a page"

    assert snapshot(None, event("tool_usage_finished", tool_name="read", output=Page()))["output"] == "a page"
    assert snapshot(None, event("task_completed", output=SimpleNamespace(raw="done")))["output"] == "done"


def test_an_agents_tools_are_read_from_its_executor_with_their_own_description():
    class Args(BaseModel):
        query: str

    composite = "Tool Name: search\nTool Arguments: {}\nTool Description: Search the web."
    executor = SimpleNamespace(tools=[SimpleNamespace(name="search", description=composite, args_schema=Args)])
    agent = SimpleNamespace(role="Researcher", id="a1", agent_executor=executor)
    row = snapshot(None, event("agent_execution_started", agent=agent, task=None, tools=[SimpleNamespace(name="only mine")]))
    assert (row["agent_role"], row["agent_id"], row["tools"]) == ("Researcher", "a1", ["only mine"])
    (tool,) = row["available_tools"]
    assert (tool["name"], tool["description"], tool["parameters"]["required"]) == ("search", "Search the web.", ["query"])
