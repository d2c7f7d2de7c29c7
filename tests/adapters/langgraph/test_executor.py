"""The steps of LangChain's classic executor are calls: what was asked for, and what was observed (langchain-classic 1.0.8)."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.agents import AgentAction
from langchain_core.load import dumpd
from langchain_core.messages import ToolMessage

from toolcall_evals import Trajectory, to_trajectory


def read(*steps: Any, **fields: Any) -> Trajectory:
    return to_trajectory({"input": "q", "intermediate_steps": list(steps), "output": "done", **fields})


def action(tool: Any, given: Any, **fields: Any) -> dict[str, Any]:
    return {"tool": tool, "tool_input": given, "log": "", **fields}


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(AgentAction("look", {"x": "a"}, ""), id="an object"),
        pytest.param(dumpd(AgentAction("look", {"x": "a"}, "")), id="as langchain stores it"),
        pytest.param(action("look", {"x": "a"}), id="plain JSON"),
    ],
)
@pytest.mark.parametrize("pair", [tuple, list])
def test_a_step_is_a_call_with_its_result(made: Any, pair: Any) -> None:
    found = read(pair((made, "saw a")))
    (call,) = found.invocations
    assert (call.name, call.args, call.status, call.result) == ("look", {"x": "a"}, "success", "saw a")
    assert (found.input, found.output, found.source) == ("q", "done", "langgraph.agent_executor")


@pytest.mark.parametrize(
    ("given", "args", "raw_args"),
    [
        pytest.param("a text", None, "a text", id="the one text of a tool with one input"),
        pytest.param(None, {}, None, id="nothing"),
        pytest.param(["a"], None, '["a"]', id="a list"),
    ],
)
def test_what_a_tool_was_given_may_be_no_object(given: Any, args: Any, raw_args: Any) -> None:
    (call,) = read((action("look", given), "saw")).invocations
    assert (call.args, call.raw_args) == (args, raw_args)


@pytest.mark.parametrize(
    ("observed", "result", "raw_result"),
    [
        pytest.param({"n": 1}, '{"n": 1}', {"n": 1}, id="a value"),
        pytest.param(ToolMessage("saw", tool_call_id="1"), "saw", None, id="a message"),
        pytest.param("", "", None, id="an empty text"),
    ],
)
def test_what_was_observed_is_the_result(observed: Any, result: str, raw_result: Any) -> None:
    (call,) = read((action("look", {}, tool_call_id="1"), observed)).invocations
    assert (call.id, call.result, call.raw_result) == ("1", result, raw_result)


def test_a_step_without_an_observation_is_a_call_that_waits() -> None:
    (call,) = read([action("look", {})]).invocations
    assert (call.status, call.result) == ("pending", None)


def test_a_tool_that_does_not_exist_did_not_run() -> None:
    told = "lock is not a valid tool, try one of [look]."
    (call,) = read((action("lock", {}), told)).invocations
    assert (call.status, call.executed, call.error) == ("invalid", False, told)


@pytest.mark.parametrize(
    ("step", "warning"),
    [
        pytest.param(
            (action("_Exception", "I look."), "Invalid format"),
            "an answer of the model's could not be parsed as a tool call",
            id="unparsed",
        ),
        pytest.param((action(None, {}), "x"), "a step without a tool's name is not read", id="no name"),
        pytest.param("look", "a step that is no pair of an action and an observation is not read", id="no pair"),
    ],
)
def test_what_is_no_call_is_said(step: Any, warning: str) -> None:
    found = read(step, (action("look", {}), "saw"), input={"messages": []}, output=None)
    assert [call.name for call in found.invocations] == ["look"]
    assert warning in found.warnings
    assert found.input is None
