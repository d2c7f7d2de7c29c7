"""What fuzzing found, one test for each kind of fault."""

from __future__ import annotations

import itertools
import json
from collections import deque
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fuzz import hostile, laws
from tests.fuzz.mutate import WORDS

from toolcall_evals import Score, SettingError, ToolInvocation, TraceFormatError, Trajectory, checks, expect, scorers, to_trajectory
from toolcall_evals._json import json_ready
from toolcall_evals.report import Survey, write_report
from toolcall_evals.report._write import _template
from toolcall_evals.results import ResultRow, ResultsError, read_results

USER = {"role": "user", "content": "hi"}
HOSTILE = {make.__name__: make for make in hostile.OBJECTS if isinstance(make, type) and make.__module__ == hostile.__name__}
LONG = "x" * 100_000


def call(value: Any) -> ToolInvocation:
    return ToolInvocation("f", {"x": value}, status="success", raw_result=value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(ToolInvocation("f", {"x": LONG, "y": [LONG] * 1_000}, result=LONG), id="a call"),
        pytest.param(Trajectory(LONG, texts=(LONG,) * 1_000, invocations=(call(LONG),) * 1_000), id="a trajectory"),
        pytest.param(Score("k", 1.0, comment=LONG, details={str(number): LONG for number in range(1_000)}), id="a score"),
        pytest.param(ToolInvocation("f", {"x": 10**5_000}), id="a number too long to write"),
        *(pytest.param(ToolInvocation("f", {"x": make()}), id=name) for name, make in HOSTILE.items()),
    ],
)
def test_a_repr_is_bounded_and_never_fails(value: Any) -> None:
    assert len(repr(value)) <= 2_000


def test_a_repr_shows_what_is_not_as_it_would_be_anyway() -> None:
    run = Trajectory("hi", invocations=(ToolInvocation("f", {"q": 1}, status="success"),))
    assert repr(run) == "Trajectory(input='hi', invocations=(ToolInvocation(name='f', args={'q': 1}, status='success'),))"


@pytest.mark.parametrize(
    "value", [pytest.param(make, id=name) for name, make in HOSTILE.items()] + [pytest.param(lambda: range(10**9), id="range")]
)
def test_a_trajectory_with_any_value_is_written_as_json_and_read_back(value: Any) -> None:
    kept = Trajectory(invocations=(call(value()),)).to_dict()
    json.dumps(kept, allow_nan=False)
    assert to_trajectory(kept).to_dict() == kept


def test_writing_a_trajectory_does_not_run_through_a_generator_in_it() -> None:
    items = (number for number in range(3))
    Trajectory(invocations=(call(items),)).to_dict()
    assert list(items) == [0, 1, 2]


def test_a_stored_trajectory_takes_lists_and_nothing_that_must_be_run_through() -> None:
    items = (text for text in ["a"])
    for texts in (range(10**9), items):
        with pytest.raises(TraceFormatError, match="texts"):
            to_trajectory({"toolcall_evals": 1, "texts": texts})
    assert list(items) == ["a"]


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in HOSTILE.items()])
@pytest.mark.parametrize(
    "evaluator",
    [
        pytest.param(checks.follows([{"name": "f", "args": {"x": 1}}, "g"]), id="follows"),
        pytest.param(scorers.trajectory_accuracy([{"name": "f", "args": {"x": 1}}]), id="trajectory_accuracy"),
        pytest.param(scorers.tool_calls_match([{"name": "f", "args": {"x": 1}}]), id="tool_calls_match"),
        pytest.param(scorers.tool_calls_match([{"name": "f", "args": {"x": 1}}] * 2, order="strict"), id="tool_calls_match, strict"),
        pytest.param(scorers.tool_calls_match([{"name": "h", "args": {"y": {"z": 1}}}]), id="tool_calls_match, inside"),
        pytest.param(checks.no_tool_errors(), id="no_tool_errors"),
        pytest.param(checks.no_redundant_calls(), id="no_redundant_calls"),
    ],
)
def test_an_argument_that_fails_when_it_is_looked_at_breaks_no_score(evaluator: Any, make: Any) -> None:
    run = Trajectory(invocations=(call(make()), call(make()), ToolInvocation("h", {"y": make()})))
    laws.is_fair(evaluator.score(run), evaluator.key)


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"type": {"a"}, "name": "f"}, id="a type that is no text"),
        pytest.param({"name": "f", "args": hostile.nested(3_000)}, id="arguments without end"),
        pytest.param(hostile._round(), id="a list in itself"),
        pytest.param(hostile.nested(3_000), id="lists without end"),
        *(pytest.param({"name": "f", "args": {"x": make()}}, id=f"an argument: {name}") for name, make in HOSTILE.items()),
        *(pytest.param([make()], id=f"a part: {name}") for name, make in HOSTILE.items()),
        *(pytest.param({"name": make()}, id=f"a name: {name}") for name, make in HOSTILE.items()),
    ],
)
def test_an_expectation_is_read_or_refused_as_a_setting(document: Any) -> None:
    try:
        evaluator = checks.follows(expect.read(document))
    except SettingError as error:
        assert 0 < len(str(error)) <= 2_000
    else:
        laws.is_fair(evaluator.score(Trajectory(invocations=(call(1),))), evaluator.key)


