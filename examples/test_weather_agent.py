"""
Unit tests of a LangGraph agent.

    .venv/bin/python -m pytest examples/test_weather_agent.py

The plugin of toolcall-evals brings the fixture and the marker. Only the model is scripted; a real
one makes the last test worth its repetitions.
"""

from __future__ import annotations

import pytest
from examples.weather_agent import weather_agent

from toolcall_evals import checks, scorers
from toolcall_evals.testing import assert_scores, at_least, soft


def ask(recorder, question):
    weather_agent().invoke({"messages": [("user", question)]}, config=recorder.config)
    return recorder


def test_the_weather_is_looked_up(record_langgraph):
    run = ask(record_langgraph, "What is the weather in Brooklyn?")
    assert_scores(
        run, checks.called_tool("get_weather"), checks.no_tool_errors(), checks.includes("14 °C")
    )


def test_a_place_is_found_before_its_weather(record_langgraph):
    run = ask(record_langgraph, "What is the weather in Springfield?")
    with soft():
        assert_scores(run, checks.tool_order(["find_place", "get_weather"]))
        assert_scores(
            run,
            at_least(
                scorers.tool_call_f1([{"name": "find_place"}, {"name": "get_weather"}], "ignore"),
                0.9,
            ),
        )


@pytest.mark.repeat_agent(n=3, pass_hat=3)
def test_small_talk_needs_no_tool(record_langgraph):
    assert_scores(ask(record_langgraph, "Thank you!"), checks.used_no_tools())
