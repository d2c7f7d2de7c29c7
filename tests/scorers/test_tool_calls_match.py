from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from toolcall_evals import SettingError, Tool, ToolInvocation, Trajectory
from toolcall_evals.expect import (
    any_of,
    any_value,
    at_least,
    at_most,
    before,
    call,
    exactly,
    near,
    never,
    nothing,
    number,
    one_of,
    optional,
    parallel,
    regex,
    satisfies,
    sequence,
    to_json,
    unordered,
    unordered_list,
)
from toolcall_evals.scorers import tool_calls_match

ORDERS = ["strict", "in_order", "unordered", "superset", "subset"]


def called(name: str, status: Any = "success", **args: Any) -> ToolInvocation:
    return ToolInvocation(name, args=args, status=status)


def run(*calls: ToolInvocation | str, **facts: Any) -> Trajectory:
    return Trajectory(invocations=tuple([called(each) if isinstance(each, str) else each for each in calls]), **facts)


@pytest.mark.parametrize(
    ("expected", "calls", "passing"),
    [
        pytest.param([], [], ORDERS, id="nothing expected, nothing called"),
        pytest.param([], ["a"], ["in_order", "superset"], id="nothing expected, something called"),
        pytest.param(["a"], [], ["subset"], id="something expected, nothing called"),
        pytest.param(["a", "b"], ["a", "b"], ORDERS, id="equal"),
        pytest.param(["a", "b"], ["b", "a"], ["unordered", "superset", "subset"], id="in another order"),
        pytest.param(["a", "b"], ["a", "x", "b"], ["in_order", "superset"], id="another in between"),
        pytest.param(["a", "b"], ["b", "x", "a"], ["superset"], id="in another order with another in between"),
        pytest.param(["a", "b"], ["b"], ["subset"], id="one missing"),
        pytest.param(["a", "a"], ["a"], ["subset"], id="one of two equal ones missing"),
        pytest.param(["a"], ["a", "a"], ["in_order", "superset"], id="once too often"),
        pytest.param(["a", "b", "a"], ["a", "a", "b"], ["unordered", "superset", "subset"], id="no subsequence"),
        pytest.param(["a", "b"], ["b", "a", "b"], ["in_order", "superset"], id="the first occurrence is too early"),
        pytest.param(["a", "b"], ["a", "c"], [], id="another instead"),
    ],
)
def test_each_order_decides_what_may_differ(expected: list[str], calls: list[str], passing: list[str]) -> None:
    assert [order for order in ORDERS if tool_calls_match(expected, order=order).score(run(*calls)).score == 1.0] == passing


