"""Workers that die, hang on to nothing, and parents that are killed: the same scores come out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from toolcall_evals import Evaluator
from toolcall_evals.bulk import BulkError, Plan, score_files
from toolcall_evals.bulk._local import _timed
from toolcall_evals.bulk._rows import Row

EVALS = """
import os, time
from pathlib import Path
from toolcall_evals import Evaluator, checks

def measure(run):
    if os.environ.get("SLOWLY"):
        time.sleep(0.02)
        Path(os.environ["SLOWLY"], str(os.getpid())).touch()
    return 1.0, lambda: ("slow", {})

EVALUATORS = [Evaluator("lambda", lambda run: (1.0, lambda: ("", {})), {}), Evaluator("slow", measure, {}), checks.max_tool_calls(1)]
"""
RUN = """
import sys
from toolcall_evals.bulk import Plan, score_files
if __name__ == "__main__":
    score_files([sys.argv[1]], Plan(sys.argv[2]), sys.argv[3], chunk_bytes=2000, workers=2, resume=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "runs.jsonl"
    rows = [{"id": f"run-{number}", "messages": [{"role": "assistant", "content": "done"}]} for number in range(300)]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    (tmp_path / "evals.py").write_text(EVALS)
    return path


@pytest.fixture
def whole(file: Path, tmp_path: Path) -> bytes:
    score_files([file], Plan(str(tmp_path / "evals.py")), tmp_path / "whole" / "scores.parquet", chunk_bytes=2000)
    return (tmp_path / "whole" / "scores.parquet").read_bytes()


def started(file: Path, tmp_path: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A run with two workers, once both have scored; and these."""
    seen = tmp_path / "seen"
    seen.mkdir(exist_ok=True)
    arguments = [str(file), str(tmp_path / "evals.py"), str(tmp_path / "out" / "scores.parquet")]
    process = subprocess.Popen([sys.executable, "-c", RUN, *arguments], env={**os.environ, "SLOWLY": str(seen)})
    deadline = time.monotonic() + 60
    while len(os.listdir(seen)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    return process, [int(name) for name in os.listdir(seen)]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_that_is_killed_changes_nothing(file: Path, whole: bytes, tmp_path: Path) -> None:
    process, workers = started(file, tmp_path)
    os.kill(workers[0], signal.SIGKILL)
    assert process.wait(120) == 0
    assert (tmp_path / "out" / "scores.parquet").read_bytes() == whole
    assert not (tmp_path / "out" / "errors.jsonl").exists()


def test_workers_end_with_a_parent_that_is_killed_and_the_run_goes_on(file: Path, whole: bytes, tmp_path: Path) -> None:
    process, workers = started(file, tmp_path)
    time.sleep(0.5)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [is_running(worker) for worker in workers] == [False, False]
    assert not (tmp_path / "out" / "scores.parquet").exists()
    score_files([file], Plan(str(tmp_path / "evals.py")), tmp_path / "out" / "scores.parquet", chunk_bytes=2000, resume=True)
    assert (tmp_path / "out" / "scores.parquet").read_bytes() == whole


def test_a_limit_takes_the_same_rows_with_workers_where_a_row_kills(file: Path, tmp_path: Path) -> None:
    evals = tmp_path / "deadly.py"
    evals.write_text(
        "import multiprocessing, os\nfrom toolcall_evals import Evaluator\n\n"
        "def measure(run):\n"
        "    if run.final_text == 'die' and multiprocessing.parent_process():\n"
        "        os._exit(1)\n"
        "    return 1.0, lambda: ('', {})\n\n"
        "EVALUATORS = [Evaluator('deadly', measure, {})]\n"
    )
    rows = file.read_bytes().splitlines()
    rows[17] = orjson.dumps({"id": "bad", "messages": [{"role": "assistant", "content": "die"}]})
    file.write_bytes(b"\n".join(rows))
    for limit in (17, 18, 19, 40):
        outcome = score_files([file], Plan(str(evals)).limited(limit), chunk_bytes=2000, workers=2)
        assert (outcome.rows, outcome.unreadable, outcome.tallies[0].ones) == (limit, int(limit > 17), limit - int(limit > 17))


@pytest.mark.parametrize(
    ("evals", "says"),
    [
        ("import multiprocessing\nassert not multiprocessing.parent_process()\n", "a worker process cannot load the evaluators"),
        ("import multiprocessing, os\nif multiprocessing.parent_process(): os._exit(1)\n", "a worker process dies while it starts"),
    ],
)
def test_evaluators_that_no_worker_can_load_blame_no_row(evals: str, says: str, file: Path, tmp_path: Path) -> None:
    (tmp_path / "evals.py").write_text(evals + EVALS)
    with pytest.raises(BulkError, match=says):
        score_files([file], Plan(str(tmp_path / "evals.py")), workers=2, chunk_bytes=2000)


def test_evaluators_are_found_by_a_relative_place_in_every_worker(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert score_files(["runs.jsonl"], Plan("evals.py:EVALUATORS"), workers=2).rows == 300


def test_where_a_function_lies_in_memory_makes_no_other_run() -> None:
    def made() -> Plan:
        return Plan([Evaluator("made", lambda run, by: (1.0, lambda: ("", {})), {"by": lambda: None})])

    assert repr(made().built()[0]) != repr(made().built()[0])
    assert made().fingerprint({}, 1) == made().fingerprint({}, 1)


HANGS = """
import re, time
from toolcall_evals import Evaluator, checks

def measure(run):
    if run.final_text == "sleep":
        time.sleep(600)
    if run.final_text == "native":
        re.match("(a+)+$", "a" * 60 + "b")
    return 1.0, lambda: ("", {})

EVALUATORS = [Evaluator("hangs", measure, {}), checks.max_tool_calls(1)]
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", ["sleep", "native"])
def test_a_row_that_hangs_is_left_out_and_listed_once_a_limit_is_set(how: str, workers: int, file: Path, tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(HANGS)
    rows = file.read_bytes().splitlines()[:40]
    rows[17] = orjson.dumps({"id": "bad", "messages": [{"role": "assistant", "content": how}]})
    file.write_bytes(b"\n".join(rows))
    plan = Plan(str(tmp_path / "hangs.py"), row_timeout_s=0.5)
    outcome = score_files([file], plan, workers=workers, chunk_bytes=1000)
    assert (outcome.rows, outcome.tallies[0].ones, [error["row"] for error in outcome.errors]) == (40, 39, [17])
    assert outcome.errors[0]["cause"].startswith("it took more than 0.5 s")


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), float("inf")])
def test_a_limit_of_no_time_is_refused(limit: float, file: Path, tmp_path: Path) -> None:
    with pytest.raises(BulkError, match="expected a time limit for rows above 0 s"):
        score_files([file], Plan(str(tmp_path / "evals.py"), row_timeout_s=limit))


def test_the_time_that_counts_is_that_of_a_row_alone() -> None:
    read: list[float] = []

    def rows() -> Iterator[Row]:
        for number in range(3):
            read.append(signal.getitimer(signal.ITIMER_REAL)[0])
            yield Row(number, None, b"")

    for _ in _timed(60.0, rows()):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    watched = _timed(60.0, rows())
    next(watched)
    watched.close()  # type: ignore[attr-defined]  # a generator
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0 and read == [0.0] * 4


def test_a_limit_that_no_row_reaches_changes_nothing(file: Path, whole: bytes, tmp_path: Path) -> None:
    plan = Plan(str(tmp_path / "evals.py"), row_timeout_s=60)
    score_files([file], plan, tmp_path / "limited" / "scores.parquet", chunk_bytes=2000)
    assert (tmp_path / "limited" / "scores.parquet").read_bytes() == whole
