"""A conversation of several turns, each scored by its own expectation."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks, scorers, to_trajectory


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def calls(name: str, call_id: str, **args: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(args)}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call_id, "content": f"{name} ran"},
    ]


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


TALK = [
    asks("Find flights to Oslo"),
    *calls("search", "1", to="Oslo"),
    says("Two found."),
    asks("Book the first"),
    *calls("book", "2", number=1),
    says("Booked."),
    asks("Thanks"),
    says("You are welcome."),
]
TURNS = [[{"name": "search", "args": {"to": "Oslo"}}], [{"name": "book", "args": {"number": 1}}], []]


def test_each_turn_is_scored_by_its_own_expectation() -> None:
    score = scorers.per_turn(scorers.tool_calls_match()).score(TALK, {"turns": TURNS})
    assert (score.score, score.comment) == (1.0, "mean 1 of 3 turns, each 1")
    assert [item["score"] for item in score.details["scores"]] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("fold", "value"), [("mean", 2 / 3), ("all", 0.0), ("min", 0.0)])
def test_it_says_which_turn_failed(fold: str, value: float) -> None:
    wrong = [TURNS[0], [{"name": "book", "args": {"number": 2}}], TURNS[2]]
    score = scorers.per_turn(scorers.tool_calls_match(), wrong, fold).score(TALK)
    assert score.score == pytest.approx(value)
    assert score.details["failed"] == [2]
    assert "turn 2: 0, wrong arguments: book with number=1 where 2 was expected" in score.comment


def test_texts_belong_to_their_turn() -> None:
    assert scorers.per_turn(checks.equals(), ["Two found.", "Booked.", "x"]).score(TALK).details["failed"] == [3]
    expected = [{"expected_output": "Two found."}, {"expected_output": "Booked."}, {"expected_output": "You are welcome."}]
    assert scorers.per_turn(checks.equals(), expected).score(TALK).score == 1.0
    assert scorers.per_turn(checks.includes("Booked"), fold="min").score(TALK).details["failed"] == [1, 3]


def test_a_turn_read_from_a_trajectory_is_the_turn_read_from_its_messages() -> None:
    whole = to_trajectory(TALK)
    for turn in range(3):
        mine, read = to_trajectory(whole, turns=turn), to_trajectory(TALK, turns=turn)
        assert (mine.input, mine.texts, mine.invocations) == (read.input, read.texts, read.invocations)
    assert to_trajectory(whole, turns=-1).texts == ("You are welcome.",)
    with pytest.raises(ValueError, match=r"expected a turn 3 \(turns=\), found 3 in all"):
        to_trajectory(whole, turns=3)


def test_a_stored_conversation_keeps_its_turns() -> None:
    whole = to_trajectory(TALK)
    again = to_trajectory(json.loads(json.dumps(whole.to_dict())))
    assert again.turns == whole.turns
    assert scorers.per_turn(scorers.tool_calls_match(), TURNS).score(again).score == 1.0


def test_what_the_run_was_given_is_no_turn_of_it() -> None:
    last = to_trajectory(TALK, inputs={"messages": TALK[:5]})
    assert [(turn.index, last.messages[turn.start]) for turn in last.turns] == [(1, ("assistant", "")), (2, ("user", "Thanks"))]
    check, given = scorers.per_turn(scorers.tool_calls_match()), {"messages": TALK[:5]}
    assert check(outputs=TALK, inputs=given, reference_outputs={"turns": TURNS[1:]})["score"] == 1.0


@pytest.mark.parametrize(
    ("expected", "value", "comment"),
    [
        pytest.param(TURNS[:2], 2 / 3, "2 expected; mean 0.667 of 3 turns: turn 3: 0, no such turn is expected", id="fewer"),
        pytest.param([*TURNS, []], 3 / 4, "4 expected; mean 0.75 of 4 turns: turn 4: 0, a turn is expected and was not made", id="more"),
    ],
)
def test_another_number_of_turns_is_a_score_and_a_reason(expected: list[Any], value: float, comment: str) -> None:
    score = scorers.per_turn(scorers.tool_calls_match(), expected).score(TALK)
    assert score.score == pytest.approx(value)
    assert score.comment == f"3 turns made, {comment}"


def test_the_turns_of_a_reference_run_are_what_is_expected_of_each() -> None:
    check = scorers.per_turn(scorers.tool_calls_match())
    assert check.score(TALK, {"messages": TALK}).score == 1.0
    swapped = [*TALK[:1], *TALK[5:7], *TALK[3:5], *TALK[1:3], *TALK[7:]]
    assert check.score(TALK, {"messages": swapped}).score == pytest.approx(1 / 3)


def test_a_turn_of_which_nothing_is_said_is_left_out() -> None:
    score = scorers.per_turn(scorers.tool_calls_match(), [None, TURNS[1], None]).score(TALK)
    assert (score.score, score.comment) == (1.0, "mean 1 of 1 turn, each 1")
    assert scorers.per_turn(scorers.tool_calls_match(), [None] * 3).score(TALK).status == "not_applicable"


def test_a_turn_that_could_not_be_scored_leaves_the_whole_open_unless_another_decides_it() -> None:
    broken = [TURNS[0], {"tool_calls": 3}, TURNS[2]]
    open_score = scorers.per_turn(scorers.tool_calls_match(), broken, "all").score(TALK)
    assert open_score.status == "could_not_score"
    assert open_score.comment.startswith("turn 2 of 3 could not be scored: reference 'tool_calls'")
    decided = scorers.per_turn(scorers.tool_calls_match(), [*broken[:2], TURNS[0]], "all").score(TALK)
    assert (decided.score, decided.details["failed"]) == (0.0, [2, 3])


def test_without_an_expectation_it_says_where_to_put_one() -> None:
    score = scorers.per_turn(scorers.tool_calls_match()).score(TALK, {"expected_tool": "search"})
    assert score.score is None
    assert score.comment.endswith("per turn: give references=, or 'turns' in reference_outputs")
    assert scorers.per_turn(scorers.tool_calls_match()).score(TALK, {"turns": 3}).comment.startswith("reference 'turns' must be a list")


def test_a_record_that_does_not_tell_texts_by_turns_is_scored_by_calls_alone() -> None:
    told = Trajectory(texts=("a", "b"), invocations=(ToolInvocation("search"), ToolInvocation("book", turn=1)))
    assert scorers.per_turn(checks.called_tool("search")).score(told).details["failed"] == [2]
    assert scorers.per_turn(checks.includes("a")).score(told).comment == "this record does not say which turn a text belongs to"


def test_a_run_of_one_turn_is_its_own_turn() -> None:
    assert scorers.per_turn(checks.includes("Two")).score(TALK[:4]).score == 1.0
    assert scorers.per_turn(checks.includes("Two")).score(Trajectory(texts=("Two",))).score == 1.0
    assert scorers.per_turn(checks.includes("Two")).score(Trajectory()).score == 0.0


def test_a_crash_is_the_last_turn_s() -> None:
    crashed = Trajectory(invocations=(ToolInvocation("a", status="error"), ToolInvocation("b", turn=1)), error="boom")
    assert scorers.per_turn(checks.called_tool("a")).score(crashed).comment == "the run crashed: boom"
    quiet = scorers.per_turn(checks.no_tool_errors(), fold="min").score(crashed)
    assert (quiet.score, quiet.details["failed"]) == (0.0, [1, 2])
    assert scorers.per_turn(checks.did_not_call("c")).score(crashed).score is None


def test_an_absurd_turn_number_costs_nothing() -> None:
    run = Trajectory(invocations=(ToolInvocation("a", turn=-3), ToolInvocation("a", turn=10**12)))
    assert scorers.per_turn(checks.called_tool("a")).score(run).details["turns"] == 2


def test_it_has_a_key_of_its_own_and_pickles() -> None:
    made = [
        scorers.per_turn(checks.called_tool("a")),
        scorers.per_turn(checks.called_tool("a"), fold="min"),
        scorers.per_turn(checks.called_tool(), [{"expected_tool": "a"}]),
        scorers.per_turn(checks.called_tool(), [{"expected_tool": "b"}]),
    ]
    assert made[0].key == "per_turn:called_tool:a"
    assert len({each.key for each in made}) == 4
    for each in made:
        assert pickle.loads(pickle.dumps(each)).score(TALK) == each.score(TALK)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((len,), "evaluator must be a check or a scorer"),
        ((checks.no_tool_errors(), "ab"), "references must be a list"),
        ((checks.no_tool_errors(), None, "sum"), "fold must be one of"),
    ],
)
def test_a_setting_that_is_none_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        scorers.per_turn(*arguments)