@pytest.mark.parametrize(
    ("args", "expected", "actual", "fits"),
    [
        pytest.param("exact", {"x": 1}, {"x": 1.0}, True, id="exact: 1 equals 1.0"),
        pytest.param("exact", {"x": 1}, {"x": True}, False, id="exact: True is not 1"),
        pytest.param("exact", {"x": 1}, {"x": "1"}, False, id="exact: a text is no number"),
        pytest.param("exact", {"x": None}, {}, False, id="exact: None is not absent"),
        pytest.param("exact", {"x": "é"}, {"x": "e\u0301"}, True, id="exact: Unicode"),
        pytest.param("exact", {"x": 2, "y": 1}, {"y": 1, "x": 2}, True, id="exact: key order"),
        pytest.param("exact", {"x": 1}, {"x": 1, "y": 2}, False, id="exact: one more"),
        pytest.param("superset", {"x": 1}, {"x": 1, "y": 2}, True, id="superset: one more"),
        pytest.param("superset", {"x": 1}, {"y": 2}, False, id="superset: one missing"),
        pytest.param("superset", {"f": {"x": 1}}, {"f": {"x": 1, "y": 2}}, False, id="superset: not inside a value"),
        pytest.param("partial", {"f": {"x": 1}}, {"f": {"x": 1, "y": 2}, "z": 0}, True, id="partial: inside a value too"),
        pytest.param("subset", {"x": 1, "y": 2}, {"x": 1}, True, id="subset: one missing"),
        pytest.param("subset", {"x": 1}, {"x": 1, "y": 2}, False, id="subset: one more"),
        pytest.param("ignore", {"x": 1}, {"y": 2}, True, id="ignore"),
        pytest.param("loose", {"n": 5, "s": "New York"}, {"n": "5", "s": "new  york"}, True, id="loose"),
        pytest.param("loose", {"n": 5}, {"n": "5", "m": 1}, False, id="loose: one more"),
        pytest.param({"t": "ignore"}, {"x": 1}, {}, True, id="a rule for the tool"),
        pytest.param({"other": "ignore"}, {"x": 1}, {}, False, id="a rule for another tool"),
        pytest.param({"*": "superset", "t": "exact"}, {"x": 1}, {"x": 1, "y": 1}, False, id="the tool's own rule before the general one"),
        pytest.param({"t": {"id": "ignore"}}, {"id": "1", "x": 1}, {"id": "2", "x": 1}, True, id="one argument ignored"),
        pytest.param({"t": {"id": "ignore"}}, {"x": 1}, {"id": "2", "x": 1}, True, id="ignored though not expected"),
        pytest.param({"t": {"id": "ignore"}}, {"id": "1", "x": 1}, {"id": "1", "x": 2}, False, id="the others as ever"),
        pytest.param({"t": {"*": "superset", "s": "loose"}}, {"s": "A", "n": 1}, {"s": "a", "n": 1, "z": 0}, True, id="both"),
        pytest.param({"t": {"x": near(rel=0.1)}}, {"x": 100}, {"x": 109}, True, id="near a number"),
        pytest.param({"t": {"x": near(rel=0.1)}}, {"x": 100}, {"x": 111}, False, id="too far"),
        pytest.param({"t": {"x": near(threshold=0.8)}}, {"x": "weather Oslo"}, {"x": "the weather Oslo"}, True, id="near a text"),
        pytest.param({"t": {"x": "unordered_list"}}, {"x": [1, 2]}, {"x": [2, 1]}, True, id="a list in any order"),
        pytest.param({"t": {"x": "any_value"}}, {"x": 1}, {}, False, id="any value, but given"),
        pytest.param({"t": {"x": regex("^O")}}, {"x": "?"}, {"x": "Oslo"}, True, id="a matcher instead of the value"),
        pytest.param("exact", {"x": unordered_list(1, 2), "y": any_value()}, {"x": [2, 1], "y": 0}, True, id="matchers as values"),
        pytest.param("exact", {"f": {"x": number(1, abs=1)}}, {"f": {"x": 2}}, True, id="a matcher deep inside"),
        pytest.param("exact", None, {}, True, id="no arguments"),
        pytest.param("exact", None, {"x": 1}, False, id="no arguments, but one"),
        pytest.param("exact", {"q": {"$expect": "regex", "pattern": "^c"}}, {"q": "cats"}, True, id="a matcher as data"),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_each_rule_decides_which_arguments_fit(args: Any, expected: Any, actual: Any, fits: bool, order: str) -> None:
    score = tool_calls_match([{"name": "t", "args": expected}], order=order, args=args).score(run(called("t", **actual)))
    assert score.score == float(fits), score.comment
    assert (score.details["diff"]["wrong_arguments"] == []) is fits


@pytest.mark.parametrize(
    ("expected", "raw", "fits"),
    [
        pytest.param("Oslo", "Oslo", True, id="a plain text"),
        pytest.param([1, 2], "[1, 2]", True, id="a list as JSON"),
        pytest.param(True, "True", True, id="a Python literal"),
        pytest.param({"value": "Oslo"}, "Oslo", True, id="wrapped as some runtimes do"),
        pytest.param({"city": "Oslo"}, '{"city": "Oslo"', False, id="unreadable arguments are not the expected ones"),
        pytest.param({}, None, False, id="unknown arguments are not none"),
        pytest.param(None, None, True, id="no arguments on either side"),
    ],
)
def test_arguments_that_are_no_object_are_compared_as_they_are(expected: Any, raw: str | None, fits: bool) -> None:
    trajectory = run(ToolInvocation("t", raw_args=raw, status="invalid"))
    assert tool_calls_match([{"name": "t", "args": expected}]).score(trajectory).score == float(fits)


@pytest.mark.parametrize(
    ("expectation", "calls", "in_order", "strict"),
    [
        pytest.param(sequence("a", parallel("b", "c"), "d"), "acbd", True, True, id="a group inside a sequence"),
        pytest.param(sequence("a", parallel("b", "c"), "d"), "abdc", False, False, id="a group's call too late"),
        pytest.param(sequence("a", optional("b"), "c"), "ac", True, True, id="an optional call is absent"),
        pytest.param(sequence("a", optional("b"), "c"), "abc", True, True, id="an optional call is there"),
        pytest.param(sequence("a", optional("b"), "c"), "acb", True, False, id="an optional call in the wrong place is unexpected"),
        pytest.param(sequence(one_of("a", "b"), "c"), "bc", True, True, id="one of two calls"),
        pytest.param(sequence(one_of("a", "b"), "c"), "abc", True, False, id="both of them"),
        pytest.param(any_of(sequence("a", "b"), sequence("c", "d")), "cd", True, True, id="any of two trajectories"),
        pytest.param(any_of(sequence("a", "b"), sequence("c", "d")), "ad", False, False, id="half of each"),
        pytest.param(any_of(sequence("a", "b", "c"), "b"), "b", True, True, id="the trajectory that fits is found"),
        pytest.param(sequence(at_least(2, "a"), "b"), "aaab", True, True, id="more than at least"),
        pytest.param(sequence(at_least(2, "a"), "b"), "ab", False, False, id="less than at least"),
        pytest.param(unordered(at_most(2, "a"), "b"), "aba", True, True, id="at most"),
        pytest.param(unordered(at_most(2, "a"), "b"), "abaa", False, False, id="once too often"),
        pytest.param(unordered(at_least(1, "a"), at_most(2, "a")), "aa", True, True, id="both bounds"),
        pytest.param(unordered(at_least(1, "a"), at_most(2, "a")), "aaa", False, False, id="above both bounds"),
        pytest.param(exactly(2, "a"), "axa", True, False, id="exactly, others in between"),
        pytest.param(exactly(2, "a"), "aaa", False, False, id="exactly and one more"),
        pytest.param(exactly(2, sequence("a", "b")), "abab", True, True, id="a sequence twice"),
        pytest.param(before("a", "b"), "xab", True, False, id="before"),
        pytest.param(before("a", "b"), "bab", False, False, id="never first"),
        pytest.param(before("a", "b"), "x", True, False, id="before asks for neither"),
        pytest.param(never("x"), "ab", True, False, id="never"),
        pytest.param(sequence("a", never("x")), "axb", False, False, id="never, broken"),
        pytest.param(never(sequence("a", "b")), "axb", False, False, id="never in this order"),
        pytest.param(never(sequence("a", "b"), adjacent=True), "axb", True, False, id="never directly"),
        pytest.param(never(sequence("a", "b")), "ba", True, False, id="the other order"),
        pytest.param(nothing(), "", True, True, id="nothing"),
        pytest.param(nothing(), "a", False, False, id="nothing, broken"),
        pytest.param(unordered(sequence("a", "b"), sequence("c", "d")), "acbd", True, True, id="interleaved sequences"),
        pytest.param(unordered(sequence("a", "b"), sequence("c", "d")), "acdb", True, True, id="interleaved otherwise"),
        pytest.param(unordered(sequence("a", "b"), sequence("c", "d")), "bacd", False, False, id="one turned round"),
    ],
)
def test_a_structure_is_met_in_its_own_order(expectation: Any, calls: str, in_order: bool, strict: bool) -> None:
    trajectory = run(*calls)
    assert tool_calls_match(expectation, order="in_order").score(trajectory).score == float(in_order)
    assert tool_calls_match(expectation, order="strict").score(trajectory).score == float(strict)
    assert tool_calls_match(to_json(expectation), order="strict").score(trajectory).score == float(strict)
    assert tool_calls_match(order="strict").score(trajectory, {"expect": to_json(expectation)}).score == float(strict)


def test_without_order_a_structure_asks_only_for_its_calls() -> None:
    expectation = sequence("a", optional("b"), "c", never("x"))
    assert tool_calls_match(expectation, order="unordered").score(run(*"cba")).score == 1.0
    assert tool_calls_match(expectation, order="superset").score(run(*"cya")).score == 1.0
    assert tool_calls_match(expectation, order="superset").score(run(*"cxa")).score == 0.0
    assert tool_calls_match(expectation, order="subset").score(run("c")).score == 1.0


@pytest.mark.parametrize("order", ORDERS)
def test_a_hallucinated_call_satisfies_nothing_and_is_no_extra(order: str) -> None:
    stated = called("a", "hallucinated", x=1)
    missing = tool_calls_match([{"name": "a", "args": {"x": 1}}], order=order).score(run(stated))
    assert missing.score == float(order == "subset")
    assert "never run" in missing.comment
    assert tool_calls_match(["b"], order=order).score(run(stated, "b")).score == 1.0


def test_handoffs_are_left_out_unless_asked_for() -> None:
    trajectory = run("a", ToolInvocation("transfer_to_b", args={}, kind="handoff"))
    assert tool_calls_match(["a"]).score(trajectory).score == 1.0
    assert tool_calls_match(["a", "transfer_to_b"], kinds="all").score(trajectory).score == 1.0


def test_only_the_calls_of_an_agent_are_looked_at() -> None:
    trajectory = run(ToolInvocation("a", args={}, agent="one"), ToolInvocation("b", args={}, agent="two"))
    assert tool_calls_match(["b"], agent="two").score(trajectory).score == 1.0


def test_an_omitted_argument_equals_the_default_of_the_tool_at_hand() -> None:
    schema = {"properties": {"limit": {"type": "integer", "default": 10}, "q": {"type": "string"}}}
    trajectory = run(called("search", q="x"), available_tools=(Tool("search", parameters=schema),))
    assert tool_calls_match([{"name": "search", "args": {"q": "x", "limit": 10}}]).score(trajectory).score == 1.0
    assert tool_calls_match([{"name": "search", "args": {"q": "x", "limit": 5}}]).score(trajectory).score == 0.0
    assert tool_calls_match([{"name": "search", "args": {"q": "x", "limit": 10}}]).score(run(called("search", q="x"))).score == 0.0


def test_the_diff_says_what_is_missing_extra_moved_and_wrong() -> None:
    expected = ["open", "read", {"name": "pay", "args": {"to": "bob", "amount": 5}}, "close", "log"]
    trajectory = run("close", "open", "read", called("pay", to="eve", amount=5, memo="x"), "delete")
    score = tool_calls_match(expected).score(trajectory)
    assert score.comment == (
        "missing log; wrong arguments: pay with to='eve' where 'bob' was expected, memo='x' which was not expected; "
        "out of order close(); unexpected delete(); 2 of 5 calls matched, one by one in this order"
    )
    diff = score.details["diff"]
    assert [(item["name"], item["index"], item["expected_index"]) for item in diff["matched"]] == [("open", 1, 0), ("read", 2, 1)]
    assert [item["name"] for item in diff["missing"]] == ["log"]
    assert [item["name"] for item in diff["extra"]] == ["delete"]
    assert [(item["name"], item["index"], item["expected_index"]) for item in diff["moved"]] == [("close", 0, 3)]
    assert diff["wrong_arguments"] == [
        {"call": "pay", "index": 3, "expected_index": 2, "path": "to", "expected": "bob", "actual": "eve", "rule": "exact"},
        {
            "call": "pay", "index": 3, "expected_index": 2, "path": "memo", "expected": None, "actual": "x", "rule": "exact",
            "absent": "expected",
        },
    ]  # fmt: skip
    json.dumps(score.details)


def test_the_diff_names_the_rule_and_the_path_that_failed() -> None:
    expected = [call("book", {"to": {"iban": regex("^NO"), "n": [1, 2]}, "at": number(5, abs=1)})]
    score = tool_calls_match(expected, args="superset").score(run(called("book", to={"iban": "SE1", "n": [1, 3]}, at=9)))
    faults = [(fault["path"], fault["expected"], fault["actual"], fault["rule"]) for fault in score.details["diff"]["wrong_arguments"]]
    assert faults == [
        ("to.iban", "regex('^NO')", "SE1", "regex"),
        ("to.n[1]", 2, 3, "superset"),
        ("at", "number(5, abs=1)", 9, "number"),
    ]


def test_a_violation_names_the_statement_and_the_calls() -> None:
    score = tool_calls_match(sequence("a", never("drop"), before("login", "pay")), order="in_order").score(run("a", "pay", "drop"))
    assert score.comment.startswith("never drop: drop(); login before pay: pay(); 1 of 1 call matched")
    assert [broken["statement"] for broken in score.details["diff"]["violations"]] == ["never drop", "login before pay"]


def test_expectations_come_per_example_where_none_are_given() -> None:
    scorer = tool_calls_match()
    trajectory = run(called("a", x=1))
    calls = [{"name": "a", "args": {"x": 1}}]
    messages = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}]},
    ]
    for reference in ({"tool_calls": calls}, calls, {"expect": "a"}, {"messages": messages}, trajectory):
        assert scorer.score(trajectory, reference).score == 1.0, reference
    assert scorer.score(trajectory, {"tool_calls": []}).score == 0.0
    assert scorer.score(trajectory, {"expect": [], "tool_calls": calls}).score == 0.0


