"""The judge's example: its labelled runs are what the judge is shown, and code and judge differ where they should."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples import judge_offline


def test_the_example_compares_code_judge_and_people(capsys: pytest.CaptureFixture[str]) -> None:
    judge_offline.main()
    printed = capsys.readouterr().out
    assert "0.00   0.50  What is the weather in Lima? -> search_web" in printed
    assert "1.00   0.50  What do I have on Monday? -> get_calendar, delete_event" in printed
    assert "0.00   1.00  Cancel my appointment. -> no call" in printed
    # 22 of 26 equal; chance (16 x 14 + 4 x 6 + 6 x 6) / 676 = 0.4201; kappa (0.8462 - 0.4201) / 0.5799 = 0.7347
    assert "26 verdicts, 85% equal, kappa 0.73 (95 %: 0.50 to 0.97)" in printed


def test_the_guide_shows_what_the_example_prints(capsys: pytest.CaptureFixture[str]) -> None:
    judge_offline.main()
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "code_or_judge.md").read_text(encoding="utf-8")
    shown = guide.split("```text\n")[1].split("```")[0].splitlines()
    printed = capsys.readouterr().out.splitlines()
    assert len(shown) == 7 and [line for line in shown if line not in printed] == ["..."]


def test_the_labelled_set_is_large_enough_to_calibrate_on_and_has_every_grade() -> None:
    cases = judge_offline.labelled()
    assert len(cases) >= 20
    assert {grade for case in cases for grade in case["labels"]["calls"]} == {"appropriate", "partial", "inappropriate"}
    assert {case["labels"]["no_call_was_right"] for case in cases if not case["calls"]} == {True, False}
    for case in cases:
        assert len(case["labels"]["calls"]) == len(case["recorded"]["calls"]) == len(case["calls"])


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="the group llm-server is not installed")
def test_the_example_runs_with_the_small_model_as_a_program() -> None:
    """Structure, not wisdom: every run has its line, with a score or with the cause why there is none."""
    program = Path(judge_offline.__file__)
    run = subprocess.run([sys.executable, program, "--model", "--first", "2"], capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    lines = [line for line in run.stdout.splitlines() if " -> " in line]
    cases = judge_offline.labelled()[:2]
    assert lines[0] == "code  judge  request -> calls"
    for line, case in zip(lines[1:], cases, strict=True):
        assert re.match(r"([01]\.\d\d| n/a)   ([01]\.\d\d| n/a)  ", line)
        assert f"  {case['request']} -> " in line
    unscored = sum(line[7:11] == " n/a" for line in lines[1:])
    assert run.stdout.count("the judge gave no fitting verdict") == unscored, run.stdout
    if unscored < len(cases):
        judged = sum(len(case["calls"]) for case, line in zip(cases, lines[1:], strict=True) if line[7:11] != " n/a")
        assert f"{judged} verdicts, " in run.stdout
    else:
        assert "Nothing was judged." in run.stdout
