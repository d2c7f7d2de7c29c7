"""The CrewAI examples print what the output of a crew alone would not have shown."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from importlib import import_module
from typing import Any

import pytest

from toolcall_evals_crewai import quiet_offline

pytestmark = [pytest.mark.crewai, pytest.mark.filterwarnings("ignore:::crewai")]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Imports an example by name; skips where crewai is not installed."""
    if importlib.util.find_spec("crewai") is None:
        pytest.skip("crewai is not installed")
    if "crewai" not in sys.modules:
        quiet_offline(storage=tmp_path_factory.mktemp("crewai"))

    def imported(name: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some of what crewai imports is deprecated
            if not hasattr(import_module("crewai").BaseLLM, "model_fields"):
                pytest.skip("the examples' models have fields, which crewai's own have from 1.13")
            return import_module(f"examples.{name}")

    return imported


def test_the_research_crew_is_shown_call_by_call_and_scored_task_by_task(example, capsys):
    example("crewai_research").main()
    out = capsys.readouterr().out
    assert "Researcher, find: read_page({'url': 'tides.example/sun'}) error" in out
    assert "Writer, write: save_report({'title': 'Tides', 'text': 'Two bulges, twice a day.'}) success" in out
    assert "  Writer: save_report\n" in out
    assert "  find: no_tool_errors 0.0\n  write: no_tool_errors 1.0\n" in out
    callbacks = out.split("by callbacks")[1]
    assert "tool_order:search_web" in callbacks and "max_tool_calls:3: 0.0" in callbacks


def test_the_capture_shows_the_delegated_call_that_the_output_lacks(example, capsys):
    example("crewai_hierarchical").main()
    output, captured = capsys.readouterr().out.split("The capture shows:")
    assert "called_tool:tide_table: 0.0" in output
    assert "Pilot: tide_table (tool, success, inside " in captured
    assert "called_tool:tide_table: 1.0" in captured


def test_the_invented_observation_is_caught(example, capsys):
    example("crewai_invented_observation").main()
    honest, invented = capsys.readouterr().out.split("invented: ")
    assert "tide_table({'port': 'Dover'}) success: Dover: 04:12" in honest
    assert "no_hallucinated_tool_calls: 1.0" in honest
    assert invented.startswith("At 11:47.")
    assert "tide_table({'port': 'Dover'}) hallucinated: Dover: 11:47" in invented
    assert "called_tool:tide_table: 0.0" in invented
    assert "no_hallucinated_tool_calls: 0.0" in invented
