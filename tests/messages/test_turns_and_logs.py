"""Single turns of a conversation, and conversations that lie inside other records."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import to_trajectory


def asks(name: str) -> list[dict[str, Any]]:
    return [{"type": "human", "content": name}, {"type": "ai", "content": "", "tool_calls": [{"name": name, "args": {}, "id": name}]}]


THREE = [*asks("a"), *asks("b"), *asks("c")]


@pytest.mark.parametrize(
    ("turns", "names"),
    [(0, ["a"]), (1, ["b"]), (2, ["c"]), (-1, ["c"]), (-3, ["a"]), ("last", ["c"]), ("all", ["a", "b", "c"])],
)
def test_a_turn_ends_where_the_next_one_begins(turns: Any, names: list[str]) -> None:
    assert [call.name for call in to_trajectory(THREE, turns=turns).invocations] == names


@pytest.mark.parametrize(
    "wrap", [lambda inner: {"log": {"entries": inner}}, lambda inner: {"a": [{"b": inner}]}], ids=["a mapping", "a list"]
)
def test_langchain_messages_are_found_inside_a_log(wrap: Any) -> None:
    assert [call.name for call in to_trajectory(wrap(THREE)).invocations] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        pytest.param(None, ["a", "b", "c"], id="nothing was given"),
        pytest.param("a", ["a", "b", "c"], id="a text was given"),
        pytest.param({"messages": THREE[:2]}, ["b", "c"], id="the first turn was given"),
        pytest.param({"messages": asks("z")}, ["a", "b", "c"], id="something else was given"),
    ],
)
def test_calls_that_the_run_was_given_are_not_its_own(inputs: Any, names: list[str]) -> None:
    assert [call.name for call in to_trajectory({"messages": THREE}, inputs=inputs).invocations] == names
