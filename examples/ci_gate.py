"""
The gate of a CI job: evaluates the weather agent, judges the results, compares them with a
baseline, and posts what it found.

    python -m examples.ci_gate [--baseline results.jsonl] [--write results.jsonl] [--junit gate.xml]

The demo agent goes wrong on purpose: the gate fails, and says where. The exit code is 0 when every
gate and threshold holds and nothing got worse. In GitHub Actions the summary is shown on the job's
page.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from examples.weather_agent import evaluated

from toolcall_evals.gates import gate
from toolcall_evals.regression import compare
from toolcall_evals.results import write_results

GATES = ["did_not_call:search_web"]
THRESHOLDS = {"tool_call_accuracy": 0.9, "no_tool_errors": 0.9}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="the gate of a CI job")
    parser.add_argument("--baseline", type=Path, help="a results file to compare with")
    parser.add_argument("--write", type=Path, help="where to keep the results")
    parser.add_argument("--junit", type=Path, help="where to write JUnit XML")
    options = parser.parse_args(arguments)

    # the demo makes its examples anew each time, with new ids; those of LangSmith's datasets stay
    results = [replace(row, id=row.example) for row in evaluated() if row.key != "used_no_tools"]
    report = gate(results, GATES, THRESHOLDS, allow_unscored=True)
    print(report)
    summary, code = report.markdown(), report.exit_code
    if options.baseline:
        comparison = compare(options.baseline, results)
        print(comparison)
        summary, code = (
            f"{summary}\n{comparison.markdown()}",
            max(code, int(comparison.regressed())),
        )
    if options.write:
        write_results(options.write, results)
    if options.junit:
        options.junit.write_text(report.junit_xml(), encoding="utf-8")
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(page, "a", encoding="utf-8") as file:
            file.write(summary)
    return code


if __name__ == "__main__":
    sys.exit(main())
