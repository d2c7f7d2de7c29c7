"""One row to scores: the fast way says what the plain way says, and no line raises."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from benchmarks.bench_bulk import EVALUATORS
from benchmarks.make_traces import Generator, record
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import Reading, Score, TraceFormatError, checks, to_trajectory
from toolcall_evals.bulk import RowScorer
from toolcall_evals.bulk._scoring import load
from toolcall_evals.bulk._text import as_json, explained
from toolcall_evals.messages import convert, usual, usual_chat

ROOT = Path(__file__).parents[2]
STORED = [*sorted((ROOT / "tests" / "recordings").rglob("*.json")), *sorted((ROOT.parent / "shared" / "real_traces").glob("*.jsonl"))]


def rows(path: Path) -> Iterator[Any]:
    text = path.read_text(encoding="utf-8")
    for line in text.split("\n") if path.suffix == ".jsonl" else [text]:
        if line:
            yield json.loads(line)


def made(number: int, form: str) -> Any:
    return record(Generator(number, errors=0.2), number, form)  # type: ignore[no-untyped-call]  # a script of the standard library alone


def told(score: Score) -> tuple[Any, ...]:
    return score.key, score.score, score.status, score.comment, score.details


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_a_row_scores_as_each_evaluator_scores_its_run(path: Path) -> None:
    scorer = RowScorer(EVALUATORS)
    for row in rows(path):
        found = scorer.value(row)
        try:
            run = to_trajectory(row)
        except TraceFormatError:
            continue
        assert found.trajectory == run
        assert [told(score) for score in found.scores] == [told(evaluator.score(run)) for evaluator in EVALUATORS]


@pytest.mark.parametrize("form", ["openai", "langchain"])
def test_a_made_run_is_read_in_one_pass_as_in_the_general_way(form: str) -> None:
    for number in range(100):
        messages = made(number, form)["messages"]
        found = usual_chat(messages) if form == "openai" else usual(messages, "messages")
        assert found is None or found == convert(messages, Reading())
        assert found is not None or number > 0


DIFFERENT = [
    pytest.param("123456789012345678901234567890", id="an integer of more than 64 bits"),
    pytest.param("18446744073709551616", id="the first integer of 65 bits"),
    pytest.param("-9223372036854775809", id="the first negative one"),
    pytest.param("18446744073709551615", id="the last of 64 bits"),
    pytest.param("-0", id="a negative zero"),
    pytest.param("1e999", id="a float beyond the largest"),
    pytest.param("NaN", id="no number"),
    pytest.param("-Infinity", id="infinity"),
    pytest.param('"\\ud800"', id="a lone surrogate"),
    pytest.param('{"a": 1, "b": 2, "a": 3}', id="a key twice"),
    pytest.param("0.1234567890123456789012345", id="a long fraction"),
]


@pytest.mark.parametrize("text", DIFFERENT)
@pytest.mark.parametrize("before", range(7))
def test_values_are_those_of_the_standard_library(text: str, before: int) -> None:
    line = f'{" " * before}{{"value": {text}}}'
    wanted = json.loads(line)
    for data in (line, line.encode(), memoryview(line.encode())):
        assert repr(load(data)) == repr(wanted)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_any_json_reads_as_the_standard_library_reads_it(value: Any, ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only)
    assert repr(load(line.encode("utf-8", "surrogatepass"))) == repr(json.loads(line))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\xfe{", id="no UTF-8"),
        pytest.param(b"\x00", id="a null byte"),
        pytest.param(b'{"messages": [', id="cut off"),
        pytest.param(b"[" * 100_000, id="nested without end"),
        pytest.param(b"9" * 5_000, id="an integer longer than Python reads"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[]", id="an empty list"),
        pytest.param(b'{"messages": 3}', id="messages that are none"),
        pytest.param(b'{"id": {"a": []}, "messages": [{"role": ["x"], "content": {}}]}', id="a role that is none"),
    ],
)
def test_a_line_that_holds_no_run_has_an_error_and_no_scores(line: bytes) -> None:
    found = RowScorer(EVALUATORS).line(line)
    assert found.error and not found.scores and found.trajectory is None


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_line_raises(line: bytes) -> None:
    found = RowScorer(EVALUATORS).line(line)
    assert (found.error is None) == (len(found.scores) == len(EVALUATORS))


@pytest.mark.parametrize("form", ["openai", "langchain"])
def test_a_line_scores_as_its_value_does(form: str) -> None:
    scorer = RowScorer(EVALUATORS)
    for number in range(100):
        row = made(number, form)
        expecting = {**row, "reference_outputs": {"max_tool_calls": 1}}
        for changed in (row, {**row, "tools": []}, {**row, "id": 2**70}, expecting, row["messages"]):
            one, other = scorer.line(json.dumps(changed).encode()), scorer.value(changed)
            assert (one.id, one.error, one.reference, one.trajectory) == (other.id, other.error, other.reference, other.trajectory)
            assert [told(score) for score in one.scores] == [told(score) for score in other.scores]


@pytest.mark.parametrize("arguments", [{"n": 2**70}, json.dumps({"n": 2**70})], ids=["an object", "its text"])
def test_an_argument_of_more_than_64_bits_stays_an_integer(arguments: Any) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "a", "arguments": arguments}}
    found = RowScorer(EVALUATORS).line(json.dumps({"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}).encode())
    assert found.trajectory is not None
    assert repr(found.trajectory.invocations[0].args) == repr({"n": 2**70})


def test_a_long_integer_among_the_arguments_stays_exact() -> None:
    message = {"type": "ai", "content": "", "tool_calls": [{"name": "pay", "args": {"id": 2**100}, "id": "1", "type": "tool_call"}]}
    run = {"messages": [{"type": "human", "content": "Pay."}, message]}
    (score,) = RowScorer([checks.called_with("pay", {"id": 2**100})]).line(json.dumps(run)).scores
    assert score.score == 1.0
    (score,) = RowScorer([checks.called_with("pay", {"id": 2**100 + 1})]).line(json.dumps(run)).scores
    assert score.score == 0.0


UNREADY = [
    pytest.param({"a": float("nan"), "b": [float("-inf")]}, id="no finite numbers"),
    pytest.param({"a": {1: (2, {3})}}, id="keys and collections that JSON lacks"),
    pytest.param({"a": 2**70}, id="an integer of more than 64 bits"),
    pytest.param({"a": 10**700}, id="an integer of many digits"),
    pytest.param({"a\ud800": "b\udfff"}, id="lone surrogates"),
    pytest.param({"a": datetime(2026, 1, 2)}, id="a time"),
    pytest.param({"a": object}, id="an object"),
    pytest.param({"a": None, "b": True}, id="nothing"),
    pytest.param({"a": json.loads("[" * 150 + "]" * 150)}, id="nested deeply"),
    pytest.param({"a": json.loads("[" * 99 + "]" * 99)}, id="nested as deeply as is kept"),
    pytest.param({"a": "é 'x' \" \\ \n"}, id="text"),
]


@pytest.mark.parametrize("details", UNREADY)
def test_details_are_written_as_they_are_read(details: dict[str, Any]) -> None:
    one, other = (Score.explained("k", 1.0, lambda: ("why", details)) for _ in range(2))
    assert explained(one) == (other.comment, as_json(other.details))


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_any_details_are_written_as_they_are_read(details: dict[str, Any]) -> None:
    one, other = (Score.explained("k", 1.0, lambda: ("why", details)) for _ in range(2))
    assert explained(one) == (other.comment, as_json(other.details))


def test_a_score_without_an_explanation_is_written_too() -> None:
    assert explained(Score("k", None, "could_not_score", "why", {"a": 1})) == ("why", '{"a":1}')


LONG = 2**70
ANSWERED: list[dict[str, Any]] = [
    {"type": "human", "content": "Pay."},
    {"type": "ai", "content": "", "tool_calls": [{"name": "pay", "args": {"id": "a"}, "id": "1", "type": "tool_call"}]},
    {"type": "tool", "content": "Paid.", "tool_call_id": "1"},
]
ROWS_WITH_LONG = [
    pytest.param(lambda m: m[1]["tool_calls"][0]["args"].update(id={"deep": [1, LONG]}), id="deep among the arguments"),
    pytest.param(lambda m: m[1]["tool_calls"][0].update(args=[LONG]), id="for the arguments"),
    pytest.param(lambda m: m[1].update(content=[{"type": "text", "text": "x"}, {"type": "json", "json": LONG}]), id="in a block"),
    pytest.param(lambda m: m[2].update(content=[{"n": LONG}]), id="in a result that is a list"),
    pytest.param(lambda m: m[2].update(content={"n": LONG}), id="in a result that is an object"),
    pytest.param(lambda m: m[2].update(artifact={"n": LONG}), id="in an artifact"),
    pytest.param(lambda m: m[1].update(usage_metadata={"input_tokens": LONG}), id="among the tokens"),
    pytest.param(lambda m: m[1].update(invalid_tool_calls=[{"name": "a", "args": {"n": LONG}, "id": "2"}]), id="in an invalid call"),
]


@pytest.mark.parametrize("change", ROWS_WITH_LONG)
@pytest.mark.parametrize("wrapped", [False, True])
def test_no_long_integer_of_a_langchain_row_is_rounded(change: Any, wrapped: bool) -> None:
    messages = copy.deepcopy(ANSWERED)
    change(messages)
    row = {"messages": [{"type": each["type"], "data": each} for each in messages] if wrapped else messages}
    scorer = RowScorer(EVALUATORS)
    one, other = scorer.line(json.dumps(row).encode()), scorer.value(row)
    assert (repr(one.trajectory), one.error) == (repr(other.trajectory), other.error)
    assert [told(score) for score in one.scores] == [told(score) for score in other.scores]
