"""Results as rows: what is read, what is written, and what is refused."""

from __future__ import annotations

import json
import math
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_evals import Score, ToolcallEvalsError, Trajectory, checks
from toolcall_evals.langsmith import results_table
from toolcall_evals.results import ResultRow, ResultsError, read_results, write_results

HEADER = '{"toolcall_evals_results": 1}'


def result(key: str = "k", score: Any = 1.0, value: Any = None, **extra: Any) -> SimpleNamespace:
    return SimpleNamespace(key=key, score=score, value=value, comment="why", extra=extra)


def experiment(*rows: tuple[str, list[SimpleNamespace]]) -> list[dict[str, Any]]:
    return [{"example": SimpleNamespace(id=id, inputs={"q": id}), "evaluation_results": {"results": found}} for id, found in rows]


def test_rows_are_read_from_mappings_and_from_scores() -> None:
    score = checks.called_tool("search").score(Trajectory())
    unscored = {"id": uuid.UUID(int=3), "key": "k", "score": None}
    rows = read_results([{"id": 1, "key": "k", "score": True}, ResultRow.of(score, "2"), unscored])
    assert [(row.id, row.key, row.score, row.status) for row in rows] == [
        ("1", "k", 1.0, "scored"),
        ("2", "called_tool:search", 0.0, "scored"),
        ("00000000-0000-0000-0000-000000000003", "k", None, "could_not_score"),
    ]
    assert rows[1].comment == score.comment


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    rows = (
        ResultRow("a", "k", 0.5, "scored", "wörter", {"diff": [1]}, 1, "what?"),
        ResultRow("a", "k", None, "not_applicable"),
        ResultRow("b", "other", None, "scored", value="red"),
    )
    write_results(tmp_path / "results.jsonl", rows)
    assert read_results(tmp_path / "results.jsonl") == rows
    assert read_results(str(tmp_path / "results.jsonl")) == rows


def test_the_runs_of_an_example_in_langsmiths_results_are_its_repetitions() -> None:
    results = experiment(("a", [result(), result("l")]), ("b", [result()]), ("a", [result("l", 0)]))
    assert [(row.id, row.key, row.repetition, row.score, row.example) for row in read_results(results)] == [
        ("a", "k", 0, 1.0, "a"),
        ("a", "l", 0, 1.0, "a"),
        ("b", "k", 0, 1.0, "b"),
        ("a", "l", 1, 0.0, "a"),
    ]
    assert read_results(results_table(results)) == read_results(results)


@pytest.mark.parametrize(
    ("found", "status", "unscored"),
    [
        pytest.param(result(), "scored", False, id="a number"),
        pytest.param(result(score=None), "not_applicable", False, id="nothing"),
        pytest.param(result(score=None, error=True), "could_not_score", True, id="an evaluator that raised"),
        pytest.param(result(score=None, value="red"), "scored", True, id="a value"),
        pytest.param(result(score=7.5), "could_not_score", True, id="a number that is no score"),
        pytest.param(result(score=math.nan), "could_not_score", True, id="NaN"),
    ],
)
def test_a_result_of_langsmiths_that_is_no_score_is_told_apart(found: SimpleNamespace, status: str, unscored: bool) -> None:
    (row,) = read_results(experiment(("a", [found])))
    assert (row.status, row.unscored) == (status, unscored)


def test_a_run_without_any_result_could_not_be_scored() -> None:
    rows = read_results(experiment(("a", [result(), result("l")]), ("b", []), ("a", [])))
    assert [(row.id, row.key, row.repetition, row.status, row.comment) for row in rows[2:]] == [
        (id, key, repetition, "could_not_score", "no evaluator gave this run a result")
        for id, repetition in (("b", 0), ("a", 1))
        for key in ("k", "l")
    ]


