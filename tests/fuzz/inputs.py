"""What targets that score are given: seeds of every form, trajectories and references, all made of choices."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from toolcall_evals import ToolInvocation, Trajectory

from .choices import Choices, one
from .mutate import made, mutated
from .seeds import Seed, seeds

Run = Callable[[Choices], None]
"""One execution of a target; raises where a law is broken."""

CONVERTERS = ("langchain", "chat", "responses", "anthropic", "gemini", "chunks")
LANGGRAPH = ("states", "snapshots", "history", "streams", "events", "run_trees")
CREWAI = ("crewai_outputs", "crewai_events", "crewai_spans", "crewai_text")
GROUPS = (*CONVERTERS, *LANGGRAPH, *CREWAI)
"""The targets that convert, which are also the groups of seeds."""

NAMES = ("search", "get_weather", "f", "", "a/b", "x" * 300, "\ud800", "<b>")
EXPECTED = [{"name": "search", "args": {"q": "x"}}, {"name": "f", "args": {}}]


@functools.cache
def everything() -> tuple[Seed, ...]:
    """Small seeds of every form."""
    return tuple(seed for group in GROUPS for seed in seeds(group) if len(str(seed.value)) < 2_500)


def trajectory(choices: Choices, *, objects: bool = True) -> Trajectory:
    """A trajectory as somebody's adapter or test may build it: sound fields, anything in their values."""
    calls = tuple(
        ToolInvocation(
            one(choices, NAMES),
            None
            if choices.below(4) == 0
            else {one(choices, ("q", "x", "")): made(choices, 2, objects=objects) for _ in range(choices.below(3))},
            id=one(choices, (None, "a", "b")),
            status=one(choices, ("success", "success", "error", "pending", "invalid", "rejected", "hallucinated")),  # type: ignore[arg-type]
            kind=one(choices, ("tool", "tool", "tool", "handoff", "server", "structured_output", "framework")),  # type: ignore[arg-type]
            result=one(choices, (None, "a", '{"error": "x"}', "Error: no", "\ud800")),
            raw_result=made(choices, 2, objects=objects),
            agent=one(choices, (None, None, "one")),
            turn=choices.below(2),
            message_index=one(choices, (None, 0, 1)),
        )
        for _ in range(choices.below(4))
    )
    texts = tuple(one(choices, ("a", "", "abab", "x" * 2000, "\ud83d", "ß")) for _ in range(choices.below(3)))
    return Trajectory(
        one(choices, (None, "What is q?", "")),
        tuple(("assistant", text) for text in texts),
        texts,
        calls,
        error=one(choices, (None, None, None, "boom")),
        has_call_record=choices.below(8) > 0,
    )


def reference(choices: Choices) -> Any:
    """What one example expects: nothing, a damaged record of a run, or damaged reference outputs."""
    kind = choices.below(4)
    if kind == 0:
        return None
    if kind == 1:
        return mutated(choices, one(choices, everything()).value)
    return mutated(choices, one(choices, REFERENCES), REFERENCES)


REFERENCES: tuple[Any, ...] = (
    {"expected_tool": "f", "expected_output": "a", "max_tool_calls": 1},
    {"expected_tool_order": ["search", "f"]},
    {"tool_calls": EXPECTED},
    EXPECTED,
    {"expect": {"type": "sequence", "parts": ["search", {"name": "f", "args": {"x": {"$expect": "regex", "pattern": "a"}}}]}},
    {"turns": [{"expected_output": "a"}, {"tool_calls": EXPECTED}]},
)


def line(value: Any) -> str:
    """A value as a line of JSON, as far as it is any."""
    try:
        return json.dumps(value)
    except (RecursionError, ValueError):
        return "["
