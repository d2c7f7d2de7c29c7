"""Live scoring: off the request path, bounded, never breaking a run; and our evaluators in langchain-core's own handler."""

from __future__ import annotations

import logging
import random
import threading
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.tracers.evaluation import EvaluatorCallbackHandler
from langsmith import tracing_context

from adapters.langgraph_live import scenarios as play
from langsmith_stub import StubLangSmith
from toolcall_evals import Score, checks
from toolcall_evals_langgraph import live_scoring, record
from toolcall_evals_langgraph.live_scoring import LiveScoring, ScoredRun

CALLED, NOT_CALLED = checks.called_tool("look"), checks.called_tool("nothing")


def scored(program: Any, *, sample: float = 1.0, evaluators: Any = (CALLED, NOT_CALLED), **settings: Any) -> tuple[list[ScoredRun], Any]:
    """The runs of a program that were scored, and the recorder."""
    runs: list[ScoredRun] = []
    rec = record(evaluators=evaluators, sample=sample, report=runs.append, **settings)
    with rec:
        program(rec.config)
    assert rec.scoring.flush(10)
    return runs, rec


class Odd:
    """An evaluator of somebody else's, which does what it is told."""

    def __init__(self, do: Any) -> None:
        self.do = do

    def score(self, run: Any) -> Score:
        return Score("odd", float(self.do()))


def test_a_run_is_scored_as_it_ends():
    (run,), rec = scored(play.single)
    assert [(score.key, score.score) for score in run.scores] == [("called_tool:look", 1.0), ("called_tool:nothing", 0.0)]
    assert [call.name for call in run.trajectory.invocations] == ["look"]
    assert (run.name, rec.scoring.scored, rec.scoring.dropped, rec.scoring.failed) == ("agent", 1, 0, 0)
    assert rec.trajectory.invocations == run.trajectory.invocations


@pytest.mark.parametrize("program", [play.parallel_async, play.streamed, play.events, play.sub_agent, play.swarm, play.functional])
def test_one_run_is_one_score_however_it_is_played(program):
    runs, _ = scored(program)
    assert len(runs) == 1


def test_an_interrupted_run_is_scored_once_it_was_resumed():
    (run,), _ = scored(play.resumed)
    assert [(call.name, call.status) for call in run.trajectory.invocations] == [("ask", "success"), ("look", "success")]
    assert run.trajectory.final_text == "ok"
    assert run.metadata["thread_id"] == "1"


def test_a_run_that_still_waits_for_a_person_is_not_scored():
    runs, _ = scored(play.interrupted)
    assert runs == []


def test_the_resume_of_a_run_that_was_not_recorded_is_not_scored():
    def resume_only(config: Any) -> None:
        graph, thread = play.paused({})
        graph.invoke(play.QUESTION, thread)
        graph.invoke(play.Command(resume="yes"), {**thread, **config})

    assert scored(resume_only)[0] == []


def test_the_oldest_of_too_many_interrupted_runs_is_scored_as_it_stands(monkeypatch):
    monkeypatch.setattr(live_scoring, "PAUSED_LIMIT", 1)

    def two_threads(config: Any) -> None:
        for thread in ("first", "second"):
            graph, _ = play.paused({})
            graph.invoke(play.QUESTION, {**config, "configurable": {"thread_id": thread}})

    (run,), _ = scored(two_threads)
    assert run.metadata["thread_id"] == "first"
    assert run.trajectory.invocations[0].status == "pending"


def test_a_crashed_run_is_scored_and_is_no_pass():
    def crash(config: Any) -> None:
        with pytest.raises(ValueError, match="boom"):
            play.crash(config)

    (run,), _ = scored(crash)
    assert [score.status for score in run.scores] == ["could_not_score", "could_not_score"]


def test_nothing_is_recorded_of_runs_outside_the_sample():
    runs, rec = scored(play.sub_agent, sample=0.0)
    assert (runs, rec.trajectories) == ([], ())


def test_the_sample_is_the_share_that_was_asked_for():
    random.seed(3)
    scoring = LiveScoring((CALLED,), sample=0.1)
    wanted = sum(scoring.wants(root(str(index))) for index in range(5000))
    assert 400 < wanted < 600


def root(name: str, **metadata: Any) -> dict[str, Any]:
    """A root run that has ended."""
    now = datetime.now(UTC)
    return {
        "id": uuid4(),
        "parent_run_id": None,
        "run_type": "chain",
        "name": name,
        "inputs": {"messages": [("user", "hi")]},
        "outputs": {"messages": [("user", "hi"), ("assistant", "ok")]},
        "error": None,
        "extra": {"metadata": metadata},
        "start_time": now,
        "end_time": now,
        "child_runs": [],
    }


def test_scoring_does_not_hold_a_run_up():
    may_end = threading.Event()
    rec = record(evaluators=[Odd(lambda: may_end.wait(10))])
    play.single(rec.config)
    assert rec.scoring.scored == 0
    assert not rec.scoring.flush(0.01)
    may_end.set()
    assert rec.scoring.flush(10)
    assert rec.scoring.scored == 1


def test_runs_that_find_no_place_to_wait_are_dropped_and_counted(monkeypatch):
    monkeypatch.setattr(live_scoring, "WAITING_LIMIT", 2)
    begun, may_end = threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return may_end.wait(10)

    scoring = LiveScoring((Odd(wait),))
    scoring.submit(root("being scored"))
    assert begun.wait(10)
    for name in ("waits", "waits too", "dropped", "dropped too"):
        scoring.submit(root(name))
    may_end.set()
    assert scoring.flush(10)
    assert (scoring.scored, scoring.dropped) == (3, 2)


