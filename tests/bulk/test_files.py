"""Files of stored runs to files of scores: every form, every engine, nothing lost."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from benchmarks.make_traces import Generator, record

from toolcall_evals import checks, scorers
from toolcall_evals.bulk import SCHEMA, BulkError, Condition, Fields, Outcome, Plan, Selection, score_files
from toolcall_evals.results import read_results

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared" / "real_traces"
EVALUATORS = [checks.no_tool_errors(), checks.max_tool_calls(7), checks.excludes("sorry")]


def traces(count: int) -> list[dict[str, Any]]:
    generator = Generator(0)
    return [record(generator, number) for number in range(count)]


def lines_of(rows: list[Any]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def scores(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return [{**row, "details": json.loads(row["details"])} for row in pq.read_table(path).to_pylist()]
    header, *rows = path.read_bytes().splitlines()
    assert orjson.loads(header) == {"toolcall_evals_results": 1}
    return [orjson.loads(row) for row in rows]


def without_place(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "source"} for row in rows]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return traces(60)


@pytest.fixture
def file(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(lines_of(rows))
    return path


def test_a_row_is_scored_as_the_evaluators_score_it(file: Path, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    outcome = score_files([file], Plan(EVALUATORS), tmp_path / "scores.parquet", chunk_bytes=100_000)
    found = scores(tmp_path / "scores.parquet")
    assert pq.read_schema(tmp_path / "scores.parquet").names == SCHEMA.names
    assert (outcome.rows, outcome.unreadable, len(found)) == (60, 0, 180)
    expected = [(number, row["id"], each.score(row)) for number, row in enumerate(rows) for each in EVALUATORS]
    assert [(row["row"], row["id"], row["key"], row["score"], row["status"], row["comment"]) for row in found] == [
        (number, id, score.key, score.score, score.status, score.comment) for number, id, score in expected
    ]
    assert [row["details"] for row in found] == [score.details for _, _, score in expected]
    assert not list(tmp_path.glob("*.parts")) and not (tmp_path / "errors.jsonl").exists()


def parquet(path: Path, rows: list[Any]) -> None:
    table = pa.table({"id": [row["id"] for row in rows], "messages": [json.dumps(row["messages"]) for row in rows]})
    pq.write_table(table, path, row_group_size=17)


WRITERS: dict[str, Callable[[Path, list[Any]], Any]] = {
    "runs.jsonl.gz": lambda path, rows: path.write_bytes(gzip.compress(lines_of(rows))),
    "runs.ndjson.zst": lambda path, rows: path.write_bytes(b"".join(zstandard.compress(lines_of(part)) for part in (rows[:30], rows[30:]))),
    "runs.json": lambda path, rows: path.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2)),
    "lines.json": lambda path, rows: path.write_bytes(lines_of(rows)),
    "runs.parquet": parquet,
    "bom_and_crlf.jsonl": lambda path, rows: path.write_bytes(b"\xef\xbb\xbf" + lines_of(rows).replace(b"\n", b"\r\n")),
    "no_last_newline.jsonl": lambda path, rows: path.write_bytes(lines_of(rows)[:-1]),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_form_of_file_gives_the_same_scores(name: str, file: Path, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    score_files([file], Plan(EVALUATORS), tmp_path / "plain.jsonl")
    WRITERS[name](tmp_path / name, rows)
    plan = Plan(EVALUATORS, Fields(trace="messages") if name == "runs.parquet" else Fields())
    score_files([tmp_path / name], plan, tmp_path / "other.jsonl", chunk_bytes=100_000)
    assert without_place(scores(tmp_path / "other.jsonl")) == without_place(scores(tmp_path / "plain.jsonl"))


def test_a_folder_and_a_pattern_name_their_files_once_each(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    inside = tmp_path / "inside" / "deep"
    inside.mkdir(parents=True)
    for name in ("b.jsonl", "a.jsonl", "notes.txt", ".hidden.jsonl"):
        (inside / name).write_bytes(lines_of(rows[:2]))
    paths: list[str | Path] = [tmp_path / "inside", tmp_path / "inside" / "**" / "*.jsonl", f"{inside}/../deep/a.jsonl"]
    outcome = score_files(paths, Plan(EVALUATORS), tmp_path / "out.jsonl")
    assert outcome.rows == 4
    assert [row["source"].rpartition("/")[2] for row in scores(tmp_path / "out.jsonl")][::6] == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (["nowhere.jsonl"], "found nothing at"),
        (["*.none"], "found nothing at"),
        (["empty"], "expected files of traces"),
        ([], "at least one file"),
    ],
)
def test_paths_that_hold_nothing_are_refused(paths: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BulkError, match=says):
        score_files([tmp_path / path for path in paths], Plan(EVALUATORS), tmp_path / "out.jsonl")


def test_every_tenth_line_broken_all_others_are_scored_and_each_is_listed(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    faults = [b'{"messages": [', b"\xff\xfe\x00", b"[1, 2]", b'"text', b"null", b"{}"]
    lines = [faults[number // 10] if number % 10 == 0 else orjson.dumps(row) for number, row in enumerate(rows)]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join(lines))
    outcome = score_files([path], Plan(EVALUATORS), tmp_path / "out.parquet", chunk_bytes=50_000)
    listed = [orjson.loads(line) for line in (tmp_path / "errors.jsonl").read_bytes().splitlines()]
    assert (outcome.rows, outcome.unreadable, outcome.errors_path) == (60, 6, tmp_path / "errors.jsonl")
    assert [row["row"] for row in scores(tmp_path / "out.parquet")] == [number for number in range(60) if number % 10 for _ in EVALUATORS]
    assert [error["row"] for error in listed] == [0, 10, 20, 30, 40, 50]
    assert all(error["cause"] and error["source"] == path.as_posix() for error in listed)
    whole = path.read_bytes()
    assert [whole[error["byte"] :].startswith(fault) for error, fault in zip(listed, faults, strict=True)] == [True] * 6


def test_blank_lines_are_no_rows_and_do_not_shift_the_others(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n\n" + lines_of(rows[:1]) + b"  \n" + lines_of(rows[1:2]))
    score_files([path], Plan(EVALUATORS), tmp_path / "out.jsonl")
    assert [row["row"] for row in scores(tmp_path / "out.jsonl")] == [2, 2, 2, 4, 4, 4]


def test_the_reference_of_a_row_is_what_it_is_held_against(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    called = rows[0]["messages"][2]["tool_calls"][0]["function"]["name"]
    other = {**rows[0], "wanted": json.dumps({"expected_tool": "none_such"})}
    stored = [{**rows[0], "reference_outputs": {"expected_tool": called}}, other]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(lines_of(stored))
    plan = Plan([checks.called_tool()])
    assert score_files([path], plan).tallies[0].ones == 1
    assert score_files([path], Plan([checks.called_tool()], Fields(reference="wanted"))).tallies[0].zeros == 1


@pytest.mark.parametrize(
    ("text", "row", "holds"),
    [
        ("a=1", {"a": 1}, True),
        ("a=1", {"a": "1"}, True),
        ("a=1", {"a": True}, False),
        ("a.b>=2", {"a": {"b": 2.5}}, True),
        ("a.b>=2", {"a": {"b": "x"}}, False),
        ("a!=x", {}, True),
        ("a=x", {}, False),
        ("a~fun", {"a": "refund"}, True),
        ("a~x", {"a": ["x"]}, True),
        ("a<=3", {"a": 3}, True),
    ],
)
def test_conditions_on_rows(text: str, row: Any, holds: bool) -> None:
    assert Condition.of(text).holds(row) is holds


def test_a_condition_without_an_operator_is_refused() -> None:
    with pytest.raises(BulkError, match="expected a condition"):
        Condition.of("just text")


def test_a_sample_is_the_same_each_time_and_a_limit_takes_the_first(file: Path, tmp_path: Path) -> None:
    def taken(**selected: Any) -> list[int]:
        score_files([file], Plan(EVALUATORS[:1], selection=Selection(**selected)), tmp_path / "o.jsonl", overwrite=True, chunk_bytes=60_000)
        return [row["row"] for row in scores(tmp_path / "o.jsonl")]

    sampled = taken(sample=0.4)
    assert taken(sample=0.4) == sampled and 10 < len(sampled) < 40
    assert taken(sample=0.4, seed=1) != sampled
    assert taken(limit=7) == [*range(7)]
    assert taken(limit=5, sample=0.4) == sampled[:5]
    assert taken(where=(Condition.of("id~9"),), limit=2) == [9, 19]
    assert taken(limit=0) == []


def test_results_are_read_back_and_compared(file: Path, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.parquet"):
        score_files([file], Plan(EVALUATORS), tmp_path / name)
    lines, table = read_results(tmp_path / "a.jsonl"), read_results(tmp_path / "b.parquet")
    assert lines == table and len(lines) == 180


def test_an_output_that_is_there_and_foreign_parts_are_refused(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    score_files([file], Plan(EVALUATORS), out)
    with pytest.raises(BulkError, match="is there already"):
        score_files([file], Plan(EVALUATORS), out)
    with pytest.raises(BulkError, match="among the files"):
        score_files([file], Plan(EVALUATORS), file, overwrite=True)
    with pytest.raises(BulkError, match="ends in"):
        score_files([file], Plan(EVALUATORS), tmp_path / "out.csv")
    with pytest.raises(BulkError, match="cannot write"):
        score_files([file], Plan(EVALUATORS), file / "below" / "out.jsonl")


KILLED = """
import sys
from toolcall_evals.bulk import Plan, score_files
score_files([sys.argv[1]], Plan(sys.argv[2]), sys.argv[3], chunk_bytes=40_000, resume=True)
"""
SLOW = """
import time
from toolcall_evals import Evaluator, checks

