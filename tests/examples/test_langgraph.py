"""The LangGraph examples print what a reader of the final messages alone would have missed."""

from __future__ import annotations

import pytest

from examples import langgraph_hidden_subgraph, langgraph_human_in_the_loop, langgraph_supervisor


def test_the_supervisors_state_holds_the_handoffs_and_the_record_the_workers_calls(capsys: pytest.CaptureFixture[str]) -> None:
    langgraph_supervisor.main()
    state, record = capsys.readouterr().out.split("The record shows:")
    assert "transfer_to_researcher" in state
    assert "search_flights" not in state
    assert "researcher: search_flights({'origin': 'FRA', 'destination': 'JFK'}) tool success" in record
    assert record.count("researcher: search_hotels({'city': 'New York'}) tool error") == 2
    assert "accountant: convert({'amount': 590, 'currency': 'USD'}) tool success" in record
    for said in (
        "no_tool_errors on the state: 1.0",
        "no_tool_errors on the record: 0.0",
        "by.researcher on the state: 1.0",
        "by.researcher on the record: 0.0",
        "called_tool:convert on the state: 0.0",
        "called_tool:convert on the record: 1.0",
    ):
        assert said in record


def test_the_record_tells_what_a_person_let_run_from_what_the_model_asked(capsys: pytest.CaptureFixture[str]) -> None:
    langgraph_human_in_the_loop.main()
    paused, done = capsys.readouterr().out.split("In the end")
    assert paused.count("pending") == 3
    assert "ask for refunds of 2035.00 euro" in done
    assert "asked refund({'order': 'A-1', 'amount': 20.0}): success, ran\n" in done
    assert "asked refund({'order': 'A-2', 'amount': 2000.0}): success, ran with {'order': 'A-2', 'amount': 200.0}" in done
    assert "asked refund({'order': 'A-3', 'amount': 15.0}): rejected, did not run" in done
    assert "So 220.00 euro were refunded." in done


def test_the_hidden_agents_calls_are_in_the_record_alone(capsys: pytest.CaptureFixture[str]) -> None:
    langgraph_hidden_subgraph.main()
    state, record = capsys.readouterr().out.split("The record:")
    assert "look_up" not in state
    assert "librarian, in the node tools: look_up({'term': 'Manhattan Bridge'})" in record
    assert "called_tool:look_up on the answer: None" in record
    assert "called_tool:look_up on the record: 1.0" in record
    assert "max_tool_calls:1 on the record: 0.0" in record
