"""Files that are broken, foreign or huge: what they hold is scored, and what they do not give is listed with its place and cause."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from toolcall_evals import checks
from toolcall_evals.bulk import BulkError, Fields, Outcome, Plan, score_files

PLAN = Plan([checks.max_tool_calls(3)])


def trace(number: int, size: int = 10) -> dict[str, Any]:
    messages = [{"role": "user", "content": "x" * size}, {"role": "assistant", "content": f"answer {number}"}]
    return {"id": f"run-{number}", "messages": messages}


def lines(*numbers: int) -> bytes:
    return b"".join(orjson.dumps(trace(number)) + b"\n" for number in numbers)


def gzipped(data: bytes) -> bytes:
    """Without the time of packing: some pytests name a case by its bytes, and workers must name it alike."""
    return gzip.compress(data, mtime=0)


def scored(path: Path, plan: Plan = PLAN, chunk_bytes: int = 1000, **options: Any) -> tuple[Outcome, list[str], list[tuple[int, str]]]:
    """What came of it, the ids that were scored, and the rows that were listed with their causes."""
    out = path.parent / "out" / "scores.jsonl"
    outcome = score_files([path], plan, out, overwrite=True, chunk_bytes=chunk_bytes, **options)
    ids = [orjson.loads(line)["id"] for line in out.read_bytes().splitlines()[1:]]
    listed = [orjson.loads(line) for line in outcome.errors_path.read_bytes().splitlines()] if outcome.errors_path else []
    assert [error["source"] for error in listed] == [path.as_posix()] * len(listed)
    return outcome, ids, [(error["row"], error["cause"]) for error in listed]


def ids(*numbers: int) -> list[str]:
    return [f"run-{number}" for number in numbers]


@pytest.mark.parametrize("name", ["torn.jsonl.gz", "torn.jsonl.zst"])
def test_what_comes_before_a_tear_is_scored_and_the_tear_is_listed(name: str, tmp_path: Path) -> None:
    noise = [orjson.dumps({**trace(number), "noise": os.urandom(3000).hex()}) + b"\n" for number in range(200)]
    pack = gzip.compress if name.endswith("gz") else zstandard.ZstdCompressor(level=1).compress
    packed = pack(b"".join(noise))
    (tmp_path / name).write_bytes(packed[: len(packed) // 2])
    outcome, found, listed = scored(tmp_path / name, chunk_bytes=50_000)
    assert 50 < len(found) < 150 and found == ids(*range(len(found)))
    assert [row for row, _ in listed] == [len(found)] and "cannot unpack the file from here on" in listed[0][1]
    assert outcome.rows == len(found) + 1


@pytest.mark.parametrize(
    ("name", "data", "cause"),
    [
        ("garbage.jsonl.zst", b"no zst at all", "cannot unpack"),
        ("garbage.jsonl.gz", b"no gzip at all", "cannot unpack"),
        ("torn.json.gz", gzipped(json.dumps([trace(1)] * 9, indent=1).encode())[:-20], "cannot unpack"),
        ("text.parquet", b"no parquet", "cannot be read as Parquet"),
        ("wide.jsonl", lines(1, 2).decode().encode("utf-16"), "found UTF-16"),
        ("wide_without_mark.jsonl", lines(1, 2).decode().encode("utf-16-be"), "found UTF-16"),
        ("wider.jsonl", lines(1, 2).decode().encode("utf-32"), "found UTF-32"),
        ("wide.json", json.dumps(trace(1), indent=1).encode("utf-16"), "found UTF-16"),
        ("wide.jsonl.gz", gzipped(lines(1, 2).decode().encode("utf-16")), "found UTF-16"),
        ("open.json", b'{"messages": [\n{"role": "user",', "not JSON"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_listed_row_and_ends_nothing(name: str, data: bytes, cause: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    outcome, found, listed = scored(tmp_path / name)
    assert (outcome.rows, outcome.unreadable, found, [row for row, _ in listed]) == (1, 1, [], [0])
    assert cause in listed[0][1]


def test_other_files_are_scored_where_one_cannot_be(tmp_path: Path) -> None:
    inside = tmp_path / "runs"
    inside.mkdir()
    (inside / "a.jsonl.gz").write_bytes(b"torn")
    (inside / "b.jsonl").write_bytes(lines(1, 2))
    assert [score_files([inside], PLAN).rows, score_files([inside], PLAN).unreadable] == [3, 1]


@pytest.mark.parametrize("last", [b"\n", b"", b"\n" + lines(3)])
def test_a_line_beyond_all_measure_is_listed_and_not_held(last: bytes, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(lines(1) + b'{"messages": "' + b"y" * 100_000 + last)
    outcome, found, listed = scored(path)
    assert found == (ids(1, 3) if len(last) > 1 else ids(1))
    assert [row for row, _ in listed] == [1] and "expected a line of at most 32,000 bytes, found one of 100,01" in listed[0][1]
    assert outcome.errors[0]["line"].startswith('{"messages": "yyy') and outcome.errors[0]["byte"] == len(lines(1))


@pytest.mark.parametrize("pack", [None, ".gz"])
def test_a_line_longer_than_a_chunk_is_scored(pack: str | None, tmp_path: Path) -> None:
    path = tmp_path / f"runs.jsonl{pack or ''}"
    data = lines(1) + orjson.dumps(trace(2, 20_000)) + b"\n" + lines(3)
    path.write_bytes(gzip.compress(data) if pack else data)
    assert scored(path)[1:] == (ids(1, 2, 3), [])


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("empty.jsonl", b"", []),
        ("empty.json", b"", []),
        ("empty.jsonl.gz", b"", []),
        ("blank.jsonl", b"\n \r\n\n", []),
        ("none.json", b"[]", []),
        ("whole.json.gz", gzipped(json.dumps([trace(1), trace(2)], indent=1).encode()), ids(1, 2)),
        ("lines.json.gz", gzipped(lines(1, 2)), ids(1, 2)),
        ("members.jsonl.gz", gzipped(lines(1)) + gzipped(lines(2)) + b"\0" * 9, ids(1, 2)),
        ("marked.json", b"\xef\xbb\xbf" + lines(1, 2), ids(1, 2)),
        ("marked.jsonl", b"\xef\xbb\xbf" + lines(1, 2), ids(1, 2)),
        ("one_line.json", orjson.dumps([trace(1), trace(2)]), ids(1, 2)),
        ("one.json", json.dumps(trace(1), indent=1).encode(), ids(1)),
        ("messages.json", json.dumps(trace(1)["messages"]).encode(), None),
    ],
)
def test_what_a_file_holds_is_seen(name: str, data: bytes, found: list[str] | None, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    expected = [f"{(tmp_path / name).as_posix()}#0"] if found is None else found
    assert scored(tmp_path / name)[1:] == (expected, [])


def test_a_json_file_of_lines_whose_first_is_broken_is_read_by_lines(tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_bytes(b'{"messages": [\n' + lines(1, 2))
    _, found, listed = scored(tmp_path / "runs.json")
    assert found == ids(1, 2) and [row for row, _ in listed] == [0]


def test_one_file_by_many_names_is_scored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("runs/a.jsonl").write_bytes(lines(1))
    Path("link.jsonl").symlink_to("runs/a.jsonl")
    assert score_files(["runs", "./runs/a.jsonl", tmp_path / "runs" / "a.jsonl", "link.jsonl", "runs/*.jsonl"], PLAN).rows == 1
    assert score_files(["../" + tmp_path.name + "/runs"], PLAN).rows == 1


def test_a_large_row_group_is_taken_in_pieces_and_only_the_columns_that_matter_are_read(tmp_path: Path) -> None:
    rows = [{"id": f"run-{number}", "run": json.dumps(trace(number)), "wide": "z" * 2000} for number in range(100)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "runs.parquet", row_group_size=70, use_dictionary=False)
    done: list[int] = []
    plan = Plan(PLAN.evaluators, Fields(trace="run"))
    outcome = score_files(
        [tmp_path / "runs.parquet"], plan, tmp_path / "o" / "o.jsonl", chunk_bytes=20_000, progress=lambda now: done.append(now.rows)
    )
    assert outcome.rows == 100 and len(done) > 8 and max(b - a for a, b in zip([0, *done], done, strict=False)) < 20
    for workers in (1, 2):
        found = scored(tmp_path / "runs.parquet", plan, 20_000, workers=workers)
        assert found[1:] == (ids(*range(100)), [])


def test_parquet_whose_pages_are_broken_gives_what_it_can(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    rows = [
        {"id": f"run-{number}", "messages": json.dumps(trace(number)["messages"]), "salt": os.urandom(50).hex()} for number in range(60)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=20, use_dictionary=False, compression="zstd")
    column = pq.read_metadata(path).row_group(1).column(1)
    data = bytearray(path.read_bytes())
    end = column.data_page_offset + column.total_compressed_size
    data[end - 60 : end] = b"\xff" * 60
    path.write_bytes(data)
    outcome, found, listed = scored(path, Plan(PLAN.evaluators, Fields(trace="messages")), chunk_bytes=10**6)
    assert found == ids(*range(20), *range(40, 60))
    assert [row for row, _ in listed] == [*range(20, 40)] and outcome.rows == 60


def test_an_evaluator_that_leaves_the_process_costs_one_row(tmp_path: Path) -> None:
    from toolcall_evals import Evaluator

    def measure(run: Any) -> Any:
        if run.final_text == "answer 2":
            sys.exit(3)
        return 1.0, lambda: ("", {})

    (tmp_path / "runs.jsonl").write_bytes(lines(1, 2, 3))
    _, found, listed = scored(tmp_path / "runs.jsonl", Plan([Evaluator("leaves", measure, {})]))
    assert found == ids(1, 3) and listed == [(1, "an evaluator left the process: SystemExit(3)")]


@pytest.mark.parametrize("pattern", ["*.jsonl", "**/*.jsonl", "", "sub/../*"])
def test_an_output_that_the_next_run_would_take_in_is_refused(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "runs.jsonl").write_bytes(lines(1))
    with pytest.raises(BulkError, match="would be among the files to be scored"):
        score_files([f"{tmp_path}/{pattern}"], PLAN, tmp_path / "scores.jsonl")
    assert sorted(os.listdir(tmp_path)) == ["runs.jsonl", "sub"]
    outcome = score_files([f"{tmp_path}/*.jsonl"], PLAN, tmp_path / "sub" / "scores.jsonl")
    assert outcome.rows == 1


def test_a_folder_is_no_output(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_bytes(lines(1))
    (tmp_path / "out" / "scores.jsonl").mkdir(parents=True)
    with pytest.raises(BulkError, match="found the folder"):
        score_files([tmp_path / "runs.jsonl"], PLAN, tmp_path / "out" / "scores.jsonl", overwrite=True)


FULL = """
import resource, sys
from toolcall_evals import checks
from toolcall_evals.bulk import BulkError, Plan, score_files
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    score_files([sys.argv[1]], Plan([checks.max_tool_calls(3)]), sys.argv[2], resume=True, chunk_bytes=20_000)
except BulkError as error:
    print(error)
