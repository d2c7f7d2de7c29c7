"""The one-pass reading of usual conversations gives what the general reading gives, or nothing."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import Trajectory
from toolcall_evals.messages import read_messages, usual

RECORDINGS = sorted((Path(__file__).parent.parent / "recordings" / "langgraph").glob("*.json"))

PLAIN = [
    {"type": "system", "content": "be brief", "id": "0"},
    {"type": "human", "content": "Weather in Paris and Oslo?", "id": "1"},
    {
        "type": "ai",
        "content": "",
        "id": "2",
        "name": "agent",
        "tool_calls": [
            {"name": "get_weather", "args": {"city": "Paris"}, "id": "a"},
            {"name": "get_weather", "args": {"city": "Oslo"}, "id": "b"},
            {"name": "now", "args": {}, "id": "c"},
        ],
        "response_metadata": {"finish_reason": "tool_calls"},
        "additional_kwargs": {"refusal": None},
    },
    {"type": "tool", "content": "sunny", "tool_call_id": "b", "name": "get_weather", "id": "3", "status": "success"},
    {"type": "tool", "content": "Error: nope is not a valid tool, try one of [x].", "tool_call_id": "a", "id": "4", "status": "error"},
    {"type": "ai", "content": "Sunny in Oslo.", "id": "5", "tool_calls": [], "invalid_tool_calls": []},
]


def general(messages: list[Any]) -> Trajectory:
    return read_messages(messages).trajectory("state")


def lists_in(value: Any) -> Iterator[list[Any]]:
    """Every list of mappings inside a recording."""
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in value):
            yield value
        for item in value:
            yield from lists_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from lists_in(item)


def same(one: Trajectory, other: Trajectory) -> bool:
    places = [[call.message_index for call in each.invocations] for each in (one, other)]
    return one == other and places[0] == places[1]


def test_a_plain_conversation_is_usual() -> None:
    found = usual(PLAIN, "state")
    assert found is not None and same(found, general(PLAIN))
    assert [(call.args, call.status, call.executed) for call in found.invocations] == [
        ({"city": "Paris"}, "invalid", False),
        ({"city": "Oslo"}, "success", None),
        ({}, "pending", None),
    ]


def test_a_thread_of_several_turns_is_usual() -> None:
    asked = {"type": "ai", "content": "", "tool_calls": [{"name": "now", "args": {}, "id": "a"}]}
    messages = [*PLAIN, {"type": "human", "content": "And now?"}, asked, {"type": "human", "content": "Never mind."}]
    found = usual(messages, "state")
    assert found is not None and same(found, general(messages))
    assert [call.turn for call in found.invocations] == [0, 0, 0, 1]
    assert [(turn.start, turn.end) for turn in found.turns] == [(0, 6), (6, 8), (8, 9)]


def test_live_messages_are_read_as_their_json() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    live = [
        messages.HumanMessage("q", id="1"),
        messages.AIMessage("", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "a"}], id="2"),
        messages.ToolMessage("7", tool_call_id="a", name="f", id="3"),
    ]
    found, dumped = usual(live, "state"), usual([message.model_dump() for message in live], "state")
    assert found is not None and dumped is not None
    assert same(found, general(live)) and same(found, dumped)


def test_every_list_of_every_recording_is_read_alike() -> None:
    read = 0
    for path in RECORDINGS:
        for messages in lists_in(json.loads(path.read_text(encoding="utf-8"))["payload"]):
            if (found := usual(messages, "state")) is not None:
                assert same(found, general(messages)), path.stem
                read += 1
    assert read >= 20


REPLACEMENTS = [
    None,
    "",
    0,
    True,
    [],
    {},
    "x",
    ["x"],
    {"a": 1},
    float("nan"),
    "length",
    "transfer_to_x",
    "Successfully transferred to x",
    PLAIN,
]


@pytest.mark.parametrize("seed", range(40))
def test_damaged_conversations_are_read_alike_or_left_to_the_general_reading(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(100):
        messages = copy.deepcopy(PLAIN)
        for _ in range(draw.randint(1, 3)):
            target: Any = draw.choice(messages)
            if not isinstance(target, dict):
                continue
            if target.get("tool_calls") and isinstance(target["tool_calls"], list) and draw.random() < 0.4:
                target = draw.choice(target["tool_calls"])
            if not isinstance(target, dict) or not target:
                continue
            action, key = draw.random(), draw.choice(sorted(target))
            if action < 0.2:
                del target[key]
            elif action < 0.4:
                messages.insert(draw.randrange(len(messages)), copy.deepcopy(draw.choice(messages)))
            else:
                target[draw.choice([key, "additional_kwargs", "response_metadata", "status", "id"])] = copy.deepcopy(
                    draw.choice(REPLACEMENTS)
                )
        found = usual(messages, "state")
        assert found is None or same(found, general(messages)), messages


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([], id="empty"),
        pytest.param([{"role": "user", "content": "q"}], id="another provider's"),
        pytest.param([{"type": "ai", "content": [{"type": "text", "text": "x"}]}], id="blocks"),
        pytest.param([PLAIN[1], PLAIN[1]], id="an id twice"),
        pytest.param([PLAIN[3]], id="a result without a request"),
        pytest.param([*PLAIN, {"type": "human", "content": "x", "additional_kwargs": {"lc_source": "s"}}], id="a framework's request"),
        pytest.param(["x", None, 3], id="no messages"),
    ],
)
def test_what_is_out_of_the_ordinary_is_left_to_the_general_reading(messages: list[Any]) -> None:
    assert usual(messages, "state") is None
