"""Run by check-wheel where the wheel has its extra `cli` and pytest beside it: the command, and the plugin in a suite of somebody else."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import sysconfig

MESSAGES = [
    {"role": "user", "content": "Is it raining in Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "rain"},
    {"role": "assistant", "content": "It is raining."},
]
TESTS = f"""
import pytest
from toolcall_evals import checks
from toolcall_evals.testing import assert_scores

MESSAGES = {MESSAGES!r}

@pytest.mark.repeat_agent(3, pass_hat=3)
def test_the_weather_is_asked():
    assert_scores({{"messages": MESSAGES}}, checks.called_tool("get_weather"))

def test_the_web_is_searched():
    assert_scores({{"messages": MESSAGES}}, checks.called_tool("search"))
"""
SCRIPTS = pathlib.Path(sysconfig.get_path("scripts"))


def done(*command: str) -> tuple[int, str]:
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    return ran.returncode, ran.stdout + ran.stderr


pathlib.Path("runs.jsonl").write_text(json.dumps({"messages": MESSAGES}) + "\n", encoding="utf-8")
pathlib.Path("evals.toml").write_text('[[check]]\nname = "max_tool_calls"\nn = 1\n', encoding="utf-8")
command = str(SCRIPTS / "toolcall-evals")
code, shown = done(command, "score", "runs.jsonl", "--evals", "evals.toml", "--out", "scores.jsonl", "--report", "report.html")
assert code == 0, shown
_, row = [json.loads(line) for line in pathlib.Path("scores.jsonl").read_text(encoding="utf-8").splitlines()]
assert row["score"] == 1.0, row
assert "<html" in pathlib.Path("report.html").read_text(encoding="utf-8")

pathlib.Path("test_agent.py").write_text(TESTS, encoding="utf-8")
code, shown = done(sys.executable, "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_agent.py")
assert code == 1 and "1 failed, 1 passed" in shown, shown
assert "search" in shown, shown
print("the command scores and reports; the plugin repeats a test and explains a failure")
