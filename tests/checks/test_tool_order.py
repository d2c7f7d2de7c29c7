from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks


def run(*names: str) -> Trajectory:
    return Trajectory(invocations=tuple(ToolInvocation(name=name, status="success") for name in names))


@pytest.mark.parametrize(
    ("names", "calls", "kept"),
    [
        pytest.param(["a", "b"], "a b", True, id="just these"),
        pytest.param(["a", "b"], "x a x b x", True, id="others between"),
        pytest.param(["a", "b"], "b a", False, id="turned round"),
        pytest.param(["a", "b"], "b a b", True, id="an early one in the way"),
        pytest.param(["a", "a"], "a b", False, id="a repeat that is missing"),
        pytest.param(["a", "a"], "a b a", True, id="a repeat"),
        pytest.param(["a"], "", False, id="no call"),
        pytest.param([], "a", True, id="nothing expected"),
        pytest.param((), "", True, id="nothing expected, nothing called"),
    ],
)
def test_the_names_must_be_a_subsequence(names: list[str], calls: str, kept: bool) -> None:
    assert checks.tool_order(names).score(run(*calls.split())).score == kept


def test_the_comment_says_where_the_order_broke() -> None:
    check = checks.tool_order(["a", "b", "c"])
    assert check.score(run("a", "b", "x", "c")).comment == "the order a, b, c was kept; calls: a, b, x, c"
    assert check.score(run("c", "a", "b")).comment == (
        "expected a, b, c: number 3, c, was not called after call 3 of 3, b, only before, as call 1 of 3, c; calls: c, a, b"
    )
    assert check.score(run("b")).comment == "expected a, b, c: number 1, a, was not called; calls: b"
    assert check.score(run("a", "b", "x", "c")).details == {
        "expected": ["a", "b", "c"],
        "calls": ["a", "b", "x", "c"],
        "matched_at": [0, 1, 3],
    }
    assert checks.tool_order([]).score(run("b")).comment == "no order is expected; calls: b"


def test_it_looks_at_tools_and_server_tools_and_says_what_it_left_out() -> None:
    made = Trajectory(
        invocations=(ToolInvocation(name="a"), ToolInvocation(name="hand", kind="handoff"), ToolInvocation(name="web", kind="server"))
    )
    assert checks.tool_order(["a", "web"]).score(made).score == 1.0
    narrow = checks.tool_order(["a", "hand"]).score(made)
    assert narrow.score == 0.0
    assert narrow.comment.endswith("calls: a, web; not counted: 1 of kind handoff (hand)")
    assert checks.tool_order(["a", "hand"], kinds="all").score(made).score == 1.0


@pytest.mark.parametrize(
    ("reference", "score"),
    [
        pytest.param({"expected_tool_order": ["a", "b"]}, 1.0, id="the order"),
        pytest.param({"expected_tool_order": ["b", "a"]}, 0.0, id="another order"),
        pytest.param({"expected_tool_order": []}, 1.0, id="no call"),
        pytest.param({"tool_calls": [{"name": "a"}, {"name": "b"}]}, 1.0, id="calls"),
        pytest.param([], 1.0, id="an empty list of calls"),
        pytest.param({"expected_tool_order": "a"}, None, id="a text"),
        pytest.param({"expected_tool_order": ["a", ""]}, None, id="an empty name"),
        pytest.param({"tool_calls": "a"}, None, id="calls that are none"),
        pytest.param({}, None, id="an empty mapping"),
    ],
)
def test_the_order_may_come_per_example(reference: Any, score: float | None) -> None:
    assert checks.tool_order().score(run("a", "b"), reference).score == score


def test_a_reference_run_states_the_order_of_its_calls() -> None:
    reference = {
        "messages": [
            {"role": "user", "content": "?"},
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "a", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "ok"},
            {"role": "assistant", "tool_calls": [{"id": "2", "function": {"name": "b", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "2", "content": "ok"},
        ]
    }
    assert checks.tool_order().score(run("a", "b"), reference).score == 1.0
    assert checks.tool_order().score(run("b", "a"), reference).score == 0.0


@pytest.mark.parametrize("names", ["a", ["a", ""], ["a", 1], {"a"}, 5])
def test_what_is_no_list_of_names_is_refused(names: Any) -> None:
    with pytest.raises(SettingError, match="names must be a list of"):
        checks.tool_order(names)


def test_keys_tell_orders_apart() -> None:
    made = [checks.tool_order(names) for names in (None, [], ["a"], ["a", "b"], ["a:b"], ["a", "b", "c"], ["none"], ["a::b"])]
    assert len({check.key for check in made}) == len(made)
    assert made[3].key == "tool_order:a:b"
