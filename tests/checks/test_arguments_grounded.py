from __future__ import annotations

import json
import time
from typing import Any

import pytest

from toolcall_evals import SettingError, Tool, ToolInvocation, Trajectory, checks, to_trajectory
from toolcall_evals.checks._grounds import folded, number_in


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(name: str, result: str, text: str = "", **args: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(args)}
    return [
        {"role": "assistant", "content": text, "tool_calls": [{"id": name, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": name, "content": result},
    ]


def ungrounded(messages: Any, **settings: Any) -> list[str]:
    return [item["path"] for item in checks.arguments_grounded(**settings).score(messages).details["ungrounded"]]


@pytest.mark.parametrize(
    ("said", "value", "grounded"),
    [
        pytest.param("Weather in Brooklyn?", "Brooklyn", True, id="a text"),
        pytest.param("weather in  new\nyork", "New York", True, id="case and white space"),
        pytest.param("the ﬁle “notes”", 'file "notes"', True, id="NFKC and quotes"),
        pytest.param("Weather in Brooklyn?", "Queens", False, id="an invented text"),
        pytest.param("a party", "art", False, id="a part of a word"),
        pytest.param("我要去东京旅行", "东京", True, id="a script without spaces"),
        pytest.param("send it to a.b@example.com.", "a.b@example.com", True, id="an address"),
        pytest.param("about 1,000 of them", 1000, True, id="grouped"),
        pytest.param("about 1 000 of them", 1000.0, True, id="grouped by spaces"),
        pytest.param("about 1000.0 of them", 1000, True, id="with decimals"),
        pytest.param("about 1e3 of them", 1000, True, id="an exponent"),
        pytest.param("it costs 12,50 in all", 12.5, True, id="a decimal comma"),
        pytest.param("at -73.9 degrees", -73.9, True, id="negative"),
        pytest.param("in the range 30-50", 50, True, id="a range is not negative"),
        pytest.param("half, 50%", 0.5, True, id="a share in percent"),
        pytest.param("order #A12345", 12345, True, id="digits of an id"),
        pytest.param("about 1,000 of them", "1000", True, id="numeric text"),
        pytest.param("about 1,000 of them", 1001, False, id="another number"),
        pytest.param("about 1,000 of them", 100, False, id="a part of a number"),
        pytest.param("on 2024-05-01", "2024-05-01", True, id="a date is a text"),
        pytest.param("on 1 May 2024", "2024-05-01", False, id="a date written otherwise"),
        pytest.param("please", True, True, id="a truth value is not judged"),
        pytest.param("please", None, True, id="nothing is not judged"),
        pytest.param("please", 7, True, id="one digit is not judged"),
        pytest.param("please", 0.7, False, id="a fraction is"),
        pytest.param("please", "x", True, id="one character is not judged"),
        pytest.param("please", "", True, id="an empty text is not judged"),
        pytest.param("please", float("inf"), False, id="no finite number"),
    ],
)
def test_a_value_occurs_in_what_was_said(said: str, value: Any, grounded: bool) -> None:
    run = Trajectory(said, (("user", said), ("assistant", "")), invocations=(ToolInvocation("t", {"v": value}, message_index=1),))
    score = checks.arguments_grounded().score(run)
    assert score.score == grounded
    assert [item["path"] for item in score.details["ungrounded"]] == ([] if grounded else ["v"])


def test_an_earlier_result_is_a_ground_and_a_later_one_is_none() -> None:
    first, then = calls("find", '{"id": "R\\u00fc-77"}', q="cats"), calls("open", "done", id="Rü-77")
    assert ungrounded([asks("cats"), *first, *then]) == []
    assert ungrounded([asks("cats"), *then, *first]) == ["id"]


def test_a_call_of_the_same_message_gives_no_ground() -> None:
    both = {**calls("find", "", q="cats")[0]}
    both["tool_calls"] = [*both["tool_calls"], *calls("open", "", id="R-77")[0]["tool_calls"]]
    messages = [
        asks("cats"),
        both,
        {"role": "tool", "tool_call_id": "find", "content": "R-77"},
        {"role": "tool", "tool_call_id": "open", "content": ""},
    ]
    assert ungrounded(messages) == ["id"]


def test_the_assistant_s_own_words_ground_a_value_once_the_user_has_answered() -> None:
    offered = [asks("a flight"), says("UA123 at noon?"), asks("yes"), *calls("book", "ok", flight="UA123")]
    assert ungrounded(offered) == []
    alone = [asks("a flight"), says("I will take UA123."), *calls("book", "ok", "UA123 it is", flight="UA123")]
    assert ungrounded(alone) == ["flight"]
    assert ungrounded(alone, own_words=True) == []


def test_what_does_not_occur_is_listed_with_its_path() -> None:
    args: dict[str, Any] = {"trip": {"to": "Oslo", "stops": ["Rome", "Bern"]}}
    score = checks.arguments_grounded().score([asks("to Oslo by Bern"), *calls("book", "ok", **args)])
    assert (
        score.comment
        == "1 of 3 argument values in 1 call occurred nowhere before: call 1 of 1, book (id book, message 1): trip.stops[0]='Rome'"
    )
    assert score.details["ungrounded"] == [{"index": 0, "name": "book", "id": "book", "path": "trip.stops[0]", "value": "Rome"}]


def test_values_that_the_schema_states_need_no_other_ground() -> None:
    unit = {"enum": ["celsius", "fahrenheit"]}
    schema = {"properties": {"unit": unit, "days": {"default": 14}, "deep": {"properties": {"mode": {"const": "fast"}}}}}
    messages = [asks("weather"), *calls("weather", "ok", unit="celsius", days=14, deep={"mode": "fast"}, city="Oslo")]
    assert ungrounded(messages) == ["unit", "days", "deep.mode", "city"]
    assert ungrounded(messages, available=[Tool("weather", None, schema)]) == ["city"]


def test_some_arguments_may_be_the_model_s_own() -> None:
    messages = [asks("tell Ann"), *calls("mail", "ok", to="Bob", body="Dear all")]
    assert ungrounded(messages) == ["to", "body"]
    assert ungrounded(messages, ignore=["body"]) == ["to"]
    assert ungrounded(messages, ignore=["mail.body", "mail.to"]) == []
    assert ungrounded(messages, ignore=["other.body"]) == ["to", "body"]


def test_texts_may_be_judged_by_their_words() -> None:
    messages = [asks("What is the weather like in Brooklyn?"), *calls("search", "ok", q="brooklyn weather", r="brooklyn storms")]
    assert ungrounded(messages) == ["q", "r"]
    assert ungrounded(messages, texts="words") == ["r"]


def test_the_arguments_of_the_call_inside_which_it_was_made_are_a_ground() -> None:
    parent = ToolInvocation("delegate", {"task": "look up Oslo"}, id="p", status="success")
    run = Trajectory(
        "weather in Oslo", (("user", "x"),), invocations=(parent, ToolInvocation("search", {"q": "look up Oslo"}, parent_id="p"))
    )
    assert ungrounded(run) == ["task"]


def test_an_invented_result_is_no_ground() -> None:
    made = (ToolInvocation("find", status="hallucinated", result="R-77"), ToolInvocation("open", {"id": "R-77"}))
    assert ungrounded(Trajectory("open it", invocations=made)) == ["id"]


def test_what_was_said_before_the_run_s_own_part_is_a_ground() -> None:
    messages = [asks("I live in Oslo"), says("Noted."), asks("weather?"), *calls("weather", "ok", city="Oslo")]
    assert ungrounded(to_trajectory(messages, inputs={"messages": messages[:3]})) == []
    assert ungrounded(to_trajectory(messages, turns="last")) == []


def test_a_record_without_a_conversation_could_not_be_scored() -> None:
    check = checks.arguments_grounded()
    assert check.score(Trajectory(invocations=(ToolInvocation("a", {"x": "Oslo"}),))).status == "could_not_score"
    assert check.score(Trajectory(invocations=(ToolInvocation("a", {"x": True}),))).score == 1.0
    assert check.score(Trajectory()).score == 1.0


def test_a_crashed_run_never_passes() -> None:
    invented = Trajectory("hi", invocations=(ToolInvocation("a", {"x": "Oslo"}),), error="boom")
    assert checks.arguments_grounded().score(invented).score == 0.0
    assert checks.arguments_grounded().score(Trajectory("hi", error="boom")).score is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("1,000", 1000), ("1 000", 1000), ("1000.0", 1000), ("1e3", 1000), ("-2.5", -2.5), ("+3", 3), ("1,5", 1.5)],
        *[("a1", None), ("", None), ("9" * 41, None), ("1e999", None), ("2024-05-01", None)],
    ],
)
def test_a_number_is_read_in_the_ways_in_which_it_is_written(text: str, number: float | None) -> None:
    assert number_in(folded(text)) == number


