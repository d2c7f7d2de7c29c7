"""The page of quality figures shows what the files of figures say, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.quality.figures import FOLDER
from tests.quality.page import ORDER, PAGE, render

MADE: dict[str, Any] = {
    "title": "A table",
    "date": "2026-01-02",
    "versions": {"tool": "2.0", "Python": "3.11.7"},
    "text": "What it says.",
    "columns": ["part", "count", "share"],
    "rows": [["a|b", 12345, 99.5], ["all", 7, 1.0]],
    "notes": ["One thing left out."],
}


def test_the_page_in_the_documentation_is_the_one_that_the_files_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(FOLDER), "run `make quality`"


def test_a_file_of_figures_becomes_a_section_with_its_date_versions_table_and_notes(tmp_path: Path) -> None:
    (tmp_path / "fuzz.json").write_text(json.dumps(MADE), encoding="utf-8")
    _, _, shown = render(tmp_path).partition("## ")
    assert shown == (
        "A table\n\n`make fuzz`, 2026-01-02: Python 3.11.7, tool 2.0.\n\nWhat it says.\n\n"
        "| part | count | share |\n|---|--:|--:|\n| a\\|b | 12,345 | 99.5 |\n| all | 7 | 1.0 |\n\n- One thing left out.\n"
    )


def test_sections_keep_one_order_and_a_missing_file_leaves_none(tmp_path: Path) -> None:
    for name in ("mutation", "coverage"):
        (tmp_path / f"{name}.json").write_text(json.dumps({**MADE, "title": name}), encoding="utf-8")
    assert [line for line in render(tmp_path).splitlines() if line.startswith("## ")] == ["## coverage", "## mutation"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_every_file_of_figures_is_shown_and_its_rows_fit_its_columns(path: Path) -> None:
    assert path.stem in ORDER
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert figures["rows"] and {len(row) for row in figures["rows"]} == {len(figures["columns"])}
