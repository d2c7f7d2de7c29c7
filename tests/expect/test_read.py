from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import SettingError, ToolInvocation, Trajectory
from toolcall_evals.expect import (
    any_of,
    any_value,
    at_least,
    at_most,
    before,
    call,
    either,
    exactly,
    json_schema,
    loosely,
    may_be_absent,
    never,
    nothing,
    number,
    one_of,
    optional,
    parallel,
    partial,
    read,
    regex,
    satisfies,
    sequence,
    text_like,
    to_json,
    unordered,
    unordered_list,
    verbatim,
)
from toolcall_evals.expect._schema import _adapter
from toolcall_evals.scorers import tool_calls_match

MATCHERS = st.sampled_from(
    [
        any_value(),
        either("a", regex("b")),
        regex("^a", ignore_case=True),
        number(3, rel=0.1),
        text_like("cats", 0.5),
        unordered_list(1, "b"),
        may_be_absent(number(5)),
        partial({"a": {"b": 1}}),
        loosely("5"),
        verbatim({"$expect": "?"}),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | MATCHERS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(["a", "b", "c", "工具"])
CALLS = st.builds(call, NAMES) | st.builds(
    call,
    NAMES,
    st.none() | st.dictionaries(st.text(max_size=3), VALUES, max_size=2),
    rule=st.none() | st.sampled_from(["exact", "superset", "loose"]),
    success=st.none() | st.booleans(),
    agent=st.none() | st.text(max_size=3),
)
EXPECTATIONS = st.recursive(
    CALLS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: sequence(*parts)),
        st.lists(inner, max_size=3).map(lambda parts: unordered(*parts)),
        st.lists(inner, max_size=3).map(lambda parts: parallel(*parts)),
        inner.map(optional),
        st.lists(CALLS, min_size=1, max_size=3).map(lambda calls: one_of(*calls)),
        st.lists(inner, min_size=1, max_size=3).map(lambda options: any_of(*options)),
        st.builds(at_least, st.integers(1, 3), inner),
        st.builds(at_most, st.integers(1, 3), inner),
        st.builds(exactly, st.integers(1, 3), inner),
        st.builds(call, NAMES, inside=inner),
    ),
    max_leaves=6,
)


@given(EXPECTATIONS)
def test_an_expectation_survives_json_and_meets_its_schema(expectation: Any) -> None:
    written = json.loads(json.dumps(to_json(expectation)))
    assert read(written) == expectation
    assert repr(read(written)) == repr(expectation)
    _adapter().validate_python(written)


@pytest.mark.parametrize(
    "expectation",
    [before("a", call("b", {"x": 1})), never("a"), never(sequence("a", "b"), adjacent=True), nothing(), sequence("a", never("b"))],
    ids=repr,
)
def test_statements_survive_json_too(expectation: Any) -> None:
    written = json.loads(json.dumps(to_json(expectation)))
    assert read(written) == expectation
    _adapter().validate_python(written)


def test_the_json_form_is_plain_to_read_and_versioned() -> None:
    expectation = sequence("search", call("open", {"id": number(7, abs=1)}), exactly(2, "read"), never("delete"))
    assert to_json(expectation) == {
        "version": 1,
        "expect": {
            "type": "sequence",
            "parts": [
                {"type": "call", "name": "search"},
                {"type": "call", "name": "open", "args": {"id": {"$expect": "number", "value": 7, "abs": 1}}},
                {"type": "exactly", "times": 2, "part": {"type": "call", "name": "read"}},
                {"type": "never", "calls": [{"type": "call", "name": "delete"}]},
            ],
        },
    }
    assert json_schema()["properties"]["version"] == {"const": 1, "title": "Version", "type": "integer"}


MESSAGES = [
    {"role": "user", "content": "weather?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo", "f": {"$expect": "x"}}'}},
            {"id": "2", "type": "function", "function": {"name": "note", "arguments": '{"broken'}},
        ],
    },
]


@pytest.mark.parametrize(
    ("plain", "expectation"),
    [
        pytest.param("search", call("search"), id="a tool's name"),
        pytest.param({"name": "a", "args": {"x": 1}}, call("a", {"x": 1}), id="a call"),
        pytest.param({"name": "a"}, call("a"), id="a call without arguments stated takes any"),
        pytest.param({"name": "a", "args": None}, call("a", None), id="null is no arguments"),
        pytest.param({"name": "a", "args": {}, "id": "x", "type": "tool_call"}, call("a", {}), id="other keys play no part"),
        pytest.param({"name": "a", "arguments": '{"x": 1}'}, call("a", {"x": 1}), id="arguments as text"),
        pytest.param({"type": "function", "function": {"name": "a", "arguments": {}}}, call("a", {}), id="an OpenAI call"),
        pytest.param(["a", {"name": "b"}, optional("c")], sequence("a", "b", optional("c")), id="a list, one after the other"),
        pytest.param([], sequence(), id="no call"),
        pytest.param({"type": "unordered", "parts": ["a", "b"]}, unordered("a", "b"), id="names inside the JSON form"),
        pytest.param({"version": 1, "expect": ["a"]}, sequence("a"), id="a document"),
        pytest.param([ToolInvocation("a", args={"$expect": 1})], sequence(call("a", verbatim({"$expect": 1}))), id="recorded calls"),
        pytest.param(Trajectory(invocations=(ToolInvocation("a", raw_args="Oslo"),)), sequence(call("a", "Oslo")), id="a recorded run"),
        pytest.param(
            MESSAGES,
            sequence(call("weather", {"city": "Oslo", "f": verbatim({"$expect": "x"})}), call("note", '{"broken')),
            id="reference messages, arguments taken as they are",
        ),
        pytest.param({"messages": MESSAGES[:1]}, sequence(), id="reference messages without calls"),
    ],
)
def test_plain_data_states_an_expectation(plain: Any, expectation: Any) -> None:
    before_reading = copy.deepcopy(plain)
    assert read(plain) == expectation
    assert plain == before_reading


