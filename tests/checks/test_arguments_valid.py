from __future__ import annotations

import sys
from typing import Any

import pytest

from toolcall_evals import SettingError, Tool, ToolInvocation, Trajectory, checks
from toolcall_evals.checks import _tool_schema

BOOK = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "nights": {"type": "integer", "minimum": 1},
        "guests": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
    },
    "required": ["city"],
}


def run(*calls: ToolInvocation, schema: Any = BOOK, **fields: Any) -> Trajectory:
    tools = None if schema is None else (Tool("book", None, schema),)
    return Trajectory(invocations=calls, available_tools=tools, **fields)


def booked(**args: Any) -> ToolInvocation:
    return ToolInvocation("book", args, id="c1", status="success")


@pytest.mark.parametrize(
    ("args", "path", "rule"),
    [
        pytest.param({"city": "Oslo"}, None, None, id="valid"),
        pytest.param({"city": "Oslo", "nights": 2.0}, None, None, id="2.0 is an integer"),
        pytest.param({"nights": 2}, "", "required", id="a required one missing"),
        pytest.param({"city": 3}, "city", "type", id="another type"),
        pytest.param({"city": "Oslo", "nights": 0}, "nights", "minimum", id="too small"),
        pytest.param({"city": "Oslo", "town": "x"}, "town", "unknown argument", id="an argument that the tool has not"),
        pytest.param({"city": "Oslo", "guests": [{"name": "a"}, {"name": 3}]}, "guests[1].name", "type", id="deep inside"),
        pytest.param({"city": float("nan")}, "city", "type", id="no JSON value"),
        pytest.param({"city": {"a", "b"}}, "city", "type", id="an object of Python's"),
        pytest.param({"city": "\ud800"}, None, None, id="a lone surrogate"),
    ],
)
def test_arguments_are_held_against_the_schema(args: Any, path: str | None, rule: str | None) -> None:
    score = checks.arguments_valid().score(run(booked(**args)))
    assert score.score == (rule is None)
    if rule is not None:
        (fault,) = score.details["invalid"][0]["faults"]
        assert (fault["path"], fault["rule"]) == (path, rule)


def test_an_endless_name_of_an_argument_is_cut_in_the_comment() -> None:
    score = checks.arguments_valid().score(run(booked(city="Oslo", **{"x" * 5000: 1})))
    beginning, _, end = score.comment.partition("x" * 117)
    assert beginning == "1 of 1 call with invalid arguments: call 1 of 1, book (id c1): "
    assert end == "...: the tool has no such argument (unknown argument)"


def test_the_comment_names_call_path_and_rule() -> None:
    score = checks.arguments_valid().score(run(booked(city="Oslo"), booked(city="Oslo", town=1, nights=0)))
    assert score.comment == (
        "1 of 2 calls with invalid arguments: call 2 of 2, book (id c1): nights: 0 is less than the minimum of 1 (minimum), "
        "town: the tool has no such argument (unknown argument)"
    )


@pytest.mark.parametrize(
    ("schema", "passes"),
    [
        pytest.param({"type": "object", "properties": {"city": {}}}, False, id="says nothing"),
        pytest.param({"type": "object", "properties": {"city": {}}, "additionalProperties": True}, True, id="allows others"),
        pytest.param(
            {"type": "object", "properties": {"city": {}}, "additionalProperties": {"type": "integer"}}, True, id="allows integers"
        ),
        pytest.param({"type": "object", "properties": {"city": {}}, "additionalProperties": False}, False, id="refuses others"),
        pytest.param({"type": "object", "properties": {"city": {}}, "patternProperties": {"^to": {}}}, True, id="by a pattern"),
        pytest.param({"type": "object", "properties": {}}, False, id="takes no arguments"),
        pytest.param({"type": "object"}, True, id="takes any object"),
        pytest.param({}, True, id="says nothing at all"),
        pytest.param({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"properties": {"city": {}}}}}, False, id="composed"),
        pytest.param(
            {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"properties": {"city": {}, "town": {}}}}}, True, id="composed, has it"
        ),
        pytest.param({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"city": {}}}, False, id="an older draft"),
    ],
)
def test_an_argument_that_the_schema_does_not_name_is_invalid(schema: Any, passes: bool) -> None:
    assert checks.arguments_valid().score(run(booked(city="Oslo", town=1), schema=schema)).score == passes


def test_unreadable_arguments_and_unknown_tools_are_invalid() -> None:
    cut_off = ToolInvocation("book", None, '{"city": "Os', status="invalid")
    score = checks.arguments_valid().score(run(cut_off, ToolInvocation("fly", {})))
    assert score.score == 0.0
    assert [item["faults"][0]["rule"] for item in score.details["invalid"]] == ["unreadable", "unknown tool"]
    assert checks.arguments_valid().score(run(cut_off, schema=None)).score == 0.0