"""


def test_a_full_disk_is_said_and_what_is_done_is_kept(tmp_path: Path) -> None:
    path, out = tmp_path / "runs.jsonl", tmp_path / "out" / "scores.jsonl"
    path.write_bytes(lines(*range(2000)))
    run = [sys.executable, "-c", FULL, str(path), str(out)]
    said = subprocess.run([*run, "150000"], capture_output=True, text=True, check=True).stdout
    assert "cannot write to" in said and "File too large" in said and "resume it" in said
    assert not out.exists() and len(list((tmp_path / "out" / "scores.jsonl.parts").glob("0*.json"))) > 5
    unlimited = str(resource.RLIM_INFINITY)
    assert subprocess.run([*run, unlimited], capture_output=True, text=True, check=True).stdout == ""
    whole = tmp_path / "whole" / "scores.jsonl"
    score_files([path], PLAN, whole, chunk_bytes=20_000)
    assert out.read_bytes() == whole.read_bytes()


def test_a_part_that_a_power_cut_left_empty_is_made_again(tmp_path: Path) -> None:
    path, out = tmp_path / "runs.jsonl", tmp_path / "out" / "scores.jsonl"
    path.write_bytes(lines(*range(2000)))
    subprocess.run([sys.executable, "-c", FULL, str(path), str(out), "150000"], capture_output=True, check=True)
    facts, table, *_ = sorted((tmp_path / "out" / "scores.jsonl.parts").glob("0*"))[::3]
    facts.write_bytes(b"")
    table.write_bytes(b"")
    outcome = score_files([path], PLAN, out, resume=True, chunk_bytes=20_000)
    assert outcome.rows == 2000 and len(out.read_bytes().splitlines()) == 2001


def test_files_at_an_address_are_read_as_files_here(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.jsonl").write_bytes(lines(1))
    (tmp_path / "runs" / "b.jsonl.gz").write_bytes(gzip.compress(lines(2)))
    (tmp_path / "runs" / "_SUCCESS").write_bytes(b"")
    address = (tmp_path / "runs").as_uri()
    assert score_files([address], PLAN, workers=2).rows == 2
    assert score_files([f"{address}/*.jsonl"], PLAN).rows == 1
    with pytest.raises(BulkError, match="found nothing"):
        score_files([f"{address}/*.parquet"], PLAN)