@pytest.mark.parametrize(
    ("plain", "named"),
    [
        pytest.param(5, r"expect must be an expectation", id="a number"),
        pytest.param({"args": {}}, r"a mapping with 'name'", id="no name"),
        pytest.param({"name": 5}, r"expect.name must be a non-empty text", id="a name that is none"),
        pytest.param(["a", {"name": "b", "params": {"x": 1}}], r"expect\[1\]: a call has no 'params'; name it args", id="misnamed"),
        pytest.param({"type": "call", "name": "a", "arg": 1}, r"no 'arg'", id="a typed call is strict"),
        pytest.param({"type": "seq", "parts": []}, r"'type' as one of", id="an unknown type"),
        pytest.param({"type": "sequence", "part": []}, r"'part' is not one of", id="an unknown key"),
        pytest.param({"type": "sequence", "parts": "ab"}, r"expect.parts must be a list", id="parts that are no list"),
        pytest.param({"type": "sequence", "parts": [{"type": "optional", "part": 3}]}, r"expect.parts\[0\].part must be", id="deep inside"),
        pytest.param({"version": 2, "expect": "a"}, r"expect.version: 2 is newer than 1", id="a newer version"),
        pytest.param({"version": "1", "expect": "a"}, r"expect.version must be a whole number", id="a version that is none"),
        pytest.param([{"name": "a", "args": {"q": {"$expect": "re"}}}], r"expect\[0\].args.q: '\$expect' must be one of", id="a matcher"),
        pytest.param([{"name": "a", "args": {"q": {"$expect": "regex"}}}], r"expect\[0\].args.q.*needs \['pattern'\]", id="half a matcher"),
        pytest.param({"name": "a", "args": {"l": [{"$expect": "regex", "pattern": "("}]}}, r"expect.args.l\[0\]: pattern", id="a pattern"),
        pytest.param([{"name": "a", "rule": "exactly"}], r"rule of the call a must be one of", id="an unknown rule"),
        pytest.param({"type": "sequence", "parts": ["a", {"type": "never", "calls": ["a"]}]}, r"contradicts", id="a contradiction"),
        pytest.param({"type": "exactly", "times": 0, "part": "a"}, r"at least 1, got 0", id="a count"),
        pytest.param({"name": "a", "arguments": "{"}, r"expect.arguments is no JSON", id="arguments that are no JSON"),
    ],
)
def test_plain_data_that_states_none_is_refused_and_pointed_at(plain: Any, named: str) -> None:
    with pytest.raises(SettingError, match=named):
        read(plain)


def test_a_predicate_has_no_json_form() -> None:
    with pytest.raises(SettingError, match="no JSON form"):
        to_json(call("a", {"x": satisfies(bool)}))


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


class Unshown:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


CYCLE: dict[str, Any] = {}
CYCLE["a"] = CYCLE


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        pytest.param("", "expected must be a non-empty text", id="no name"),
        pytest.param([{"name": ""}], r"expected\[0\].name must be a non-empty text", id="an empty name"),
        pytest.param([{"name": "x", "foo": 1}], r"expected\[0\]: a call has no 'foo'", id="an unknown key"),
        pytest.param([{"name": "x", "args": {1, 2}}], r"expected\[0\].args must be a mapping", id="arguments that are a set"),
        pytest.param([{"name": "x", "args": {3: 1}}], r"expected\[0\]: args of the call x must have texts", id="a number as a key"),
        pytest.param([{"name": "x", "args": CYCLE}], "nested in itself", id="a cycle"),
        pytest.param([{"name": "x", "args": nested(1000)}], "100 levels deep", id="a thousand levels"),
        pytest.param([{"name": "x", "args": {"q": Unshown()}}], r"args\['q'\] is a Unshown that cannot be shown", id="no repr"),
        pytest.param([{"name": "x", "args": {"q": 10**5000}}], r"args\['q'\] is a number of more than", id="a number too long"),
        pytest.param(Unshown(), "expected must be an expectation", id="an object without a repr"),
    ],
)
def test_what_cannot_be_expected_is_refused_with_its_place(stated: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        tool_calls_match(stated)
    if isinstance(stated, list):
        score = tool_calls_match().score(Trajectory(), {"tool_calls": stated})
        assert (score.score, score.status) == (None, "could_not_score")


@pytest.mark.parametrize("args", [CYCLE, nested(1000), Unshown(), {"x": Unshown()}, 10**5000], ids=["cycle", "deep", "odd", "in", "int"])
def test_a_rule_that_cannot_be_read_is_refused(args: Any) -> None:
    with pytest.raises(SettingError, match="args cannot be read"):
        tool_calls_match(["x"], args=args)


def test_an_evaluator_shows_itself_without_lone_surrogates() -> None:
    repr(tool_calls_match(["\ud800"])).encode()