def test_ten_thousand_calls_take_seconds() -> None:
    made = tuple(ToolInvocation("t", {"id": f"item {n}", "n": n}, status="success", result=f"next item {n + 1}") for n in range(10_000))
    start = time.process_time()
    score = checks.arguments_grounded().score(Trajectory("item 0", invocations=made))
    assert score.score == 1.0
    assert time.process_time() - start < 10


def test_settings_that_are_none_are_refused() -> None:
    for settings, message in (
        ({"ignore": "body"}, "ignore"),
        ({"texts": "some"}, "texts"),
        ({"own_words": 1}, "own_words"),
        ({"available": 3}, "available"),
    ):
        with pytest.raises(SettingError, match=f"{message} must be"):
            checks.arguments_grounded(**settings)
    made = [
        checks.arguments_grounded(**settings)
        for settings in ({}, {"ignore": ["a"]}, {"texts": "words"}, {"own_words": True}, {"available": ["a"]})
    ]
    assert len({check.key for check in made}) == 5


def test_values_that_cannot_be_written_do_not_break_it() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise ValueError("no")

    inside: dict[str, Any] = {"note": "from nowhere"}
    inside["inside"] = inside
    for args, paths in (({"x": Odd()}, []), ({"x": 10**5000}, ["x"]), (inside, ["note"])):
        run = Trajectory("hi", invocations=(ToolInvocation("t", args, status="success", raw_result=args),))
        score = checks.arguments_grounded().score(run)
        assert [item["path"] for item in score.details["ungrounded"]] == paths
        assert "failed" not in score.comment
