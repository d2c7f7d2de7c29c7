"""
Unit tests of a CrewAI crew.

    pytest examples/test_research_crew.py
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

if (
    find_spec("crewai") is None
):  # not importorskip: crewai must not be imported before the example has silenced it
    pytest.skip("crewai is not installed", allow_module_level=True)

from examples.crewai_research import research_crew

from toolcall_evals import checks
from toolcall_evals.testing import assert_scores

pytestmark = pytest.mark.filterwarnings("ignore:::crewai")


def test_the_crew_searches_reads_and_saves(capture_crew):
    crew = research_crew()
    with capture_crew(crew) as run:
        crew.kickoff()
    assert_scores(
        run,
        checks.tool_order(["search_web", "read_page", "save_report"]),
        checks.called_tool("save_report", agent="Writer"),
    )


def test_a_page_that_is_down_is_noticed(capture_crew):
    crew = research_crew()
    with capture_crew(crew) as run:
        crew.kickoff()
    assert checks.no_tool_errors().score(run.trajectory).score == 0.0
