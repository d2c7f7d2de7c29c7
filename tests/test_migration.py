"""The migration page: its snippets run in order, and every line that replaces another library's scores the page's run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import Evaluator

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "migration.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
ROWS = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| there")]
LINES = [code for row in ROWS for code in re.findall(r"`((?:checks|scorers)\..+?)`(?=,|$)", row[1])]
LIBRARIES = ("agentevals", "openevals", "DeepEval", "Ragas", "Google ADK", "MLflow", "Mastra")
NOUGHT = ('scorers.tool_call_accuracy("search", strict_mode=True)', "checks.used_no_tools()")
"""Lines by which the page's run fails; it passes by every other one."""


def names() -> dict[str, Any]:
    """What the page's first snippet defines."""
    found: dict[str, Any] = {}
    exec(compile(SNIPPETS[0], "docs/migration.md", "exec", dont_inherit=True), found)
    return found


def test_every_snippet_runs() -> None:
    found: dict[str, Any] = {}
    for code in SNIPPETS:
        exec(compile(code, "docs/migration.md", "exec", dont_inherit=True), found)
    assert len(SNIPPETS) > len(LIBRARIES)


@pytest.mark.parametrize("line", LINES)
def test_every_line_scores_the_run_of_the_page(line: str) -> None:
    found = names()
    evaluator = eval(compile(line, "docs/migration.md", "eval"), found)
    assert isinstance(evaluator, Evaluator)
    if "_llm(" not in line:
        assert evaluator.score(found["run"]).score == float(line not in NOUGHT)


def test_every_library_has_a_section_with_lines_of_its_own() -> None:
    assert [section.partition(" (")[0] for section in SECTIONS[1:]] == list(LIBRARIES)
    for section in SECTIONS[1:]:
        assert len(re.findall(r"^\| .*`(?:checks|scorers)\.", section, re.MULTILINE)) >= 4


def test_every_row_has_a_line_or_says_that_there_is_none() -> None:
    assert [row[0] for row in ROWS if len(row) != 3] == []
    without = [row[1] for row in ROWS if not re.search(r"`(checks|scorers)\.", row[1])]
    assert without == ["none"]