@pytest.mark.parametrize("score", [math.nan, math.inf, -0.1, 1.1, 10**400, "1", [1], {"score": 1}])
def test_a_score_of_another_kind_could_not_be_scored_and_is_named(score: Any) -> None:
    (row,) = read_results([{"id": "a", "key": "k", "score": score, "comment": "why"}])
    assert (row.score, row.status) == (None, "could_not_score")
    assert row.comment == f"expected a score in 0..1, found {score!r}"[:200] + "; why"
    assert read_results([ResultRow("a", "k", score, "scored", "why")]) == (row,)


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        pytest.param([], "expected rows of results, found none", id="nothing"),
        pytest.param({"id": "a"}, "list of rows, found a mapping with the keys ['id']", id="one mapping"),
        pytest.param(5, "list of rows, found an object of type int", id="a number"),
        pytest.param([5], "expected a row with 'id', 'key' and 'score' in row 1, found an object of type int", id="a row that is none"),
        pytest.param([{"key": "k", "score": 1}], "expected an 'id' in row 1, a text or a number, found None", id="no id"),
        pytest.param([{"id": "", "key": "k", "score": 1}], "expected an 'id' in row 1", id="an empty id"),
        pytest.param([{"id": ["a"], "key": "k", "score": 1}], "expected an 'id' in row 1", id="a list as id"),
        pytest.param([ResultRow(None, "k", 1.0, "scored")], "expected an 'id' in row 1", id="a row of ours without id"),  # type: ignore[arg-type]  # wrong on purpose
        pytest.param([ResultRow("a", "", 1.0, "scored")], "expected a 'key' in row 1", id="a row of ours without key"),
        pytest.param([ResultRow("a", "k", 1.0, "could_not_score")], "found 'could_not_score'", id="a row of ours with another status"),
        pytest.param([{"id": "a", "score": 1}], "expected a 'key' in row 1, a text, found None", id="no key"),
        pytest.param([{"id": "a", "key": "k", "score": 1, "repetition": -1}], "'repetition' in row 1", id="a negative repetition"),
        pytest.param([{"id": "a", "key": "k", "score": 1, "repetition": "0"}], "'repetition' in row 1", id="a text as repetition"),
        pytest.param([{"id": "a", "key": "k", "score": 1, "status": "fine"}], "found 'fine'", id="an unknown status"),
        pytest.param([{"id": "a", "key": "k", "score": None, "status": "scored"}], "fits the score None", id="scored without a score"),
        pytest.param([{"id": "a", "key": "k", "score": 1, "status": "not_applicable"}], "fits the score 1", id="a score that is none"),
        pytest.param(
            [{"id": "a", "key": "k", "score": 1}, {"id": "a", "key": "k", "score": 0}],
            "expected one row for each id, key and repetition, found 2 of id 'a', key 'k', repetition 0; two evaluators need two keys",
            id="a row twice",
        ),
        pytest.param(experiment(("a", [result(), result()])), "two evaluators need two keys", id="two evaluators with one key"),
    ],
)
def test_results_that_cannot_be_judged_are_refused(results: Any, problem: str) -> None:
    with pytest.raises(ValueError) as refusal:
        read_results(results)
    assert isinstance(refusal.value, ToolcallEvalsError)
    assert problem in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "expected JSON in line 1 of results.jsonl", id="an empty file"),
        pytest.param('{"toolcall_evals_results": 2}\n', "version 1 in results.jsonl, found version 2", id="a later version"),
        pytest.param('{"toolcall_evals_results": true}\n', "found version True", id="no version"),
        pytest.param('{"id": "a", "key": "k", "score": 1}\n', "expected the version in line 1 of results.jsonl", id="no header"),
        pytest.param(HEADER, "expected rows of results, found none", id="no rows"),
        pytest.param(f'{HEADER}\n{{"id": "a", "key"', "expected JSON in line 2 of results.jsonl", id="a torn line"),
        pytest.param(f"{HEADER}\n[1]", "in line 2 of results.jsonl, found a list of 1 (int)", id="a line that is no row"),
        pytest.param(f'{HEADER}\n{{"key": "k", "score": 1}}', "expected an 'id' in line 2 of results.jsonl", id="a row without id"),
    ],
)
def test_a_file_that_cannot_be_judged_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as refusal:
        read_results(path)
    assert problem in str(refusal.value)


def test_a_file_in_another_encoding_or_without_numbers_is_no_silent_pass(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_results(path)
    path.write_text(f"{HEADER}\n{json.dumps({'id': 'a', 'key': 'k', 'score': math.nan})}\n", encoding="utf-8")
    assert [row.status for row in read_results(path)] == ["could_not_score"]


def test_a_score_that_is_not_applicable_keeps_its_reason() -> None:
    row = ResultRow.of(Score("k", None, "not_applicable", "no call was made"), "a", 2)
    assert (row.status, row.comment, row.repetition, row.unscored) == ("not_applicable", "no call was made", 2, False)


def test_a_file_that_was_cut_at_the_end_of_a_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write_results(path, [{"id": str(at), "key": "k", "score": 1.0} for at in range(5)])
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("\ufeff" + "".join(lines), encoding="utf-8")
    assert len(read_results(path)) == 5
    path.write_text("".join(lines[:3]), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"expected the 5 rows that line 1 of results\.jsonl states, found 2"):
        read_results(path)
