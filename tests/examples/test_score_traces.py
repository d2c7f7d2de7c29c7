"""Scores of stored traces, against counts that need none of our code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from examples import score_traces

ROOT = Path(__file__).parents[2]
TAU_BENCH = ROOT.parent / "shared" / "real_traces" / "tau_bench.jsonl"


def line(*tools: str, text: str = "Done.", **beside: Any) -> str:
    calls = [{"id": str(n), "type": "function", "function": {"name": name, "arguments": "{}"}} for n, name in enumerate(tools)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    messages += [{"role": "assistant", "content": None, "tool_calls": calls}] if calls else []
    messages += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
    return json.dumps({**beside, "messages": [*messages, {"role": "assistant", "content": text}]})


def test_every_check_that_is_asked_for_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(
        "\n".join([line("a", "b"), line("b", "a"), line("a", "a", "a", "a"), "", line(text="I cannot do that."), ""]), encoding="utf-8"
    )
    options = ["--called", "a", "--never", "b", "--order", "a,b", "--max-calls", "3", "--excludes", "cannot"]
    report = score_traces.main([str(file), *options])
    assert report.traces == 4
    assert report.statuses == {"success": 8}
    assert report.scores == {
        "no_tool_errors": [1, 1, 1, 1],
        "max_tool_calls:3": [1, 1, 0, 1],
        "called_tool:a": [1, 1, 1, 0],
        "did_not_call:b": [0, 0, 1, 1],
        "tool_order:a:b": [1, 0, 0, 0],
        "excludes:cannot": [1, 1, 1, 0],
    }
    assert "max_tool_calls:3  mean 0.75  3 of 4 passed" in str(report)
    assert f"{file}:3: 4 call(s) were made, at most 3 allowed" in str(report)


def test_what_cannot_be_read_is_reported_and_the_rest_is_scored(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(["{broken", json.dumps({"question": "no run"}), line("a"), json.dumps([])]), encoding="utf-8")
    report = score_traces.main([str(file)])
    assert report.traces == 1
    assert [problem.split(": ")[0] for problem in report.unreadable] == [f"{file}:1", f"{file}:2", f"{file}:4"]
    assert "1 traces, 3 unreadable" in str(report)


def test_labels_beside_the_messages_are_no_part_of_the_run(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(line("a", calls=[{"name": "b"}], expected=["b"]), encoding="utf-8")
    assert score_traces.main([str(file), "--called", "b"]).scores["called_tool:b"] == [0]


def in_order(names: list[str], wanted: list[str]) -> bool:
    rest = iter(names)
    return all(name in rest for name in wanted)


@pytest.mark.skipif(not TAU_BENCH.is_file(), reason="the recorded airline runs are not beside the checkout")
def test_a_hundred_real_airline_runs() -> None:
    with TAU_BENCH.open(encoding="utf-8") as lines:
        called = [[call["name"] for call in json.loads(each)["calls"]] for each in lines]
    options = ["--called", "get_user_details", "--never", "transfer_to_human_agents", "--max-calls", "12"]
    report = score_traces.main([str(TAU_BENCH), *options, "--order", "get_user_details,book_reservation"])
    assert (report.traces, report.unreadable) == (100, [])
    assert report.statuses == {"success": sum(len(names) for names in called)}
    assert report.scores == {
        "no_tool_errors": [1] * 100,
        "max_tool_calls:12": [len(names) <= 12 for names in called],
        "called_tool:get_user_details": ["get_user_details" in names for names in called],
        "did_not_call:transfer_to_human_agents": ["transfer_to_human_agents" not in names for names in called],
        "tool_order:get_user_details:book_reservation": [in_order(names, ["get_user_details", "book_reservation"]) for names in called],
    }


def test_the_script_prints_its_report(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(line("a"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "examples/score_traces.py", str(file), "--called", "a"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "1 traces, 0 unreadable; tool calls: 1 success"
    assert "called_tool:a      mean 1.00  1 of 1 passed" in done.stdout
