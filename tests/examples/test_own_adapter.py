from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from examples.own_adapter import ADAPTER

from toolcall_evals import Reading, TraceFormatError

ROOT = Path(__file__).parents[2]
ASK = """
from toolcall_evals import checks, to_trajectory
step = {"tool": "search", "input": {"q": "x"}, "output": "down", "failed": True}
log = {"steplog": 1, "question": "Tides?", "steps": [step], "answer": "No."}
scores = [check.score(log).score for check in (checks.called_tool("search"), checks.no_tool_errors())]
print(to_trajectory(log).source, *scores)
"""


def test_an_entry_point_makes_every_check_read_the_records(tmp_path: Path) -> None:
    installed = tmp_path / "steplog-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: steplog\nVersion: 1\n")
    entry_points = "[toolcall_evals.adapters]\nsteplog = examples.own_adapter:ADAPTER\n"
    (installed / "entry_points.txt").write_text(entry_points)
    program = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]\n{ASK}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "steplog 1.0 0.0\n"


def test_what_is_not_its_own_is_left_to_others() -> None:
    assert ADAPTER.convert({"messages": []}, Reading()) is None


@pytest.mark.parametrize("steps", [None, [{"input": {}}], ["search"]])
def test_a_log_that_cannot_be_read_is_refused(steps: object) -> None:
    with pytest.raises(TraceFormatError, match="step log, found"):
        ADAPTER.convert({"steplog": 1, "steps": steps}, Reading())
