"""Objects of providers' libraries inside messages that are mappings: `{"role": "assistant", "content": response.content}`."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from toolcall_evals import checks, to_trajectory

USER = {"role": "user", "content": "hi"}


class ToolUse(BaseModel):
    type: str = "tool_use"
    id: str = "1"
    name: str = "f"
    input: dict[str, Any] = {"a": 1}


@dataclass
class Text:
    text: str = "looking"
    type: str = "text"


@dataclass
class Call:
    name: str = "f"
    args: dict[str, Any] = field(default_factory=lambda: {"a": 1})


@dataclass
class Part:
    function_call: Call = field(default_factory=Call)


def chat_call() -> Any:
    return SimpleNamespace(id="1", type="function", function=SimpleNamespace(name="f", arguments='{"a": 1}'))


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"role": "assistant", "content": [Text(), ToolUse()]}, id="blocks of Anthropic"),
        pytest.param({"role": "assistant", "content": None, "tool_calls": [chat_call()]}, id="calls of OpenAI"),
        pytest.param({"role": "assistant", "content": None, "function_call": chat_call().function}, id="an older call of OpenAI"),
        pytest.param({"role": "model", "parts": [Part()]}, id="parts of Gemini"),
    ],
)
def test_they_are_read_as_their_json_would_be(message: dict[str, Any]) -> None:
    run = to_trajectory([USER, message])
    assert [(call.name, call.args, call.status) for call in run.invocations] == [("f", {"a": 1}, "pending")]


def test_their_text_is_read() -> None:
    assert to_trajectory([USER, {"role": "assistant", "content": [Text(), ToolUse()]}]).texts == ("looking",)


@pytest.mark.parametrize("key", ["tool_calls", "function_call"])
@pytest.mark.parametrize("value", ["f(1)", ["f"], 3])
def test_a_request_that_cannot_be_read_was_made_all_the_same(key: str, value: Any) -> None:
    run = to_trajectory([USER, {"role": "assistant", "content": "", key: value}])
    assert [(call.name, call.args, call.status) for call in run.invocations] == [("", None, "invalid")]
    assert checks.used_no_tools().score(run).score == 0.0


def test_different_calls_under_one_message_id_are_two() -> None:
    messages = [
        {"role": "assistant", "id": "m", "content": None, "function_call": {"name": name, "arguments": "{}"}} for name in ("g", "g", "h")
    ]
    assert [call.name for call in to_trajectory([USER, *messages]).invocations] == ["g", "h"]


def test_an_older_call_beside_the_list_is_read_once() -> None:
    listed = [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]
    for name, names in (("f", ["f"]), ("g", ["f", "g"])):
        message = {"role": "assistant", "content": "", "tool_calls": listed, "function_call": {"name": name, "arguments": "{}"}}
        assert [call.name for call in to_trajectory([USER, message]).invocations] == names


@dataclass(slots=True)
class Slotted:
    type: str = "tool_use"
    id: str = "1"
    name: str = "f"
    input: dict[str, Any] = field(default_factory=lambda: {"a": 1})


class Bare:
    __slots__ = ("id", "input", "name", "type")

    def __init__(self) -> None:
        self.type, self.id, self.name, self.input = "tool_use", "1", "f", {"a": 1}


@pytest.mark.parametrize("block", [Slotted(), Bare()], ids=["a dataclass", "a plain class"])
def test_objects_without_a_dictionary_are_read_by_their_slots(block: Any) -> None:
    found = to_trajectory([USER, {"role": "assistant", "content": [block]}])
    assert [(call.name, call.args) for call in found.invocations] == [("f", {"a": 1})]