@pytest.mark.parametrize(
    ("evaluators", "report", "said"),
    [
        pytest.param([Odd(lambda: 1 / 0)], None, "could not score", id="an evaluator that raises"),
        pytest.param([CALLED], lambda run: 1 / 0, "could not report", id="a report that raises"),
    ],
)
def test_a_fault_of_the_scoring_is_logged_and_the_run_knows_nothing_of_it(evaluators, report, said, caplog):
    rec = record(evaluators=evaluators, report=report)
    with caplog.at_level(logging.INFO, "toolcall_evals.live"):
        assert play.single(rec.config)["messages"][-1].content == "ok"
        assert rec.scoring.flush(10)
    assert rec.scoring.failed == 1
    assert said in caplog.text
    assert "ZeroDivisionError" in caplog.text
    (run,), _ = scored(play.single)
    assert run.scores


def test_the_log_has_keys_and_numbers_and_nothing_of_the_trace(caplog):
    with caplog.at_level(logging.INFO, "toolcall_evals.live"):
        scored(play.single)
    (line,) = [entry.getMessage() for entry in caplog.records if entry.name == "toolcall_evals.live"]
    assert line.endswith("called_tool:look=1.0 called_tool:nothing=0.0")
    assert "saw" not in line


def test_the_scoring_thread_ends_when_there_is_nothing_to_score():
    scored(play.single)
    for thread in threading.enumerate():
        if thread.name == "toolcall-evals-live":
            thread.join(10)
    assert "toolcall-evals-live" not in [thread.name for thread in threading.enumerate()]


def test_a_recorder_that_scores_keeps_the_latest_runs_and_says_so():
    def many(config: Any) -> None:
        for _ in range(34):
            play.no_calls(config)

    runs, rec = scored(many)
    assert len(runs) == 34
    assert len(rec.trajectories) == 32
    assert rec.trajectory.warnings == ("only the latest 32 of 34 runs are kept by a recorder that scores",)
    assert not rec._runs._nodes


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        pytest.param({"evaluators": [CALLED], "sample": 1.5}, "sample must be", id="sample above 1"),
        pytest.param({"evaluators": [CALLED], "sample": True}, "sample must be", id="sample no number"),
        pytest.param({"evaluators": ["called_tool"]}, "evaluators must be", id="no evaluator"),
        pytest.param({"evaluators": [CALLED], "report": "log"}, "report must be", id="report not callable"),
        pytest.param({"sample": 0.5}, "need evaluators", id="sample without evaluators"),
        pytest.param({"report": print}, "need evaluators", id="report without evaluators"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        record(**settings)


def test_the_scores_of_a_traced_run_are_its_feedback_in_langsmith():
    with StubLangSmith() as stub, tracing_context(enabled=True, client=stub.client()):
        (run,), _ = scored(play.single)
        assert stub.wait(lambda: len(stub.feedback) == 2)
    assert [(item["run_id"], item["key"], item["score"]) for item in stub.feedback] == [
        (str(run.run_id), "called_tool:look", 1.0),
        (str(run.run_id), "called_tool:nothing", 0.0),
    ]
    assert "look" in stub.feedback[0]["comment"]


def test_feedback_can_be_left_out():
    with StubLangSmith() as stub, tracing_context(enabled=True, client=stub.client()):
        scored(play.single, feedback=False)
    assert stub.feedback == []


def test_a_run_that_is_traced_on_this_machine_alone_has_no_feedback():
    with StubLangSmith() as stub, tracing_context(enabled="local", client=stub.client()):
        _, rec = scored(play.single)
    assert (stub.feedback, rec.scoring.failed) == ([], 0)


def test_a_langsmith_that_fails_costs_its_feedback_alone(caplog):
    with (
        StubLangSmith(fail=lambda method, path: 422 if "feedback" in path else None) as stub,
        tracing_context(enabled=True, client=stub.client()),
    ):
        (run,), rec = scored(play.single)
    assert (len(run.scores), rec.scoring.scored, rec.scoring.failed) == (2, 1, 1)
    assert "could not send the feedback of" in caplog.text


@pytest.mark.filterwarnings("ignore:Creating feedback for a run without session_id")
def test_our_evaluators_work_in_langchain_cores_own_handler():
    with StubLangSmith() as stub:
        handler = EvaluatorCallbackHandler([CALLED, NOT_CALLED, checks.max_tool_calls(3)], client=stub.client(), max_concurrency=0)
        play.sub_agent({"callbacks": [handler]})
        handler.wait_for_futures()
        assert stub.wait(lambda: len(stub.feedback) == 3)
    assert {item["key"]: item["score"] for item in stub.feedback} == {
        "called_tool:look": 1.0,
        "called_tool:nothing": 0.0,
        "max_tool_calls:3": 1.0,
    }
    assert len({item["run_id"] for item in stub.feedback}) == 1


@pytest.mark.filterwarnings("ignore:Creating feedback for a run without session_id")
def test_a_run_that_crashed_is_skipped_by_langchain_cores_own_handler_unless_told_otherwise():
    with StubLangSmith() as stub:
        handler = EvaluatorCallbackHandler([CALLED], client=stub.client(), max_concurrency=0, skip_unfinished=False)
        with pytest.raises(ValueError, match="boom"):
            play.crash({"callbacks": [handler]})
        assert stub.wait(lambda: stub.feedback)
    assert stub.feedback[0].get("score") is None
    assert "crashed" in stub.feedback[0]["comment"]
