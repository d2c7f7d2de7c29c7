"""The coverage table adds up files into their packages and rounds towards less."""

from __future__ import annotations

from typing import Any

import pytest
from tests.quality.coverage_table import package, percent, table


def file(statements: int, run: int, branches: int, taken: int) -> dict[str, Any]:
    return {"summary": {"num_statements": statements, "covered_lines": run, "num_branches": branches, "covered_branches": taken}}


def test_the_files_of_a_package_are_one_row_and_the_last_row_is_all_of_them() -> None:
    files = {
        "src/toolcall_evals/checks/_follows.py": file(20, 20, 8, 7),
        "adapters/toolcall_evals_crewai/_rows.py": file(10, 5, 0, 0),
        "src/toolcall_evals/checks/_matches.py": file(10, 9, 2, 2),
    }
    assert table(files) == [
        ["toolcall_evals_crewai", 10, 50.0, 0, 100.0],
        ["toolcall_evals.checks", 30, 96.6, 10, 90.0],
        ["all", 40, 85.0, 10, 90.0],
    ]


@pytest.mark.parametrize(("part", "whole", "shown"), [(999, 1000, 99.9), (9999, 10000, 99.9), (19, 20, 95.0), (0, 0, 100.0), (0, 3, 0.0)])
def test_a_percentage_is_rounded_down(part: int, whole: int, shown: float) -> None:
    assert percent(part, whole) == shown


def test_a_module_of_the_package_itself_belongs_to_the_package() -> None:
    assert package("src/toolcall_evals/gates.py") == "toolcall_evals"
