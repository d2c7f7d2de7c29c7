"""The items of a `step_callback` and of `agent.tools_results`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_evals import to_trajectory

RESULT = {"result": "3", "result_as_answer": False}
ACTION = {
    "thought": "go",
    "tool": "find",
    "tool_input": '{"q": 1}',
    "text": 'Action: find\nAction Input: {"q": 1}\nObservation: 3',
    "result": "3",
}
FINISH = {"thought": "", "output": "ok", "text": "Final Answer: ok"}


def _object(fields: dict[str, Any]) -> Any:
    return type("Step", (SimpleNamespace,), {"__module__": "crewai.agents.parser"})(**fields)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([RESULT, ACTION, FINISH], id="dicts"),
        pytest.param([_object(RESULT), _object(ACTION), _object(FINISH)], id="objects"),
        pytest.param([{"type": "AgentAction", "data": ACTION}, {"type": "AgentFinish", "data": FINISH}], id="wrapped by a recorder"),
        pytest.param([RESULT, {**ACTION, "result": None}, FINISH], id="the result only in the tool result"),
    ],
)
def test_the_steps_of_the_text_path(items: list[Any]) -> None:
    run = to_trajectory(items)
    assert [(call.name, call.args, call.status, call.result) for call in run.invocations] == [("find", {"q": 1}, "success", "3")]
    assert (run.source, run.final_text) == ("crewai.step_callback", "ok")


def test_the_native_path_tells_a_step_callback_of_no_call() -> None:
    run = to_trajectory([FINISH])
    assert not run.has_call_record
    assert run.texts == ("ok",)


def test_tools_results() -> None:
    run = to_trajectory([{"result": "3", "tool_name": "find", "tool_args": {"q": 1}}] * 2)
    assert [(call.name, call.args, call.status, call.result) for call in run.invocations] == [("find", {"q": 1}, "success", "3")] * 2
