"""Large lists of runs in `.json` files: read piece by piece, with the rows that reading them whole gives."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.make_traces import Generator, record
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import checks
from toolcall_evals.bulk import Plan, score_files
from toolcall_evals.bulk._arrays import lines_of_items
from toolcall_evals.bulk._chunks import chunks_of
from toolcall_evals.bulk._rows import rows_of

PLAN = Plan([checks.no_tool_errors(), checks.max_tool_calls(7)])
TEXTS = st.text('ab"\\[]{},:\n\té\u2028', max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 1]), st.booleans(), st.sampled_from(["", "\n", " \n\n"]), st.integers(1, 20))
def test_the_lines_are_the_items_wherever_the_pieces_end(items: list[Any], indent: int | None, ascii: bool, end: str, size: int) -> None:
    text = (json.dumps(items, indent=indent, ensure_ascii=ascii) + end).encode()
    lines = b"".join(lines_of_items(text[place : place + size] for place in range(0, len(text), size)))
    assert len(lines) == len(text)
    assert [json.loads(line) for line in lines.split(b"\n") if line.strip()] == items


def runs(count: int) -> list[dict[str, Any]]:
    generator = Generator(0)
    return [record(generator, number) for number in range(count)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["runs.json", "runs.json.gz"])
def test_a_list_read_in_chunks_gives_what_reading_it_whole_gives(name: str, indent: int | None, tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(runs(40), indent=indent).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    for out, chunk in (("whole.jsonl", 2**24), ("cut.jsonl", 20_000)):
        outcome = score_files([tmp_path / name], PLAN, tmp_path / "out" / out, chunk_bytes=chunk, workers=1 if indent else 2)
        assert (outcome.rows, outcome.unreadable) == (40, 0)
    assert {chunk.kind for chunk in chunks_of([str(tmp_path / name)], 20_000)} == {"block"}
    assert (tmp_path / "out" / "cut.jsonl").read_bytes() == (tmp_path / "out" / "whole.jsonl").read_bytes()


def test_what_is_broken_in_a_large_list_costs_itself_alone(tmp_path: Path) -> None:
    items = [json.dumps(run) for run in runs(20)]
    items[7], items[9] = '{"messages": [}', "null"
    whole = f"[{', '.join(items)}]\n"
    for text, bad in ((whole, {7: "not JSON", 9: ""}), (whole[: whole.rindex("content")], {7: "not JSON", 9: "", 19: "not JSON"})):
        (tmp_path / "runs.json").write_text(text)
        outcome = score_files([tmp_path / "runs.json"], PLAN, chunk_bytes=20_000)
        assert outcome.rows == 20 and all(cause in error["cause"] for error, cause in zip(outcome.errors, bad.values(), strict=True))
        assert [error["row"] for error in outcome.errors] == list(bad)


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        pytest.param([{"role": "user", "content": "x" * 50}] * 400, 1, id="a list of messages"),
        pytest.param([[{"role": "user", "content": "x" * 50}]] * 400, 400, id="a list of lists of messages"),
        pytest.param({"messages": [{"role": "user", "content": "x" * 50}] * 400}, 1, id="one run"),
        pytest.param(["x" * 50] * 400, 1, id="a list of texts"),
    ],
)
def test_only_a_list_of_runs_is_cut(value: Any, rows: int, tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text(json.dumps(value))
    assert score_files([tmp_path / "runs.json"], PLAN, chunk_bytes=5_000).rows == rows
    assert sum(1 for chunk in chunks_of([str(tmp_path / "runs.json")], 5_000) for _ in rows_of(chunk)) == rows


@pytest.mark.parametrize("name", ["one.json", "one.json.gz"])
def test_one_value_beyond_all_measure_is_listed_with_advice(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with gzip.open(path, "wb", 1) if name.endswith("gz") else open(path, "wb") as file:
        file.write(b'{"runs": [\n')
        for _ in range(260):
            file.write(b" " * 2**20)
        file.write(b"]}")
    outcome = score_files([path], PLAN)
    assert (outcome.rows, outcome.unreadable) == (1, 1)
    assert "expected a JSON value of at most 268,435,456 bytes" in outcome.errors[0]["cause"] and "jq -c" in outcome.errors[0]["cause"]


PEAK = """
import resource, sys
from toolcall_evals import checks
from toolcall_evals.bulk import Plan, score_files
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert score_files([sys.argv[1]], Plan([checks.max_tool_calls(3)]), chunk_bytes=2**20).rows == int(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_is_bounded_by_a_chunk(tmp_path: Path) -> None:
    few = json.dumps(runs(500))
    (tmp_path / "few.json").write_text(few)
    (tmp_path / "many.json").write_text(f"[{', '.join([few[1:-1]] * 8)}]")
    peaks = [
        int(subprocess.run([sys.executable, "-c", PEAK, str(tmp_path / name), str(rows)], capture_output=True, check=True).stdout)
        for name, rows in (("few.json", 500), ("many.json", 4000))
    ]
    assert peaks[1] < peaks[0] + 20_000  # kilobytes; the larger file has 30 MB
