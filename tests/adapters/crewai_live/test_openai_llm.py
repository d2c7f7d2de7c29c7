"""Crews with `crewai.LLM` against a loopback server that speaks OpenAI's protocol: one for each path."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.crewai_live.openai_server import openai_server
from toolcall_evals import Trajectory
from toolcall_evals_crewai import capture

pytestmark = [pytest.mark.crewai, pytest.mark.usefixtures("handlers"), pytest.mark.filterwarnings("ignore:::crewai")]


def run_crew(crews: Any, turns: list[Any], *, stream: bool = False, native: bool = True, **task: Any) -> tuple[Trajectory, list[Any]]:
    with openai_server(turns) as (url, requests):
        llm = crews.openai_llm(url, stream=stream, native=native)
        agent = crews.agent([], llm=llm)
        work = crews.Task(name="find", description="Find out about tides", expected_output="an answer", agent=agent, **task)
        crew = crews.Crew(agents=[agent], tasks=[work], name="tides")
        with capture(crew) as run:
            crew.kickoff()
    return run.trajectory, requests


@pytest.mark.parametrize("stream", [pytest.param(False, id="plain"), pytest.param(True, id="streamed")])
def test_native_calls_have_the_ids_and_order_of_the_response(crews, stream):
    asked = crews.asks(("search_web", {"query": "moon"}), ("search_web", {"query": "sun", "limit": 1}))
    trajectory, requests = run_crew(crews, [asked, "the moon pulls"], stream=stream)
    assert [(call.id, call.name, call.args, call.result, call.status) for call in trajectory.invocations] == [
        ("call_0", "search_web", {"query": "moon"}, "3 results for moon", "success"),
        ("call_1", "search_web", {"query": "sun", "limit": 1}, "1 results for sun", "success"),
    ]
    assert trajectory.final_text == "the moon pulls"
    assert {tool["function"]["name"] for tool in requests[0]["tools"]} == {tool.name for tool in trajectory.available_tools or ()}


def test_the_text_path_of_the_same_model(crews):
    turns = [crews.acts("search_web", {"query": "moon"}), "Thought: done\nFinal Answer: the moon pulls"]
    trajectory, _ = run_crew(crews, turns, native=False)
    assert [(call.name, call.args, call.status) for call in trajectory.invocations] == [("search_web", {"query": "moon"}, "success")]
    assert trajectory.final_text == "the moon pulls"


def test_a_raising_and_an_unknown_tool_of_one_turn(crews):
    asked = crews.asks(("read_page", {"url": "a.example"}), ("launch_rocket", {"to": "moon"}))
    trajectory, _ = run_crew(crews, [asked, "sorry"])
    assert [(call.name, call.status) for call in trajectory.invocations] == [("read_page", "error"), ("launch_rocket", "invalid")]


def test_arguments_that_are_no_json_are_one_faulty_request(crews):
    asked = [{"id": "call_0", "type": "function", "function": {"name": "search_web", "arguments": '{"query": '}}]
    trajectory, _ = run_crew(crews, [asked, "sorry"])
    assert [(call.name, call.args, call.raw_args, call.status) for call in trajectory.invocations] == [
        ("search_web", None, '{"query": ', "invalid")
    ]


def test_a_guardrail_that_refuses_keeps_both_attempts(crews):
    answers: list[str] = []

    def guardrail(output):  # crewai reads an annotation as an object, and here it would be a text
        answers.append(output.raw)
        return (len(answers) > 1, output.raw if len(answers) > 1 else "say more")

    turns = [
        crews.asks(("search_web", {"query": "a"}), ids="a"),
        "short",
        crews.asks(("search_web", {"query": "b"}), ids="b"),
        "long enough",
    ]
    trajectory, _ = run_crew(crews, turns, guardrail=guardrail)
    assert [call.id for call in trajectory.invocations] == ["a_0", "b_0"]


def test_delegation_is_a_call_with_the_coworkers_calls_below(crews):
    request = {"task": "look up tides", "context": "for a sailor", "coworker": "Researcher"}
    manager = [crews.asks(("delegate_work_to_coworker", request), ids="m"), "the tides come twice"]
    worker = [crews.asks(("search_web", {"query": "tides"}), ids="w"), "twice a day"]
    with openai_server(manager) as (manager_url, _), openai_server(worker) as (worker_url, _):
        agent = crews.agent([], llm=crews.openai_llm(worker_url))
        task = crews.Task(name="find", description="Find out about tides", expected_output="an answer")
        crew = crews.Crew(agents=[agent], tasks=[task], process=crews.Process.hierarchical, manager_llm=crews.openai_llm(manager_url))
        with capture(crew) as run:
            crew.kickoff()
    delegation, search = run.trajectory.invocations
    assert (delegation.id, delegation.kind, search.id, search.parent_id, search.agent) == ("m_0", "framework", "w_0", "m_0", "Researcher")


def test_a_server_that_fails_is_the_runs_error(crews):
    with openai_server([crews.asks(("search_web", {"query": "moon"})), 400]) as (url, _):
        agent = crews.agent([], llm=crews.openai_llm(url), max_retry_limit=0)
        work = crews.Task(name="find", description="Find out about tides", expected_output="an answer", agent=agent)
        crew = crews.Crew(agents=[agent], tasks=[work])
        with capture(crew) as run, pytest.raises(Exception, match="on purpose"):
            crew.kickoff()
    assert [call.name for call in run.trajectory.invocations] == ["search_web"]
    assert "on purpose" in (run.trajectory.error or "")