ROW = {"id": "1", "key": "k", "score": 1.0}


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([{**ROW, "status": {"a": 1}}], id="a status that is no text"),
        pytest.param([{**ROW, "score": hostile.NoAttribute()}], id="a score that fails"),
        pytest.param([{**ROW, "comment": hostile.NoTruth()}], id="a comment that fails"),
        pytest.param([{"example": {}, "evaluation_results": {"results": [{"key": "k"}]}}], id="an item of LangSmith's that is a mapping"),
        pytest.param([{"example": None, "evaluation_results": None}], id="an item of LangSmith's without results"),
        pytest.param([{**ROW, "key": LONG}] * 2, id="a long key twice"),
    ],
)
def test_rows_that_cannot_be_read_are_refused_in_few_words(rows: Any) -> None:
    with pytest.raises(ResultsError) as refusal:
        read_results(rows)
    assert len(str(refusal.value)) <= 1_000


def test_the_version_of_a_results_file_is_refused_in_few_words(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps({"toolcall_evals_results": [LONG]}), encoding="utf-8")
    with pytest.raises(ResultsError) as refusal:
        read_results(tmp_path / "r.jsonl")
    assert len(str(refusal.value)) <= 300


@pytest.mark.parametrize("name", [True, 7, float("nan"), ["f"]])
def test_a_streamed_result_whose_name_is_no_text_has_none(name: Any) -> None:
    message = {"type": "tool", "content": "r", "tool_call_id": "1", "name": name, "id": "m"}
    run = to_trajectory([{"tools": {"messages": [message]}}], form="stream_updates")
    assert [(made.name, made.result) for made in run.invocations] == [("", "r")]


def test_a_streamed_message_whose_agent_is_no_text_has_none() -> None:
    message = {"type": "ai", "content": "", "id": "m", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]}
    run = to_trajectory([[message, {"langgraph_node": "model", "lc_agent_name": {"a": 1}}]], form="stream_messages")
    assert [(made.name, made.agent) for made in run.invocations] == [("f", None)]


def test_the_events_of_a_span_are_no_generator_to_run_through() -> None:
    spans = [{"name": "f", "span_id": "1", "attributes": {"openinference.span.kind": "TOOL", "tool.name": "f"}, "events": iter([1, 2])}]
    to_trajectory(spans, adapter="crewai")
    assert list(spans[0]["events"]) == [1, 2]  # type: ignore[call-overload]


BLOCKS = [{"type": "text", "text": "said"}, {"type": "tool_use", "name": "f", "id": "1", "input": {}}]


@pytest.mark.parametrize(
    "write", [lambda content: {"role": "assistant", "content": content}, lambda content: {"type": "ai", "content": content}]
)
def test_content_in_a_sequence_of_another_kind_is_read(write: Any) -> None:
    run = to_trajectory([USER, write(deque(BLOCKS))])
    assert (run.texts, [made.name for made in run.invocations], run.warnings) == (("said",), ["f"], ())


@pytest.mark.parametrize("role", ["assistant", "user", "system"])
@pytest.mark.parametrize("content", [7, b"said", {1, 2}, iter(BLOCKS)], ids=["a number", "bytes", "a set", "an iterator"])
def test_content_that_cannot_be_read_is_said_to_be_there(role: str, content: Any) -> None:
    kind = {"assistant": "ai", "user": "human"}.get(role, role)
    for message in ({"role": role, "content": content}, {"type": kind, "content": content}):
        (warning,) = to_trajectory([USER, message]).warnings
        assert "content" in warning
        assert type(content).__name__ in warning


