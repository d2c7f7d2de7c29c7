from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, scorers, to_trajectory


def run(*names: str, **fields: Any) -> Trajectory:
    return Trajectory(invocations=tuple(ToolInvocation(name=name, status="success") for name in names), **fields)


@pytest.mark.parametrize(
    ("settings", "passing", "failing"),
    [
        pytest.param({"expected_tool": "a"}, ["a", "b a", "a a"], ["", "b"], id="single"),
        pytest.param({"expected_tool": "a", "strict_mode": True}, ["a"], ["", "b", "a a", "a b"], id="single, strict"),
        pytest.param({"expected_tool_order": ["a", "b"]}, ["a b", "x a x b x", "b a b"], ["", "a", "b a"], id="order"),
        pytest.param({"expected_tool_order": ["a", "a"]}, ["a a", "a b a"], ["a", "a b"], id="order, a repeat"),
        pytest.param(
            {"expected_tool_order": ["a", "b"], "strict_mode": True}, ["a b"], ["", "a", "b a", "a b b", "x a b"], id="order, strict"
        ),
        pytest.param({"expected_tool_order": []}, ["", "a"], [], id="empty order"),
        pytest.param({"expected_tool_order": [], "strict_mode": True}, [""], ["a"], id="empty order, strict"),
        pytest.param({"expected_tool": "x", "expected_tool_order": ["a"]}, ["a"], ["x"], id="an order goes before a tool"),
    ],
)
def test_the_four_modes(settings: dict[str, Any], passing: list[str], failing: list[str]) -> None:
    scorer = scorers.tool_call_accuracy(**settings)
    assert [calls for calls in passing + failing if scorer.score(run(*calls.split())).score == 1.0] == passing


