"""Objects that fail when they are looked at, and records that change between two looks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_evals import Score, ToolInvocation, TraceFormatError, Trajectory, checks, to_trajectory

USER = {"role": "user", "content": "hi"}


def calls(count: int) -> list[dict[str, Any]]:
    made = [{"id": str(number), "function": {"name": "f", "arguments": "{}"}} for number in range(count)]
    return [USER, {"role": "assistant", "content": "", "tool_calls": made}]


class Hostile:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("not to be looked at")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(Hostile(), id="an object"),
        pytest.param([Hostile()], id="in a list"),
        pytest.param({"messages": [Hostile()]}, id="in a state"),
        pytest.param({"toolcall_evals": 1, "invocations": 3}, id="a stored trajectory that is none"),
    ],
)
def test_only_a_trace_format_error_comes_out_of_a_conversion(raw: Any) -> None:
    with pytest.raises(TraceFormatError):
        to_trajectory(raw)
    assert checks.used_no_tools().score(raw).status == "could_not_score"


def test_an_example_that_fails_is_a_score_of_none() -> None:
    class Example:
        @property
        def inputs(self) -> Any:
            raise Unspeakable

    result = checks.called_tool("f")(outputs={"messages": calls(1)}, example=Example())
    assert result["score"] is None
    assert "Unspeakable: (it cannot be shown)" in result["comment"]


def test_an_explanation_that_fails_says_so_and_breaks_nothing() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError("no words")

    score = Score.explained("k", 0.0, lambda: ("why", {"value": Mute()}))
    assert score.score == 0.0
    assert score.comment.startswith(("why", "the explanation failed"))
    assert isinstance(score.details, dict)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        pytest.param({"adapter": ["x"]}, "adapter", id="an adapter that is no name"),
        pytest.param({"adapter": "nobody"}, "adapter", id="an unknown adapter"),
        pytest.param({"form": 3}, "form", id="a form that is no name"),
        pytest.param({"turns": "first"}, "turns", id="a word for turns"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        to_trajectory([USER], **settings)


@pytest.mark.parametrize("turns", [1, 5, -2, 10**30])
def test_a_turn_that_a_trajectory_does_not_have_is_refused(turns: int) -> None:
    with pytest.raises(TraceFormatError, match="turn"):
        to_trajectory(Trajectory(invocations=(ToolInvocation("f"),)), turns=turns)


def test_a_trajectory_has_no_messages_to_begin_after() -> None:
    with pytest.raises(TraceFormatError, match="after"):
        to_trajectory(Trajectory(), after="m1")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda run: run.outputs["messages"].extend(calls(3)[1:]), id="extended in place"),
        pytest.param(lambda run: run.outputs.update(messages=calls(3)), id="another value under the key"),
        pytest.param(lambda run: setattr(run, "outputs", {"messages": calls(3)}), id="other outputs"),
    ],
)
def test_a_run_that_has_changed_is_read_again(change: Any) -> None:
    run = SimpleNamespace(run_type="chain", name="t", id="1", inputs={}, outputs={"messages": calls(1)}, error=None, child_runs=[])
    check = checks.max_tool_calls(1)
    assert check(run=run)["score"] == 1.0
    change(run)
    assert check(run=run)["score"] == 0.0