def test_what_the_framework_refused_as_faulty_is_invalid() -> None:
    score = checks.arguments_valid().score(run(ToolInvocation("book", {"city": "Oslo"}, status="invalid", error="no such hotel")))
    assert score.details["invalid"][0]["faults"] == [
        {"path": "", "rule": "refused", "message": "the framework refused it: 'no such hotel'"}
    ]


def test_the_one_text_of_a_classic_tool_is_its_only_argument() -> None:
    one = {"type": "object", "properties": {"query": {"type": "string", "maxLength": 4}}}
    asked = ToolInvocation("book", None, "Oslo", status="success")
    assert checks.arguments_valid().score(run(asked, schema=one)).score == 1.0
    assert checks.arguments_valid().score(run(ToolInvocation("book", None, "Oslo now", status="success"), schema=one)).score == 0.0
    assert checks.arguments_valid().score(run(asked)).details["invalid"][0]["faults"][0]["rule"] == "unreadable"


def test_without_a_schema_it_could_not_score_unless_a_fault_is_seen() -> None:
    score = checks.arguments_valid().score(run(booked(city="Oslo"), schema=None))
    assert (score.status, score.comment) == (
        "could_not_score",
        "call 1 of 1, book (id c1): the JSON schema of book is not known; give available=",
    )
    assert checks.arguments_valid(["book"]).score(run(booked(city="Oslo"))).score is None
    assert checks.arguments_valid(["book"]).score(run(booked(city="Oslo"), ToolInvocation("fly", {}))).score == 0.0
    assert checks.arguments_valid().score(run(schema=None)).score == 1.0
    assert checks.arguments_valid().score(run(ToolInvocation("book", result="x"))).score is None


def test_schemas_may_be_given_for_each_agent() -> None:
    tools = {
        "one": [{"name": "book", "input_schema": {"properties": {"a": {}}}}],
        "two": [{"name": "book", "input_schema": {"properties": {"b": {}}}}],
    }
    check = checks.arguments_valid(tools)
    assert check.score(run(ToolInvocation("book", {"a": 1}, agent="one"))).score == 1.0
    assert check.score(run(ToolInvocation("book", {"a": 1}, agent="two"))).score == 0.0
    assert check.key != checks.arguments_valid().key


NESTED: dict[str, Any] = {"$defs": {"n": {"type": "object", "properties": {"c": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}
ENDLESS: dict[str, Any] = {"type": "object"}
ENDLESS["properties"] = {"city": ENDLESS}


@pytest.mark.parametrize(
    ("schema", "args", "expected"),
    [
        pytest.param(NESTED, {"c": {"c": {}}}, 1.0, id="recursive"),
        pytest.param(NESTED, {"c": {"c": 3}}, 0.0, id="recursive, broken deep inside"),
        pytest.param({"$ref": "#"}, {"a": 1}, 1.0, id="refers to itself"),
        pytest.param({"$ref": "http://example.com/schema"}, {"a": 1}, None, id="refers to the network"),
        pytest.param({"$ref": "file:///etc/hostname"}, {"a": 1}, None, id="refers to a file"),
        pytest.param({"$schema": "http://example.com/meta", "properties": {"a": {}}}, {"a": 1}, 1.0, id="a meta-schema that nobody knows"),
        pytest.param({"$ref": "#/$defs/missing"}, {"a": 1}, None, id="refers to nothing"),
        pytest.param({"type": "nonsense"}, {"a": 1}, None, id="an unknown type"),
        pytest.param({"properties": [1]}, {"a": 1}, None, id="no properties"),
        pytest.param({"properties": {"a": {"pattern": "("}}}, {"a": "x"}, None, id="a broken pattern"),
        pytest.param(ENDLESS, {"city": {}}, None, id="inside itself"),
    ],
)
def test_no_schema_makes_it_raise_or_fetch(schema: Any, args: Any, expected: float | None) -> None:
    score = checks.arguments_valid().score(run(ToolInvocation("book", args), schema=schema))
    assert score.score == expected
    if expected is None:
        assert "the schema is none that can be used" in score.comment


def test_arguments_that_lie_inside_themselves_do_not_break_it() -> None:
    args: dict[str, Any] = {"city": "Oslo"}
    args["guests"] = [args, args]
    score = checks.arguments_valid().score(run(ToolInvocation("book", args)))
    assert score.score == 0.0
    assert score.details["invalid"][0]["faults"][0]["path"] == "guests[0]"


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    _tool_schema._validator.cache_clear()
    score = checks.arguments_valid().score(run(booked(city="Oslo")))
    assert score.comment.endswith("install the extra: toolcall-evals[schema]")
    assert checks.arguments_valid().score(run(booked(city="Oslo"), ToolInvocation("fly"))).score == 0.0


def test_settings_that_are_none_are_refused() -> None:
    with pytest.raises(SettingError, match="available must be"):
        checks.arguments_valid("book")
