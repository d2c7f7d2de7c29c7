from __future__ import annotations

import pickle
from typing import Any

import pytest

from toolcall_evals import SettingError, Tool, ToolInvocation, Trajectory, checks, expect


def run(*calls: tuple[str, Any], **fields: Any) -> Trajectory:
    return Trajectory(invocations=tuple(ToolInvocation(name, args, status="success") for name, args in calls), **fields)


BOOKED = run(("search", {"q": "cats", "n": 3}), ("book", {"to": "Oslo", "seats": [1, 2]}), ("book", {"to": "Rome"}))


@pytest.mark.parametrize(
    ("args", "rule", "passes"),
    [
        pytest.param({"to": "Rome"}, "exact", True, id="any call of the tool will do"),
        pytest.param({"to": "Oslo"}, "exact", False, id="one argument more"),
        pytest.param({"to": "Oslo"}, "superset", True, id="one argument more, allowed"),
        pytest.param({"to": "Rome", "class": "first"}, "subset", True, id="one argument fewer, allowed"),
        pytest.param({"to": " rome"}, "loose", True, id="case and space"),
        pytest.param({"to": expect.regex("^Os"), "seats": expect.any_value()}, "exact", True, id="matchers"),
        pytest.param({"to": {"$expect": "one_of", "values": ["Rome", "Bern"]}}, "exact", True, id="matchers as data"),
        pytest.param({"to": "Bern"}, "ignore", True, id="ignored"),
        pytest.param({"seats": expect.unordered_list(2, 1)}, "superset", True, id="a list in any order"),
        pytest.param(None, "exact", False, id="no arguments"),
    ],
)
def test_some_call_has_these_arguments(args: Any, rule: str, passes: bool) -> None:
    assert checks.called_with("book", args, rule=rule).score(BOOKED).score == passes


def test_the_comment_says_what_the_nearest_call_has_instead() -> None:
    score = checks.called_with("book", {"to": "Oslo", "seats": [1, 3]}).score(BOOKED)
    assert score.score == 0.0
    assert score.comment == (
        "book(to='Oslo', seats=[1, 3]) was called 0 times, expected at least 1; book was called 2 times; "
        "wrong arguments: book with seats[1]=2 where 3 was expected"
    )
    assert score.details["diff"]["wrong_arguments"][0]["path"] == "seats[1]"


def test_it_may_be_asked_for_more_than_once() -> None:
    twice = run(("poll", {"id": 1}), ("poll", {"id": 1}), ("poll", {"id": 2}))
    assert [checks.called_with("poll", {"id": 1}, times).score(twice).score for times in (1, 2, 3)] == [1.0, 1.0, 0.0]


def test_one_rule_of_equality() -> None:
    made = run(("pay", {"amount": 1, "urgent": True, "note": None}))
    args = {"amount": 1.0, "urgent": True, "note": None}
    assert checks.called_with("pay", args).score(made).score == 1.0
    assert checks.called_with("pay", {**args, "amount": "1"}).score(made).score == 0.0
    assert checks.called_with("pay", {**args, "urgent": 1}).score(made).score == 0.0
    assert checks.called_with("pay", {"amount": 1, "urgent": True}).score(made).score == 0.0


def test_an_omitted_argument_equals_its_default() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "default": 10}}}
    made = run(("search", {"q": "a"}), available_tools=(Tool("search", None, schema),))
    assert checks.called_with("search", {"q": "a", "limit": 10}).score(made).score == 1.0
    assert checks.called_with("search", {"q": "a", "limit": 11}).score(made).score == 0.0


@pytest.mark.parametrize(
    ("check", "reference", "score"),
    [
        pytest.param(
            checks.called_with("search"), [{"name": "search", "args": {"q": "cats", "n": 3}}, {"name": "book"}], 1.0, id="of the tool"
        ),
        pytest.param(checks.called_with(), {"tool_calls": [{"name": "book", "args": {"to": "Rome"}}]}, 1.0, id="the only call"),
        pytest.param(checks.called_with(), {"tool_calls": [{"name": "book", "args": {"to": "Bern"}}]}, 0.0, id="the only call, not made"),
        pytest.param(checks.called_with("book"), [{"name": "book"}, {"name": "book"}], None, id="two calls"),
        pytest.param(checks.called_with(), {"expected_tool": "book"}, None, id="no arguments stated"),
        pytest.param(checks.called_with(), None, None, id="no reference"),
    ],
)
def test_the_arguments_may_come_per_example(check: Any, reference: Any, score: float | None) -> None:
    assert check.score(BOOKED, reference).score == score


def test_arguments_that_cannot_be_compared_could_not_be_scored() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise TypeError("no")

        __hash__ = None  # type: ignore[assignment]  # as numpy's arrays

    score = checks.called_with("a", {"x": {"y": 1}}).score(run(("a", {"x": {"y": Odd()}})))
    assert score.score is not None or "x" in score.comment
    raising = checks.called_with("a", {"x": expect.satisfies(lambda value: value.missing)}).score(run(("a", {"x": 1})))
    assert raising.status == "could_not_score"
    assert "argument x of the call a cannot be compared" in raising.comment


def test_it_has_a_key_of_its_own_and_pickles() -> None:
    made = [checks.called_with("a", {"x": 1}), checks.called_with("a", {"x": 2}), checks.called_with("a"), checks.called_with()]
    assert len({check.key for check in made}) == 4
    for check in made:
        assert pickle.loads(pickle.dumps(check)).key == check.key


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "name must be a non-empty text"),
        ({"args": {"q": 1}}, "name must be the tool that the arguments are of"),
        ({"name": "a", "args": {}, "rule": "fuzzy"}, "rule must be one of"),
        ({"name": "a", "args": {}, "times": 0}, "times must be a whole number of at least 1"),
        ({"name": "a", "args": {"x": {"$expect": "fuzzy"}}}, r"args\.x"),
    ],
)
def test_a_setting_that_is_none_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        checks.called_with(**arguments)
