"""A stored line is decoded as `json.loads` decodes it, and scored as its value is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import checks
from toolcall_evals.bulk import RowScorer
from toolcall_evals.bulk._scoring import load

LONG = 123456789012345678901234567890


NUMBERS = ["18446744073709551616", f"[-{LONG}]", "9007199254740993", "[1e400, -1e400]", "[Infinity]", "-0", "-0.0"]


@pytest.mark.parametrize("text", [*NUMBERS, '"\\ud800"', '{"a": 1, "a": 2}'])
def test_a_line_is_decoded_as_json_decodes_it(text: str) -> None:
    assert repr(load(text)) == repr(load(text.encode())) == repr(json.loads(text))


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(VALUES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_whatever_json_writes_is_read_back(value: object) -> None:
    text = json.dumps(value)
    assert repr(load(text)) == repr(json.loads(text))


@pytest.mark.parametrize("line", [b"", b"{", b"\xff", b"[1] 2", b"[" * 100_000])
def test_a_line_that_is_no_json_is_an_error_and_no_score(line: bytes) -> None:
    scored = RowScorer([checks.no_tool_errors()]).line(line)
    assert scored.scores == [] and scored.error is not None and scored.error.startswith("not JSON: ")


def test_a_long_integer_among_the_arguments_stays_exact() -> None:
    message = {"type": "ai", "content": "", "tool_calls": [{"name": "pay", "args": {"id": LONG}, "id": "1", "type": "tool_call"}]}
    run = {"messages": [{"type": "human", "content": "Pay."}, message]}
    (score,) = RowScorer([checks.called_with("pay", {"id": LONG})]).line(json.dumps(run)).scores
    assert score.score == 1.0
    (score,) = RowScorer([checks.called_with("pay", {"id": LONG + 1})]).line(json.dumps(run)).scores
    assert score.score == 0.0
