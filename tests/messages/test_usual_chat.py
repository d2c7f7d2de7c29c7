"""The one-pass reading of chat messages gives what the general one gives, on every record there is."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.make_traces import Generator, record
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import Reading
from toolcall_evals.messages import convert, usual_chat

ROOT = Path(__file__).parents[2]
STORED = [*sorted((ROOT / "tests" / "recordings").rglob("*.json")), *sorted((ROOT.parent / "shared" / "real_traces").glob("*.jsonl"))]


def inside(value: Any) -> Iterator[Any]:
    """Every list and mapping of a record, itself included."""
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from inside(item)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_both_readings_agree_on_whatever_lies_in_a_record(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").split("\n") if path.suffix == ".jsonl" else [path.read_text(encoding="utf-8")]:
        for value in inside(json.loads(line)) if line else ():
            if (found := usual_chat(value)) is not None:
                assert found == convert(value, Reading())


@given(st.integers(0, 500), st.data())
def test_both_readings_agree_on_runs_with_something_wrong(number: int, data: st.DataObject) -> None:
    run: Any = copy.deepcopy(record(Generator(1, errors=0.2), number))
    messages = run["messages"]
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(messages) - 1))
        spoiled = data.draw(st.sampled_from(SPOILED))
        spoiled(messages, at)
        if not messages:
            return
    found = usual_chat(run)
    assert found is None or found == convert(run, Reading())


def _set(name: str, value: Any) -> Any:
    return lambda messages, at: messages[at].update({name: value})


SPOILED = [
    lambda messages, at: messages.pop(at),
    lambda messages, at: messages.insert(at, dict(messages[at])),
    lambda messages, at: messages.append({"role": "user", "content": "And then?"}),
    lambda messages, at: messages[at].pop("content", None),
    lambda messages, at: [call["function"].update(arguments="{") for call in messages[at].get("tool_calls", [])],
    lambda messages, at: [call.pop("id", None) for call in messages[at].get("tool_calls", [])],
    lambda messages, at: [call.update(id="same") for call in messages[at].get("tool_calls", [])],
    lambda messages, at: [call["function"].update(arguments=None) for call in messages[at].get("tool_calls", [])],
    _set("content", None),
    _set("content", [{"type": "text", "text": "in blocks"}]),
    _set("role", "developer"),
    _set("role", ["unhashable"]),
    _set("name", "somebody"),
    _set("tool_call_id", ["unhashable"]),
    _set("tool_calls", []),
    _set("refusal", "no"),
]


def test_a_usual_run_is_read_in_one_pass() -> None:
    run = record(Generator(), 0)
    assert usual_chat(run) is not None and usual_chat(run["messages"]) is not None
    assert usual_chat({**run, "labels": {"kind": "x"}}) is None
