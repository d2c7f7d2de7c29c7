from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import CouldNotScore, ToolInvocation
from toolcall_evals import _settings as setting
from toolcall_evals._reference import Reference, reference_of

RUN = [
    {"role": "user", "content": "?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "a", "arguments": '{"q": 1}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {"role": "assistant", "content": "done"},
]


@pytest.mark.parametrize("raw", [None, {}])
def test_nothing_is_no_reference(raw: Any) -> None:
    assert reference_of(raw) is None


def test_an_empty_list_states_that_no_call_is_expected() -> None:
    reference = reference_of([])
    assert reference is not None
    assert reference.calls() == ()
    assert reference_of(reference) is reference


@pytest.mark.parametrize(
    ("raw", "calls"),
    [
        pytest.param({"tool_calls": [{"name": "a", "args": {"q": 1}}]}, [("a", {"q": 1})], id="tool_calls"),
        pytest.param({"tool_calls": ({"name": "a", "args": None},)}, [("a", None)], id="no arguments stated"),
        pytest.param({"tool_calls": []}, [], id="no call"),
        pytest.param([{"name": "a", "args": {}}, {"name": "b"}], [("a", {}), ("b", None)], id="a list"),
        pytest.param([ToolInvocation(name="a", args={})], [("a", {})], id="a list of invocations"),
        pytest.param(RUN, [("a", {"q": 1})], id="messages"),
        pytest.param({"messages": RUN}, [("a", {"q": 1})], id="a state"),
        pytest.param({"messages": RUN, "expected_output": "done"}, [("a", {"q": 1})], id="a state beside another key"),
        pytest.param({"messages": RUN, "tool_calls": [{"name": "b"}]}, [("b", None)], id="stated calls go before a run"),
        pytest.param({"expected_tool": "a"}, None, id="only another key"),
        pytest.param("a text", None, id="a text shows no calls"),
        pytest.param({"answer": 42}, None, id="something else"),
        pytest.param(42, None, id="a number"),
    ],
)
def test_expected_calls_are_read_wherever_they_are_stated(raw: Any, calls: list[tuple[str, Any]] | None) -> None:
    found = Reference(raw).calls()
    assert (None if found is None else [(call.name, call.args) for call in found]) == calls


@pytest.mark.parametrize(
    "stated",
    ["a", 5, {"name": "a"}, [5], [{"args": {}}], [{"name": 5}], [{"name": "a", "args": "q"}], [{"name": "a", "args": [1]}]],
)
def test_calls_that_cannot_be_read_could_not_be_scored_and_are_named(stated: Any) -> None:
    with pytest.raises(CouldNotScore, match=r"reference 'tool_calls' must be|a call of the reference must have"):
        Reference({"tool_calls": stated}).calls()


def test_a_scope_narrows_a_run_but_no_stated_list() -> None:
    scope = setting.scope("handoff", None, None)
    assert Reference(RUN).calls(scope) == ()
    assert len(Reference({"tool_calls": [{"name": "a"}]}).calls(scope) or ()) == 1


def test_the_run_is_what_is_left_without_the_known_keys() -> None:
    run = Reference({"messages": RUN, "expected_tool": "a"}).run()
    assert run is not None
    assert (run.output, [call.name for call in run.invocations]) == ("done", ["a"])
    assert Reference({"expected_tool": "a", "max_tool_calls": 3}).run() is None
    assert Reference([{"name": "a"}]).run() is None
    text = Reference("done").run()
    assert text is not None
    assert text.output == "done"


def test_the_reference_is_not_changed() -> None:
    args = {"q": [1]}
    (call,) = Reference({"tool_calls": [{"name": "a", "args": args}]}).calls() or ()
    assert call.args == args
    assert call.args is not args