def measure(run):
    time.sleep(0.03)
    return 1.0, lambda: ("slow", {})

EVALUATORS = [Evaluator("slow", measure, {}), checks.no_tool_errors()]
"""


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_killed_run_goes_on_where_it_was_and_ends_the_same(suffix: str, file: Path, tmp_path: Path) -> None:
    (tmp_path / "evals.py").write_text(SLOW)
    evals = str(tmp_path / "evals.py")
    out, whole = tmp_path / f"out{suffix}", tmp_path / f"whole{suffix}"
    command = [sys.executable, "-c", KILLED, str(file), evals, str(out)]
    process = subprocess.Popen(command)
    parts = tmp_path / f"out{suffix}.parts"
    deadline = time.monotonic() + 30
    while len(list(parts.glob("0*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = {path: path.stat().st_mtime_ns for path in parts.glob("0*.json")}
    assert done and not out.exists()
    with pytest.raises(BulkError, match="did not end; resume it"):
        score_files([file], Plan(evals), out, chunk_bytes=40_000)
    with pytest.raises(BulkError, match="are of another run: explain was"):
        score_files([file], Plan(evals, explain=False), out, chunk_bytes=40_000, resume=True)
    assert {path: path.stat().st_mtime_ns for path in done} == done
    subprocess.run(command, check=True)
    score_files([file], Plan(evals), whole, chunk_bytes=40_000)
    assert out.read_bytes() == whole.read_bytes()
    assert not parts.exists()


def test_two_processes_give_the_same_file_as_one(file: Path, tmp_path: Path) -> None:
    for name, workers in (("one.parquet", 1), ("two.parquet", 2)):
        score_files([file], Plan(EVALUATORS, survey=True), tmp_path / name, workers=workers, chunk_bytes=100_000)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


DEADLY = """
import os
from toolcall_evals import Evaluator, checks

