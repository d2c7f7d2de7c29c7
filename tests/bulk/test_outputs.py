"""Outputs side by side, asked for again, and at the same time: no run takes what is another's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from toolcall_evals import checks
from toolcall_evals.bulk import BulkError, Outcome, Plan, score_files

PLAN = Plan([checks.no_tool_errors(), checks.max_tool_calls(1)])
GOOD = orjson.dumps({"id": "good", "messages": [{"role": "assistant", "content": "done"}]}) + b"\n"


@pytest.fixture
def runs(tmp_path: Path) -> Callable[..., Path]:
    def written(name: str, *broken: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(GOOD + b"".join(each + b"\n" for each in broken))
        return path

    return written


def listed(path: Path) -> list[str]:
    return [orjson.loads(line)["line"] for line in path.read_bytes().splitlines()]


def test_outputs_in_one_folder_each_keep_their_list(runs: Callable[..., Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = score_files([runs("a.jsonl", b"one")], PLAN, out / "a.parquet")
    second = score_files([runs("b.jsonl", b"two", b"three")], PLAN, out / "b.jsonl")
    assert (first.errors_path, second.errors_path) == (out / "errors.jsonl", out / "b.jsonl.errors.jsonl")
    assert (listed(out / "errors.jsonl"), listed(out / "b.jsonl.errors.jsonl")) == (["one"], ["two", "three"])
    assert [orjson.loads((out / name).read_bytes().splitlines()[0])["output"] for name in ("errors.jsonl", "b.jsonl.errors.jsonl")] == [
        "a.parquet",
        "b.jsonl",
    ]
    again = score_files([runs("b.jsonl")], PLAN, out / "b.jsonl", overwrite=True)
    assert again.errors_path is None and not (out / "b.jsonl.errors.jsonl").exists()
    assert listed(out / "errors.jsonl") == ["one"]
    score_files([runs("a.jsonl", b"four")], PLAN, out / "a.parquet", overwrite=True)
    assert listed(out / "errors.jsonl") == ["four"]
    score_files([runs("a.jsonl")], PLAN, out / "a.parquet", overwrite=True)
    assert not (out / "errors.jsonl").exists()


@pytest.mark.parametrize("foreign", [b"of another run\n", b"", b"[1]\n", b'{"output": "other.jsonl"}\n'])
def test_a_file_of_that_name_which_is_no_list_of_ours_is_left_alone(foreign: bytes, runs: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "errors.jsonl").write_bytes(foreign)
    for overwrite, broken in ((False, [b"one"]), (True, [b"two"]), (True, [])):
        outcome = score_files([runs("runs.jsonl", *broken)], PLAN, tmp_path / "out" / "scores.jsonl", overwrite=overwrite)
        assert outcome.errors_path == (tmp_path / "out" / "scores.jsonl.errors.jsonl" if broken else None)
        assert (tmp_path / "out" / "errors.jsonl").read_bytes() == foreign


def test_a_list_asked_for_by_name_replaces_only_its_own_unless_told_to(runs: Callable[..., Path], tmp_path: Path) -> None:
    out, errors = tmp_path / "out" / "scores.jsonl", tmp_path / "lists" / "bad.jsonl"
    score_files([runs("runs.jsonl", b"one")], PLAN, out, errors=errors)
    assert listed(errors) == ["one"] and not (tmp_path / "out" / "errors.jsonl").exists()
    with pytest.raises(BulkError, match=r"bad\.jsonl is there already; .*--overwrite, overwrite=True"):
        score_files([runs("runs.jsonl", b"two")], PLAN, tmp_path / "out" / "other.jsonl", errors=errors)
    score_files([runs("runs.jsonl", b"two")], PLAN, out, errors=errors, overwrite=True)
    assert listed(errors) == ["two"]


def test_a_finished_run_that_is_resumed_gives_the_same_outcome_and_scores_nothing(runs: Callable[..., Path], tmp_path: Path) -> None:
    path, out = runs("runs.jsonl", b"broken"), tmp_path / "out" / "scores.parquet"
    plan = replace(PLAN, survey=True)
    first = score_files([path], plan, out)
    stamps = {file: file.stat().st_mtime_ns for file in out.parent.iterdir()}
    again = score_files([path], plan, out, resume=True)
    assert isinstance(again, Outcome) and again.was_finished and not first.was_finished
    assert (again.rows, again.unreadable, again.errors, again.errors_path) == (2, 1, first.errors, out.parent / "errors.jsonl")
    assert again.tallies == first.tallies and again.seconds == first.seconds
    assert again.survey is not None and first.survey is not None and again.survey.to_dict() == first.survey.to_dict()
    assert {file: file.stat().st_mtime_ns for file in out.parent.iterdir()} == stamps


def test_a_finished_run_of_other_files_or_evaluators_is_not_resumed(runs: Callable[..., Path], tmp_path: Path) -> None:
    path, out = runs("runs.jsonl"), tmp_path / "out" / "scores.jsonl"
    score_files([path], PLAN, out)
    with pytest.raises(BulkError, match=r"is of another run: evaluators was .*--overwrite, overwrite=True"):
        score_files([path], Plan([checks.max_tool_calls(2)]), out, resume=True)
    runs("runs.jsonl", b"more")
    with pytest.raises(BulkError, match="is of another run: files was"):
        score_files([path], PLAN, out, resume=True)
    runs("runs.jsonl")
    out.write_bytes(out.read_bytes() + b"\n")
    with pytest.raises(BulkError, match="does not say of which run"):
        score_files([path], PLAN, out, resume=True)
    score_files([path], PLAN, out, overwrite=True)
    (out.parent / "scores.jsonl.run").write_text("{")
    with pytest.raises(BulkError, match="does not say of which run"):
        score_files([path], PLAN, out, resume=True)


@pytest.mark.parametrize("place", ["s3://bucket/scores.parquet", "gs://bucket/scores.jsonl"])
def test_an_output_in_an_object_store_is_refused_before_anything_is_made(
    place: str, runs: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = runs("runs.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BulkError, match="expected a file of this machine"):
        score_files([path], PLAN, place)
    assert os.listdir(tmp_path) == ["runs.jsonl"]


HOLDS = """
import sys, time
from pathlib import Path
from toolcall_evals import Evaluator
from toolcall_evals.bulk import Plan, score_files

