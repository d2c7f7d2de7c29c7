"""CrewAI's messages, on both of its paths."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.crewai.recordings import NAMES, recording
from toolcall_evals import Trajectory, checks, to_trajectory

TEACHES = (
    "You ONLY have access to the following tools\n\nTool Name: find\nTool Name: get\n\n"
    "Thought: ...\nAction: one of [find, get]\nAction Input: JSON"
)
REPEATED = "I tried reusing the same input, I must stop using this action input. I'll try something else instead."
TOOL_LIST = "\n\n\nYou ONLY have access to the following tools\nAction: [x]\nAction Input: y\nObservation: z"
FORMAT = (
    "\nMoving on then. I MUST use\nAction: the action to take, one of [find]\nAction Input: the input\n"
    "Observation: the result\nFinal Answer: the answer"
)
MESSAGES = [name for name in NAMES if recording(name)["form"] == "crewai.task_output.messages"]


def _task(*messages: tuple[str, Any], system: str | None = TEACHES) -> dict[str, Any]:
    prompt = [] if system is None else [{"role": "system", "content": system}]
    return {"messages": [*prompt, *({"role": role, "content": content} for role, content in messages)], "agent": "Ann", "task": "t"}


def _shown(record: Any) -> list[tuple[str, Any, str, str | None]]:
    run = to_trajectory(record, adapter="crewai")
    return [(call.name, call.raw_args if call.args is None else call.args, call.status, call.result) for call in run.invocations]


FIND = 'Thought: go\nAction: find\nAction Input: {"q": 1}'
TRANSCRIPT = 'Thought: b\nAction: get\nAction Input: {"q": 2}\nObservation: 9\nFinal Answer: 9'
SPEAKING = 'Action: get\nAction Input: {"q": 2}\nObservation: 9'
REMINDER = "Analyze the tool result. If requirements are met, provide the Final Answer. Otherwise, call the next tool."


@pytest.mark.parametrize(
    ("messages", "calls"),
    [
        pytest.param([("user", "x"), ("assistant", f"{FIND}\nObservation: 3")], [("find", {"q": 1}, "success", "3")], id="a step"),
        pytest.param([("user", "x"), ("assistant", f"{FIND}\nObservation: ")], [("find", {"q": 1}, "success", "")], id="an empty result"),
        pytest.param([("user", "x"), ("assistant", FIND)], [("find", {"q": 1}, "pending", None)], id="no observation"),
        pytest.param([("user", "x"), ("assistant", "Thought: t\nFinal Answer: ok")], [], id="only an answer"),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\nObservation: 9\nThought: t\nFinal Answer: 9")],
            [("find", {"q": 1}, "hallucinated", "9")],
            id="an invented observation and an answer, at the end",
        ),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\nObservation: {TRANSCRIPT}"), ("user", REMINDER)],
            [("find", {"q": 1}, "success", TRANSCRIPT)],
            id="a tool that gives a whole transcript",
        ),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\nObservation: invented\n\nObservation: 3"), ("user", REMINDER)],
            [("find", {"q": 1}, "success", "3")],
            id="an observation of the model's and the tool's own",
        ),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\nObservation: {REPEATED}")],
            [("find", {"q": 1}, "rejected", REPEATED)],
            id="a refused repeat",
        ),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\nObservation: 3{TOOL_LIST}")],
            [("find", {"q": 1}, "success", "3")],
            id="the tool list behind a result",
        ),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\nObservation: I encountered an error: x.{FORMAT}"), ("assistant", "Final Answer: no")],
            [("find", {"q": 1}, "error", "I encountered an error: x.")],
            id="the format behind a failure",
        ),
        pytest.param(
            [
                ("user", "x"),
                ("assistant", f"{FIND}\nObservation: I encountered an error: {SPEAKING}.{FORMAT}"),
                ("assistant", "Final Answer: no"),
            ],
            [("find", {"q": 1}, "error", f"I encountered an error: {SPEAKING}.")],
            id="an error that speaks the protocol",
        ),
        pytest.param(
            [("user", "x"), ("assistant", f"{FIND}\n```\nObservation: 3")],
            [("find", {"q": 1}, "success", "3")],
            id="a fence around the input",
        ),
        pytest.param(
            [("user", "x"), ("assistant", "Thought: go\nAction: find\nAction Input: fern\nObservation: 3")],
            [("find", "fern", "success", "3")],
            id="a tool that takes plain text",
        ),
    ],
)
def test_the_text_path(messages: list[tuple[str, str]], calls: list[Any]) -> None:
    assert _shown(_task(*messages)) == calls


def test_on_the_native_path_an_observation_in_a_text_is_always_the_models_own() -> None:
    record = _task(("user", "x"), ("assistant", f"{FIND}\nObservation: 9"), ("assistant", "ok"), system="You are Ann.")
    assert _shown(record) == [("find", {"q": 1}, "hallucinated", "9")]
    assert checks.no_hallucinated_tool_calls().score(to_trajectory(record, adapter="crewai")).score == 0.0


def test_several_observations_in_a_message_are_told_of() -> None:
    record = _task(("user", "x"), ("assistant", f"{FIND}\nObservation: {TRANSCRIPT}"), ("user", REMINDER))
    assert any("several observations" in warning for warning in to_trajectory(record, adapter="crewai").warnings)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param({"id": "c", "type": "function", "function": {"name": "trip", "arguments": '{"city": "Porto"}'}}, id="OpenAI"),
        pytest.param({"toolUseId": "c", "name": "trip", "input": {"city": "Porto"}}, id="Bedrock"),
        pytest.param({"toolUse": {"toolUseId": "c", "name": "trip", "input": {"city": "Porto"}}}, id="Bedrock, wrapped"),
        pytest.param({"type": "tool_use", "id": "c", "name": "trip", "input": {"city": "Porto"}}, id="Anthropic"),
        pytest.param({"id": "c", "function_call": {"name": "trip", "args": {"city": "Porto"}}}, id="Gemini"),
        pytest.param(SimpleNamespace(id="c", function=SimpleNamespace(name="trip", arguments='{"city": "Porto"}')), id="an object"),
    ],
)
def test_a_request_in_any_providers_shape(call: Any) -> None:
    messages = [
        {"role": "user", "content": "trip"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "mild"},
    ]
    (read,) = to_trajectory(messages, adapter="crewai").invocations
    assert (read.name, read.args, read.status, read.result) == ("trip", {"city": "Porto"}, "success", "mild")


def test_the_reminders_that_crewai_writes_begin_no_turn() -> None:
    calls = to_trajectory(recording("v1_12_2_native__messages")["payload"], adapter="crewai").invocations
    assert [call.turn for call in calls] == [0, 0, 0]


def test_a_conversation_with_an_agent_has_a_turn_for_each_request() -> None:
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": f"{FIND}\nObservation: 1"},
        {"role": "user", "content": REMINDER},
        {"role": "assistant", "content": "Final Answer: 1"},
        {"role": "user", "content": "two"},
        {"role": "assistant", "content": f"{FIND}\nObservation: 2"},
    ]
    assert [call.turn for call in to_trajectory(messages, adapter="crewai").invocations] == [0, 1]
    assert [call.result for call in to_trajectory(messages, adapter="crewai", turns="last").invocations] == ["2"]


@settings(max_examples=150)
@given(st.sampled_from(MESSAGES), st.data())
def test_nonsense_in_any_message_is_no_crash(name: str, data: Any) -> None:
    record = copy.deepcopy(recording(name)["payload"])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(record["messages"]) - 1))
        message = record["messages"][at]
        if data.draw(st.booleans()) and isinstance(message.get("content"), str):
            text = message["content"]
            cut = data.draw(st.integers(0, len(text)))
            message["content"] = (
                text[:cut]
                + data.draw(st.sampled_from(["", "\nObservation: ", "\nAction: x\nAction Input: ", "Final Answer:", "{"]))
                + text[cut:]
            )
        else:
            message[data.draw(st.sampled_from(["content", "tool_calls", "tool_call_id", "name"]))] = data.draw(
                st.one_of(st.none(), st.integers(), st.text(max_size=3), st.just([]), st.just([None]), st.just({"a": 1}))
            )
    before = json.dumps(record)
    assert isinstance(to_trajectory(record, adapter="crewai"), Trajectory)
    assert json.dumps(record) == before