@pytest.mark.parametrize(
    ("reference", "named"),
    [
        pytest.param(None, "'expect' or 'tool_calls'", id="none"),
        pytest.param({"expected_output": "x"}, "are not in reference_outputs", id="of something else"),
        pytest.param({"expect": {"version": 9, "expect": "a"}}, "newer than 1", id="a newer version"),
        pytest.param({"tool_calls": [{"nam": "a"}]}, "reference 'tool_calls'", id="no calls"),
        pytest.param({"expect": call("a", inside="b")}, "inside a call", id="inside calls"),
    ],
)
def test_without_a_readable_expectation_it_could_not_score(reference: Any, named: str) -> None:
    score = tool_calls_match().score(run("a"), reference)
    assert (score.score, score.status) == (None, "could_not_score")
    assert named in score.comment


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"order": "any"}, "order must be one of"),
        ({"args": "equal"}, "args must be one of"),
        ({"args": {"t": "equal"}}, r"args\['t'\] must be one of"),
        ({"args": {"t": {"x": "equal"}}}, r"args\['t'\]\['x'\] must be one of"),
        ({"args": {"t": {"*": "any_value"}}}, r"args\['t'\]\['\*'\] must be one of"),
        ({"args": 5}, "args must be one of"),
        ({"expected": 5}, "expected must be"),
        ({"expected": [call("a", inside="b")]}, "inside a call"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        tool_calls_match(**({"expected": ["a"]} | settings))


def refusing(value: Any) -> bool:
    raise KeyError(value)


@pytest.mark.parametrize("order", ORDERS)
def test_a_predicate_that_raises_could_not_score_and_names_call_and_path(order: str) -> None:
    scorer = tool_calls_match([call("a", {"f": {"x": satisfies(refusing)}})], order=order)
    score = scorer.score(run(called("a", f={"x": 1})))
    assert score.status == "could_not_score"
    assert "argument f.x of the call a" in score.comment
    assert "refusing raised KeyError" in score.comment


def test_arguments_without_end_could_not_be_scored() -> None:
    endless: dict[str, Any] = {}
    endless["x"] = endless
    scorer = tool_calls_match([{"name": "a", "args": {"x": {"x": {"x": 1}}}}])
    assert scorer.score(run(ToolInvocation("a", args=endless))).score == 0.0
    loose = tool_calls_match([{"name": "a", "args": {"x": 1}}], args="loose").score(run(ToolInvocation("a", args=endless)))
    assert loose.status == "could_not_score"


def test_two_scorers_of_a_kind_have_keys_of_their_own() -> None:
    scorers = [
        tool_calls_match(["a"]),
        tool_calls_match(["b"]),
        tool_calls_match([{"name": "a", "args": {"x": 1}}]),
        tool_calls_match([{"name": "a", "args": {"x": 2}}]),
        tool_calls_match(["a"], order="subset"),
        tool_calls_match(["a"], args="ignore"),
        tool_calls_match(),
    ]
    assert len({scorer.key for scorer in scorers}) == len(scorers)
    assert tool_calls_match(["a"]).key == "tool_calls_match:a"
    assert repr(scorers[0]) == "tool_calls_match(expected=a, order='strict', args='exact')"


def test_a_scorer_pickles_with_its_expectation() -> None:
    scorer = tool_calls_match(sequence(call("a", {"x": regex("^1")}), optional("b")), args={"a": {"y": near(abs=1)}})
    assert pickle.loads(pickle.dumps(scorer)).score(run(called("a", x="12"))).score == 1.0


def test_the_callers_data_is_not_changed() -> None:
    expected = [{"name": "a", "args": {"x": [1, {"y": 2}]}}]
    trajectory = run(called("a", x=[1, {"y": 3}]))
    before_scoring = json.dumps(expected), repr(trajectory)
    assert tool_calls_match(expected, order="unordered", args="loose").score(trajectory).details["matched"] == 0
    assert (json.dumps(expected), repr(trajectory)) == before_scoring


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_evaluator_pickles_by_every_protocol(protocol: int) -> None:
    check = tool_calls_match([{"name": "x", "args": {"q": 1}}], args={"x": {"q": near(rel=0.1)}})
    copied = pickle.loads(pickle.dumps(check, protocol))
    assert copied.score(Trajectory(invocations=(ToolInvocation("x", args={"q": 1.05}),))).score == 1.0


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


CYCLE: dict[str, Any] = {}
CYCLE["a"] = CYCLE


@pytest.mark.parametrize("value", [CYCLE, nested(1000)], ids=["cycle", "deep"])
def test_arguments_without_end_differ_from_finite_ones_and_are_shown_in_part(value: Any) -> None:
    run = Trajectory(invocations=(ToolInvocation("x", args={"q": value}),))
    score = tool_calls_match([{"name": "x", "args": {"q": 1}}]).score(run)
    assert score.score == 0.0
    assert score.details["diff"]["wrong_arguments"][0]["path"] == "q"
    assert len(score.comment) < 400
    loosely = tool_calls_match([{"name": "x", "args": {"q": 1}}], args="loose").score(run)
    assert (loosely.score, "x" in loosely.comment) == (None, True)
    unread = tool_calls_match().score(Trajectory(), run)
    assert (unread.score, unread.comment[:48]) == (None, "the reference run: the arguments of the call x c")


@pytest.mark.parametrize("call", [ToolInvocation("n" * 9_999, args={}), ToolInvocation("x", args={"k" * 9_999: 1})], ids=["name", "key"])
def test_a_name_of_any_length_is_cut_in_the_comment(call: ToolInvocation) -> None:
    score = tool_calls_match([{"name": "x", "args": {}}]).score(Trajectory(invocations=(call,)))
    assert (score.score, len(score.comment) < 1_000) == (0.0, True)
