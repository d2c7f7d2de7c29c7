"""The examples for tests and CI: unit tests that pass, a gate that finds the demo's faults, and the benchmark's reliability."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from examples import ci_gate, pass_hat_k

ROOT = Path(__file__).parents[2]
TAU_BENCH = ROOT.parent / "shared" / "real_traces" / "tau_bench.jsonl"


WORKFLOW = yaml.safe_load((ROOT / "examples" / "github_workflow.yml").read_text(encoding="utf-8"))
STEPS = WORKFLOW["jobs"]["agents"]["steps"]


def test_the_workflow_installs_what_there_is_and_keeps_what_its_commands_write():
    (install,) = [step["run"] for step in STEPS if "pip install" in step.get("run", "")]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(re.search(r"\.\[([a-z,]+)]", install)[1].split(",")) <= extras.keys()
    (kept,) = [step["with"]["path"].split() for step in STEPS if "upload-artifact" in step.get("uses", "")]
    commands = " ".join([step["run"] for step in STEPS if "run" in step])
    assert kept and all(re.search(rf"[ =]{re.escape(path)}\b", commands) for path in kept)
    assert WORKFLOW[True] == ["pull_request"]  # "on", as YAML 1.1 reads it


def test_the_commands_of_the_workflow_run_the_unit_tests_and_post_the_gates_verdict(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    page = tmp_path / "page.md"
    environment = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(page)}
    tests, gate = [step["run"] for step in STEPS if step.get("run", "").startswith("python -m")]

    done = [
        subprocess.run(["bash", "-e", "-c", run], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=180, check=False)
        for run in (tests, gate)
    ]
    assert done[0].returncode == 0, done[0].stdout
    assert "test_small_talk_needs_no_tool: 3 of 3 succeeded" in done[0].stdout
    assert done[1].returncode == 1, done[1].stderr  # the demo agent goes wrong on purpose
    assert page.read_text(encoding="utf-8").startswith("### Tool calls: failed\n")
    assert {"tests.xml", "gate.xml", "results.jsonl"} <= {each.name for each in tmp_path.iterdir()}


@pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta")
def test_the_gate_posts_its_verdict_and_compares_with_a_baseline(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    options = ["--write", str(tmp_path / "results.jsonl"), "--junit", str(tmp_path / "gate.xml")]
    assert ci_gate.main(options) == 1
    assert ci_gate.main(["--baseline", str(tmp_path / "results.jsonl")]) == 1
    assert "\nverdict: failed\n" in capsys.readouterr().out
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert text.count("### Tool calls: failed") == 2
    assert ElementTree.parse(tmp_path / "gate.xml").getroot()[0].get("failures") == "3"


def test_a_recording_of_no_trials_is_said_to_be_absent(tmp_path, capsys):
    assert pass_hat_k.main([str(tmp_path / "absent.jsonl")]) == 0
    assert capsys.readouterr().out == f"skipped: {tmp_path / 'absent.jsonl'} is not there\n"


@pytest.mark.skipif(not TAU_BENCH.is_file(), reason="the recorded benchmark runs are not beside the checkout")
def test_the_benchmarks_reliability_is_the_share_of_trials_and_of_pairs_that_pass(capsys):
    rewards = defaultdict(list)
    with TAU_BENCH.open(encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            rewards[run["task_id"]].append(run["ground_truth_pass"])
    assert {len(trials) for trials in rewards.values()} == {2}
    one = sum(sum(trials) / 2 for trials in rewards.values()) / len(rewards)
    both = sum(trials[0] and trials[1] for trials in rewards.values()) / len(rewards)
    assert pass_hat_k.main([str(TAU_BENCH)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"reward: pass^1 {one:.4f} of {len(rewards)} tasks, 0 with too few trials"
    assert lines[1] == f"reward: pass^2 {both:.4f} of {len(rewards)} tasks, 0 with too few trials"