def test_an_iterator_among_the_content_is_not_run_through() -> None:
    content = iter(BLOCKS)
    to_trajectory([{"role": "assistant", "content": content}])
    assert list(content) == BLOCKS


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        pytest.param('{"a": 1}', [{"a": 1}], id="the same call again"),
        pytest.param('{"a": 2}', [{"a": 1}, {"a": 2}], id="another call of the same tool"),
    ],
)
def test_an_older_function_call_beside_tool_calls_is_a_call_unless_it_is_one_of_them(arguments: str, calls: list[Any]) -> None:
    listed = [{"id": "1", "function": {"name": "f", "arguments": '{"a":1}'}}]
    message = {"role": "assistant", "content": "", "tool_calls": listed, "function_call": {"name": "f", "arguments": arguments}}
    assert [made.args for made in to_trajectory([USER, message]).invocations] == calls


def test_answers_that_are_objects_inside_a_mapping_are_read() -> None:
    choice = SimpleNamespace(index=0, finish_reason="stop", message=SimpleNamespace(role="assistant", content="said", tool_calls=None))
    candidate = SimpleNamespace(content=SimpleNamespace(role="model", parts=[SimpleNamespace(text="said")]))
    answers = ({"choices": [choice]}, {"choices": [vars(choice)]}, {"candidates": [candidate]}, {"candidates": [vars(candidate)]})
    assert [to_trajectory([USER, answer]).texts for answer in answers] == [("said",)] * 4


def test_a_streamed_function_call_without_a_name_is_said_to_be_there() -> None:
    pieces = [
        {"choices": [{"index": 0, "delta": {"function_call": "{}"}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    (warning,) = to_trajectory(pieces).warnings
    assert "beginning is missing" in warning


def test_a_step_of_an_executor_whose_id_is_a_number_has_it_as_text() -> None:
    step = [{"tool": "f", "tool_input": "x", "log": "", "type": "AgentAction", "tool_call_id": 7}, "done"]
    run = to_trajectory({"input": "q", "output": "ok", "intermediate_steps": [step]})
    assert [(made.name, made.id) for made in run.invocations] == [("f", "7")]


@pytest.mark.parametrize("field", ["turn", "attempts"])
def test_a_stored_count_below_zero_is_refused(field: str) -> None:
    with pytest.raises(TraceFormatError, match=f"invocations.0.{field}: -1 is below 0"):
        to_trajectory({"toolcall_evals": 1, "invocations": [{"name": "f", field: -1}]})


@pytest.mark.parametrize("rows", [pytest.param(range(10**9), id="a range"), pytest.param(itertools.count(), id="without end")])
def test_what_can_be_no_rows_is_refused_at_its_first_item(rows: Any) -> None:
    with pytest.raises(ResultsError, match="row 1, found"):
        read_results(rows)


@pytest.mark.parametrize("row", [ROW, ResultRow("1", "k", 1.0, "scored")])
def test_a_key_of_a_class_of_somebodys_own_is_a_plain_text_in_the_results(row: Any) -> None:
    changed = {**row, "key": hostile.NoHash("k")} if isinstance(row, dict) else replace(row, key=hostile.NoHash("k"))
    (found,) = read_results([changed])
    assert type(found.key) is str


class Number(int):
    """A whole number of a class of somebody's own."""


class Share(float):
    """A number of a class of somebody's own."""


@pytest.mark.parametrize("value", [hostile.NoHash("x"), hostile.NoEncoding("x"), Number(7), Share(0.5)])
def test_an_argument_of_a_class_of_somebodys_own_is_validated_as_what_it_is(value: Any) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": ["string", "number"]}}}}]
    run = Trajectory(invocations=(ToolInvocation("f", {"x": value, "y": value}),))
    score = checks.arguments_valid(tools).score(run)
    assert score.score == 0.0
    assert "no such argument" in score.comment
    assert type(json_ready([value])[0]) in (str, int, float)


def test_a_call_whose_texts_fail_when_they_are_shown_is_shown() -> None:
    odd = hostile.NoEncoding("x")
    assert repr(expect.call(odd, {"q": 1}, agent=odd)) == "x(q=1) by x"


def test_the_template_of_the_report_is_compiled_once(tmp_path: Path) -> None:
    for number in range(2):
        write_report(tmp_path / f"{number}.html", survey=Survey(), tallies=[])
    assert _template.cache_info().misses == 1


def test_each_word_of_the_mutations_is_there_once() -> None:
    assert len(set(WORDS)) == len(WORDS)


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in HOSTILE.items()])
def test_what_fails_when_it_is_looked_at_is_refused_as_results(make: Any) -> None:
    for rows in (make(), [make()], [{**ROW, "id": make()}], [{**ROW, "status": make()}]):
        try:
            read_results(rows)
        except ResultsError as error:
            assert len(str(error)) <= 500
