"""Crews as targets of `langsmith.evaluate`, and scores as feedback, against the stand-in of LangSmith's server."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from toolcall_evals import checks, to_trajectory
from toolcall_evals_crewai import crew_target, score_after_kickoff

pytest.importorskip("langsmith")

pytestmark = [
    pytest.mark.crewai,
    pytest.mark.usefixtures("handlers"),
    pytest.mark.filterwarnings("ignore:::crewai"),
    pytest.mark.filterwarnings("ignore:.*callbacks cannot be serialized:UserWarning"),
    # a live run does not know its project's id, which a later langsmith will ask for (0.15.1)
    pytest.mark.filterwarnings("ignore:Creating feedback for a run without session_id"),
]


@pytest.fixture
def stub():
    from langsmith_stub import StubLangSmith

    with StubLangSmith() as server:
        yield server


def examples(stub: Any, client: Any, topics: list[str]) -> str:
    name = f"tides-{uuid.uuid4().hex[:8]}"
    dataset = client.create_dataset(name)
    client.create_examples(dataset_id=dataset.id, examples=[{"inputs": {"topic": topic}} for topic in topics])
    return name


def results(experiment: Any) -> list[dict[str, Any]]:
    return [{result.key: result.score for result in row["evaluation_results"]["results"]} for row in experiment]


def test_a_target_returns_the_text_beside_a_trajectory_that_converts(crews):
    returned = crew_target(crews.searcher("moon"))({"topic": "tides"})
    assert returned["output"] == "all about moon"
    assert crews.queries(to_trajectory(returned)) == ["moon 0"]


def test_every_example_runs_on_a_copy(crews):
    target = crew_target(crews.searcher("moon"))
    assert [crews.queries(to_trajectory(target({"topic": "t"}))) for _ in range(2)] == [["moon 0"], ["moon 0"]]


def test_a_function_builds_a_crew_for_each_example_and_inputs_can_be_made(crews):
    target = crew_target(lambda: crews.searcher("moon"), inputs=lambda example: {"topic": example["question"]})
    trajectory = to_trajectory(target({"question": "ebb and flow"}))
    assert trajectory.input == "Find out about ebb and flow"


def test_evaluate_sees_the_calls_of_the_crew(crews, stub):
    from langsmith import evaluate

    client = stub.client()
    checked = [checks.called_tool("search_web"), checks.did_not_call("search_web"), checks.includes("moon")]
    experiment = evaluate(
        crew_target(crews.searcher("moon")),
        data=examples(stub, client, ["a", "b"]),
        evaluators=checked,
        client=client,
        max_concurrency=2,
    )
    assert results(experiment) == [{"called_tool:search_web": 1.0, "did_not_call:search_web": 0.0, "includes:moon": 1.0}] * 2


def test_evaluate_shows_a_failed_kickoff_as_an_error_and_still_sees_what_it_did(crews, stub):
    from langsmith import evaluate

    client = stub.client()
    crew = crews.crew([crews.asks(("search_web", {"query": "moon"})), RuntimeError("the model is gone")])
    experiment = list(
        evaluate(
            crew_target(crew),
            data=examples(stub, client, ["a"]),
            evaluators=[checks.called_tool("search_web"), checks.did_not_call("search_web")],
            client=client,
        )
    )
    assert "the model is gone" in experiment[0]["run"].error
    assert results(experiment) == [{"called_tool:search_web": None, "did_not_call:search_web": 0.0}]


def test_scores_are_feedback_of_the_run_that_langsmith_traces(crews, stub):
    from langsmith import traceable, tracing_context

    client = stub.client()
    crew = crews.searcher("moon", after_kickoff_callbacks=[score_after_kickoff([checks.called_tool("search_web")])])

    @traceable
    def study() -> str:
        return crew.kickoff(inputs={"topic": "tides"}).raw

    with tracing_context(enabled=True, client=client):
        study()
    client.flush()
    (feedback,) = stub.feedback
    (run,) = [run for run in stub.runs.values() if run["name"] == "study"]
    assert (feedback["key"], feedback["score"], str(feedback["run_id"])) == ("called_tool:search_web", 1.0, str(run["id"]))


def test_nothing_is_sent_where_langsmith_traces_on_this_machine_only(crews, stub):
    from langsmith import traceable, tracing_context

    client = stub.client()
    crew = crews.searcher("moon", after_kickoff_callbacks=[score_after_kickoff([checks.called_tool("search_web")])])
    with tracing_context(enabled="local", client=client):
        traceable(crew.kickoff)(inputs={"topic": "tides"})
    client.flush()
    assert stub.feedback == []
