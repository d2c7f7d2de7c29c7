"""Ray with two workers on this machine: the same files as without it, whatever dies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from toolcall_evals import checks
from toolcall_evals.bulk import BulkError, Condition, Plan, Selection, score_files

ray = pytest.importorskip("ray", reason="ray is not installed (the dependency group `ray` has it)")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of sockets and processes that it leaves to its end

EVALS = """
import os, signal
from pathlib import Path
from toolcall_evals import Evaluator, checks

def once(name):
    try:
        (Path(__file__).parent / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

def actor():
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cmdline").read_bytes().startswith(b"ray::MapWorker"):
                return int(path.name)
        except OSError:
            pass

def measure(run):
    if run.final_text == "kill the process":
        os._exit(9)
    if run.final_text == "kill the process once" and once("process"):
        os._exit(9)
    if run.final_text == "kill the actor once" and actor() and once("actor"):
        os.kill(actor(), signal.SIGKILL)
    return 1.0, lambda: ("alive", {})

EVALUATORS = [Evaluator("alive", measure, {}), checks.max_tool_calls(1)]
"""
SAID = {7: "kill the process once", 30: "kill the process", 50: "kill the actor once"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ray")
    (folder / "evals.py").write_text(EVALS)
    rows = [{"id": f"run-{number}", "messages": [{"role": "assistant", "content": SAID.get(number, "fine")}]} for number in range(80)]
    (folder / "runs.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return folder / "runs.jsonl"


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR", _node_ip_address="127.0.0.1")
        yield
        ray.shutdown()


def test_scores_and_errors_are_those_of_one_machine_whatever_dies(file: Path) -> None:
    plan, folder = Plan(str(file.parent / "evals.py"), survey=True), file.parent
    by_ray = score_files([file], plan, folder / "ray" / "scores.parquet", engine="ray", workers=2, chunk_bytes=1500)
    assert (folder / "process").exists() and (folder / "actor").exists()
    here = score_files([file], plan, folder / "here" / "scores.parquet", workers=2, chunk_bytes=1500)
    assert (by_ray.rows, by_ray.unreadable, [error["row"] for error in by_ray.errors]) == (80, 1, [30])
    assert by_ray.tallies == here.tallies
    for name in ("scores.parquet", "errors.jsonl"):
        assert (folder / "ray" / name).read_bytes() == (folder / "here" / name).read_bytes()


def test_a_limit_and_a_sample_take_the_same_rows(file: Path) -> None:
    selection = Selection((Condition.of("id!=run-3"),), sample=0.5, seed=4, limit=11)
    plan = Plan([checks.max_tool_calls(1)], selection=selection)
    for engine, name in (("ray", "a.jsonl"), ("local", "b.jsonl")):
        score_files([file], plan, file.parent / name, engine=engine, workers=2, chunk_bytes=1500)  # type: ignore[arg-type]  # one of the two
    assert (file.parent / "a.jsonl").read_bytes() == (file.parent / "b.jsonl").read_bytes()
    assert len((file.parent / "a.jsonl").read_bytes().splitlines()) == 12


def test_evaluators_that_no_worker_can_load_are_said(file: Path) -> None:
    evals = file.parent / "broken.py"
    evals.write_text("import multiprocessing\nassert not multiprocessing.parent_process()\n" + EVALS)
    with pytest.raises(BulkError, match="cannot load the evaluators"):
        score_files([file], Plan(str(evals)), engine="ray", workers=1)


def test_the_example_of_the_documentation_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "at_scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(?:# needs: (\w+)\n)?(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    for needed, code in blocks:
        if needed in ("", "ray"):
            exec(compile(code, "at_scale.md", "exec", dont_inherit=True), names)