def test_the_details_say_where_each_call_was_asked_for() -> None:
    messages = [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "function": {"name": "a", "arguments": "{}"}},
                {"id": "c2", "function": {"name": "b", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "tool", "tool_call_id": "c2", "content": "ok"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c3", "function": {"name": "a", "arguments": "{}"}}]},
    ]
    score = scorers.tool_call_accuracy(expected_tool_order=["a", "b"]).score(to_trajectory(messages))
    assert score.details == {
        "expected_tool": None,
        "actual_tools": ["a", "b", "a"],
        "strict_mode": False,
        "expected_tool_order": ["a", "b"],
        "has_tool_calls": True,
        "correct_tool_called": False,
        "correct_order_called": True,
        "tool_call_infos": [
            {"name": "a", "id": "c1", "message_index": 1, "index_in_message": 0},
            {"name": "b", "id": "c2", "message_index": 1, "index_in_message": 1},
            {"name": "a", "id": "c3", "message_index": 4, "index_in_message": 0},
        ],
    }


def test_outside_the_order_mode_the_order_is_neither_right_nor_wrong() -> None:
    details = scorers.tool_call_accuracy("a").score(run("a")).details
    assert (details["correct_tool_called"], details["correct_order_called"], details["expected_tool_order"]) == (True, None, None)
    assert details["tool_call_infos"] == [{"name": "a", "id": None, "message_index": None, "index_in_message": None}]


@pytest.mark.parametrize(
    ("settings", "calls", "comment"),
    [
        pytest.param({"expected_tool": "a"}, "b a a", "a was called 2 times; calls: b, a, a", id="called"),
        pytest.param({"expected_tool": "a"}, "", "a was not called; calls: none", id="not called"),
        pytest.param(
            {"expected_tool": "a", "strict_mode": True},
            "a b",
            "a was called 1 time, of 2 calls, exactly 1 is allowed; calls: a, b",
            id="too many",
        ),
        pytest.param({"expected_tool_order": ["a", "b"]}, "b", "expected a, b: number 1, a, was not called; calls: b", id="order broken"),
        pytest.param(
            {"expected_tool_order": ["a", "b"], "strict_mode": True},
            "a c",
            "expected exactly a, b: as call 2 b was expected, it was c; calls: a, c",
            id="another call",
        ),
        pytest.param(
            {"expected_tool_order": ["a"], "strict_mode": True},
            "a c",
            "expected exactly a: as call 2 no further call was expected, it was c; calls: a, c",
            id="one too many",
        ),
        pytest.param(
            {"expected_tool_order": ["a"], "strict_mode": True},
            "",
            "expected exactly a: as call 1 a was expected, there was none; calls: none",
            id="none",
        ),
        pytest.param({"expected_tool_order": ["a"], "strict_mode": True}, "a", "the calls are exactly a; calls: a", id="exact"),
        pytest.param({"expected_tool_order": [], "strict_mode": True}, "", "no call was made, as expected; calls: none", id="no call"),
        pytest.param(
            {"expected_tool_order": [], "strict_mode": True},
            "a",
            "no call was expected, 1 call made; calls: a",
            id="a call all the same",
        ),
    ],
)
def test_the_comment_says_what_was_found(settings: dict[str, Any], calls: str, comment: str) -> None:
    assert scorers.tool_call_accuracy(**settings).score(run(*calls.split())).comment == comment


def test_it_counts_tools_and_the_expected_tool_of_any_kind() -> None:
    made = Trajectory(
        invocations=(ToolInvocation(name="transfer", kind="handoff"), ToolInvocation(name="Answer", kind="structured_output"))
    )
    score = scorers.tool_call_accuracy("transfer", strict_mode=True).score(made)
    assert (score.score, score.comment) == (
        1.0,
        "transfer was called 1 time; calls: transfer; not counted: 1 of kind structured_output (Answer)",
    )
    assert scorers.tool_call_accuracy("transfer", strict_mode=True, kinds="all").score(made).score == 0.0
    assert scorers.tool_call_accuracy("transfer", kinds="tool").score(made).score == 0.0
    assert scorers.tool_call_accuracy(expected_tool_order=["transfer"]).score(made).score == 0.0


def test_it_sees_the_calls_of_one_agent() -> None:
    made = Trajectory(invocations=(ToolInvocation(name="a", agent="one"), ToolInvocation(name="b", agent="two")))
    assert scorers.tool_call_accuracy("b", strict_mode=True, agent="two").score(made).score == 1.0
    assert scorers.tool_call_accuracy("b", agent="one").score(made).score == 0.0


@pytest.mark.parametrize(
    ("reference", "score"),
    [
        pytest.param({"expected_tool": "b"}, 1.0, id="the tool"),
        pytest.param({"expected_tool_order": ["a", "b"]}, 1.0, id="the order"),
        pytest.param({"expected_tool_order": ["b", "a"], "expected_tool": "a"}, 0.0, id="both, the order goes before"),
        pytest.param({"tool_calls": [{"name": "a"}, {"name": "b"}]}, 1.0, id="the calls"),
        pytest.param([("user", "?"), ("assistant", "no call")], 1.0, id="a reference run without calls"),
        pytest.param({"expected_tool": 5}, None, id="no name"),
        pytest.param({"expected_tool_order": "ab"}, None, id="no list"),
        pytest.param({"answer": 1}, None, id="other keys"),
        pytest.param(None, None, id="none"),
    ],
)
def test_expectations_may_come_per_example(reference: Any, score: float | None) -> None:
    found = scorers.tool_call_accuracy().score(run("a", "b"), reference)
    assert found.score == score
    if score is None:
        assert "expected_tool" in found.comment


def test_a_reference_is_read_only_where_nothing_was_set() -> None:
    assert scorers.tool_call_accuracy("a").score(run("a"), {"expected_tool": "b"}).score == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"expected_tool": ""}, "expected_tool must be a non-empty text"),
        ({"expected_tool_order": "a"}, "expected_tool_order must be a list of tool names"),
        ({"expected_tool_order": ["a", None]}, "expected_tool_order must be a list of non-empty tool names"),
        ({"expected_tool": "a", "strict_mode": "yes"}, "strict_mode must be True or False"),
        ({"expected_tool": "a", "kinds": "tools"}, "kinds must be 'all' or some of"),
        ({"expected_tool": "a", "agent": ""}, "agent must be the name of an agent"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        scorers.tool_call_accuracy(**settings)


def test_the_modes_have_keys_of_their_own() -> None:
    made = [
        scorers.tool_call_accuracy(),
        scorers.tool_call_accuracy(strict_mode=True),
        scorers.tool_call_accuracy("a"),
        scorers.tool_call_accuracy("a", strict_mode=True),
        scorers.tool_call_accuracy(expected_tool_order=["a"]),
        scorers.tool_call_accuracy(expected_tool_order=["a"], strict_mode=True),
        scorers.tool_call_accuracy(expected_tool_order=[]),
        scorers.tool_call_accuracy(expected_tool_order=[], strict_mode=True),
        scorers.tool_call_accuracy("a", agent="one"),
        scorers.tool_call_accuracy("a", kinds="all"),
    ]
    assert len({scorer.key for scorer in made}) == len(made)
    assert [scorer.key for scorer in made[:6]] == [
        "tool_call_accuracy",
        "tool_call_accuracy::strict",
        "tool_call_accuracy:a",
        "tool_call_accuracy:a::strict",
        "tool_call_accuracy:a::order",
        "tool_call_accuracy:a::order:strict",
    ]


def test_a_crashed_run_and_a_plain_text_could_not_be_scored() -> None:
    assert scorers.tool_call_accuracy("a").score(run("a", error="boom")).comment == "the run crashed: boom"
    assert scorers.tool_call_accuracy("a").score("text").score is None