def measure(run):
    Path(sys.argv[3]).touch()
    time.sleep(60)
    return 1.0, lambda: ("", {})

score_files([sys.argv[1]], Plan([Evaluator("slow", measure, {})]), sys.argv[2], resume=True)
"""


@pytest.mark.parametrize("asked", [{"resume": True}, {"overwrite": True}, {}])
def test_two_runs_never_write_one_output_at_the_same_time(asked: dict[str, bool], runs: Callable[..., Path], tmp_path: Path) -> None:
    path, out, mark = runs("runs.jsonl"), tmp_path / "out" / "scores.jsonl", tmp_path / "mark"
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(path), str(out), str(mark)])
    try:
        deadline = time.monotonic() + 60
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(BulkError, match=r"another process is writing .*scores\.jsonl: wait until it ends"):
            score_files([path], PLAN, out, **asked)  # type: ignore[arg-type]  # flags
        assert (tmp_path / "out" / "scores.jsonl.parts" / "plan.json").exists()
        assert score_files([path], PLAN, out.with_name("other.jsonl")).rows == 1
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert score_files([path], PLAN, out, overwrite=True).rows == 1
    assert sorted(os.listdir(out.parent)) == ["other.jsonl", "other.jsonl.run", "scores.jsonl", "scores.jsonl.run"]


def test_what_is_kept_of_a_finished_run_is_json(runs: Callable[..., Path], tmp_path: Path) -> None:
    score_files([runs("runs.jsonl", b"\xff")], PLAN, tmp_path / "out" / "scores.jsonl")
    kept = json.loads((tmp_path / "out" / "scores.jsonl.run").read_bytes())
    assert set(kept) == {"fingerprint", "written", "outcome"} and kept["outcome"]["rows"] == 2