def measure(run):
    if run.input == "kill the worker":
        os._exit(9)
    if run.input == "kill it once" and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os._exit(9)
    return 1.0, lambda: ("alive", {{}})

EVALUATORS = [Evaluator("alive", measure, {{}}), checks.no_tool_errors()]
"""


def deadly(tmp_path: Path, rows: list[dict[str, Any]], request: str) -> tuple[Path, str]:
    (tmp_path / "evals.py").write_text(DEADLY.format(mark=str(tmp_path / "mark")))
    bad = {"id": "bad", "messages": [{"role": "user", "content": request}, {"role": "assistant", "content": "no"}]}
    path = tmp_path / "runs.jsonl"
    path.write_bytes(lines_of([*rows[:20], bad, *rows[20:30]]))
    return path, str(tmp_path / "evals.py")


def test_a_row_that_kills_its_worker_is_isolated_and_listed(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path, evals = deadly(tmp_path, rows, "kill the worker")
    outcome = score_files([path], Plan(evals), tmp_path / "out.jsonl", workers=2, chunk_bytes=100_000)
    assert (outcome.rows, outcome.unreadable) == (31, 1)
    assert [error["row"] for error in outcome.errors] == [20] and "died" in outcome.errors[0]["cause"]
    assert [row["row"] for row in scores(tmp_path / "out.jsonl")] == [number for number in range(31) if number != 20 for _ in range(2)]


def test_a_worker_that_dies_once_changes_nothing(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path, evals = deadly(tmp_path, rows, "kill it once")
    outcome = score_files([path], Plan(evals), tmp_path / "out.jsonl", workers=2, chunk_bytes=100_000)
    assert (outcome.rows, outcome.unreadable, (tmp_path / "mark").exists()) == (31, 0, True)
    score_files([path], Plan(evals), tmp_path / "again.jsonl", chunk_bytes=100_000)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()


def test_evaluators_that_do_not_pickle_need_a_place(file: Path) -> None:
    from toolcall_evals import Evaluator

    with pytest.raises(BulkError, match=r"give the place they come from, such as 'evals\.py:EVALUATORS'"):
        score_files([file], Plan([Evaluator("local", lambda run: (1.0, lambda: ("", {})), {})]), workers=2)


@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/real_traces is not here")
def test_every_real_trace_is_scored(tmp_path: Path) -> None:
    outcome: Outcome = score_files([REAL], Plan([checks.no_tool_errors(), scorers.tool_call_f1()], survey=True), tmp_path / "out.parquet")
    lines = sum(len(path.read_text(encoding="utf-8").strip().split("\n")) for path in REAL.glob("*.jsonl"))
    assert (outcome.rows, outcome.unreadable) == (lines, 0)
    assert outcome.survey is not None and outcome.survey.runs == lines
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 2 * lines
