"""Crews, flows and agents that are scored when their run ends."""

from __future__ import annotations

import asyncio
import logging
import threading
import warnings
from typing import Any

import pytest

from toolcall_evals import Evaluator, Score, SettingError, Trajectory, checks
from toolcall_evals_crewai import score_after_kickoff, score_kickoffs, score_run

pytestmark = [
    pytest.mark.crewai,
    pytest.mark.usefixtures("handlers"),
    pytest.mark.filterwarnings("ignore:::crewai"),
    pytest.mark.filterwarnings("ignore:.*callbacks cannot be serialized:UserWarning"),
]

TOPIC = {"topic": "tides"}


class Reports:
    """A report that keeps what it is given, and can be waited for."""

    def __init__(self) -> None:
        self.scores: list[tuple[Score, ...]] = []
        self.runs: list[Trajectory] = []
        self.arrived = threading.Event()

    def __call__(self, scores: tuple[Score, ...], run: Trajectory) -> None:
        self.scores.append(scores)
        self.runs.append(run)
        self.arrived.set()

    def values(self) -> list[list[float | None]]:
        return [[score.score for score in scores] for scores in self.scores]


CHECKS = [checks.called_tool("search_web"), checks.did_not_call("search_web")]


class Broken(Evaluator):
    def score(self, run: Any, reference: Any = None) -> Score:
        raise ZeroDivisionError("an evaluator's own fault")


def module_level_score(output: Any) -> Any:
    return MODULE_LEVEL(output)


MODULE_REPORTS = Reports()
MODULE_LEVEL = score_after_kickoff(CHECKS, report=MODULE_REPORTS)


# --- the callback


def test_a_finished_kickoff_is_scored_and_its_output_returned(crews):
    reports = Reports()
    crew = crews.searcher("moon", after_kickoff_callbacks=[score_after_kickoff(CHECKS, report=reports)])
    output = crew.kickoff(inputs=TOPIC)
    assert output.raw == "all about moon"
    assert reports.values() == [[1.0, 0.0]]


def test_the_callback_sees_delegated_work_where_crewai_keeps_a_record(crews):
    reports = Reports()
    request = {"task": "look up tides", "context": "for a sailor", "coworker": "Researcher"}
    crew = crews.hierarchy(
        [crews.asks(("delegate_work_to_coworker", request), ids="m"), "done"],
        [crews.asks(("search_web", {"query": "tides"}), ids="w"), "twice a day"],
    )
    crew.after_kickoff_callbacks.append(score_after_kickoff(CHECKS, report=reports))
    crew.kickoff()
    names = [call.name for call in reports.runs[0].invocations]
    if crews.VERSION >= (1, 14, 1):
        assert names == ["delegate_work_to_coworker", "search_web"]
        assert reports.runs[0].source == "crewai.events"
    else:
        assert names == ["delegate_work_to_coworker"]
        assert reports.runs[0].warnings


def test_a_crew_that_shares_its_flow_with_another_is_scored_by_its_own_calls(crews):
    from crewai.flow.flow import Flow, start

    moon, sun = Reports(), Reports()

    class Study(Flow):  # type: ignore[misc]  # crewai is untyped in the world where types are checked
        _skip_auto_memory = True  # else crewai imports a vector store, which takes 7 s

        @start()
        def both(self) -> None:
            for query, reports in (("moon", moon), ("sun", sun)):
                crews.searcher(query, after_kickoff_callbacks=[score_after_kickoff(CHECKS, report=reports)]).kickoff(inputs=TOPIC)

    Study().kickoff()
    assert (crews.queries(moon.runs[0]), crews.queries(sun.runs[0])) == (["moon 0"], ["sun 0"])


def test_a_function_of_a_module_is_a_callback_that_can_be_named_in_a_checkpoint(crews):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*checkpoint.*")
        crew = crews.searcher("moon", after_kickoff_callbacks=[module_level_score])
    crew.kickoff(inputs=TOPIC)
    assert MODULE_REPORTS.values() == [[1.0, 0.0]]


def test_the_callback_works_as_a_method_of_a_crew_base_class(crews):
    from crewai import project

    reports = Reports()

    @project.CrewBase
    class Tides:
        agents_config: Any = {}  # noqa: RUF012 - crewai reads them from the class
        tasks_config: Any = {}  # noqa: RUF012

        score = project.after_kickoff(score_after_kickoff(CHECKS, report=reports))

        @project.agent
        def researcher(self) -> Any:
            return crews.agent([crews.asks(("search_web", {"query": "moon"})), "done"])

        @project.task
        def find(self) -> Any:
            return crews.Task(name="find", description="d", expected_output="e", agent=self.researcher())

        @project.crew
        def crew(self) -> Any:
            return crews.Crew(agents=self.agents, tasks=self.tasks)

    assert Tides().crew().kickoff().raw == "done"
    assert reports.values() == [[1.0, 0.0]]


# --- what fails does not break the crew


def test_an_evaluator_that_fails_could_not_score_and_the_crew_goes_on(crews):
    reports = Reports()
    broken = Broken("broken", lambda run: (1.0, lambda: ("", {})), {})
    crew = crews.searcher("moon", after_kickoff_callbacks=[score_after_kickoff([broken, *CHECKS], report=reports)])
    assert crew.kickoff(inputs=TOPIC).raw == "all about moon"
    assert reports.values() == [[None, 1.0, 0.0]]
    assert "an evaluator's own fault" in reports.scores[0][0].comment


def test_a_report_that_fails_is_logged_and_the_crew_goes_on(crews, caplog):
    def report(scores: Any, run: Any) -> None:
        raise OSError(f"the disk is full: {run.final_text}")

    crew = crews.searcher("moon", after_kickoff_callbacks=[score_after_kickoff(CHECKS, report=report)])
    with caplog.at_level(logging.INFO, logger="toolcall_evals_crewai"):
        assert crew.kickoff(inputs=TOPIC).raw == "all about moon"
    assert "could not be reported: OSError" in caplog.text and "all about moon" not in caplog.text


def test_the_log_has_keys_and_numbers_and_nothing_of_the_trace(crews, caplog):
    crew = crews.searcher("moon", after_kickoff_callbacks=[score_after_kickoff(CHECKS)])
    with caplog.at_level(logging.INFO, logger="toolcall_evals_crewai"):
        crew.kickoff(inputs=TOPIC)
    (record,) = [record for record in caplog.records if record.name == "toolcall_evals_crewai"]
    assert record.getMessage() == "scored a run: called_tool:search_web=1.0, did_not_call:search_web=0.0"


@pytest.mark.parametrize(
    ("evaluators", "report", "words"),
    [
        pytest.param([], None, "at least one", id="none"),
        pytest.param([len], None, "checks or scorers", id="no evaluator"),
        pytest.param(CHECKS, "print", "report must be", id="a report that cannot be called"),
    ],
)
def test_wrong_settings_are_refused_at_once(evaluators, report, words):
    with pytest.raises(SettingError, match=words):
        score_after_kickoff(evaluators, report=report)


# --- the pair


def paired(crews: Any, turns: list[Any], reports: Reports, **settings: Any) -> Any:
    scoring = score_kickoffs(CHECKS, report=reports)
    return crews.crew(turns, before_kickoff_callbacks=[scoring.before], after_kickoff_callbacks=[scoring.after], **settings)


def failing(crews: Any) -> list[Any]:
    return [crews.asks(("search_web", {"query": "moon"})), RuntimeError("the model is gone")]


def test_the_pair_scores_a_failed_kickoff_from_what_was_seen(crews):
    reports = Reports()
    crew = paired(crews, failing(crews), reports)
    with pytest.raises(RuntimeError, match="the model is gone"):
        crew.kickoff(inputs=TOPIC)
    if crews.VERSION >= (1, 15, 3):
        assert reports.arrived.is_set()
    assert reports.arrived.wait(timeout=10)
    # a crashed run is never a pass; that the unwanted call was made is certain all the same
    assert reports.values() == [[None, 0.0]]
    assert "the model is gone" in (reports.runs[0].error or "")


def test_the_pair_goes_on_after_a_failure(crews):
    reports = Reports()
    crew = paired(crews, [*failing(crews), RuntimeError("still gone"), RuntimeError("still gone"), "back again"], reports)
    for agent in crew.agents:
        agent.max_retry_limit = 0
    for _ in range(2):
        with pytest.raises(RuntimeError):
            crew.kickoff(inputs=TOPIC)
    crew.agents[0].llm.said = 4
    assert crew.kickoff(inputs=TOPIC).raw == "back again"
    for _ in range(100):
        if len(reports.runs) == 3:
            break
        threading.Event().wait(0.05)
    assert sorted(bool(run.error) for run in reports.runs) == [False, True, True]


def test_the_pair_scores_each_copy_of_a_for_each_by_its_own_calls(crews):
    reports = Reports()
    crew = paired(crews, [crews.asks(("search_web", {"query": "moon"})), "done"], reports)
    outputs = crew.kickoff_for_each([TOPIC, TOPIC, TOPIC])
    assert [output.raw for output in outputs] == ["done"] * 3
    assert [crews.queries(run) for run in reports.runs] == [["moon"]] * 3


def test_one_pair_serves_crews_that_run_at_once(crews):
    reports = Reports()
    scoring = score_kickoffs(CHECKS, report=reports)
    both = {"before_kickoff_callbacks": [scoring.before], "after_kickoff_callbacks": [scoring.after]}
    moon, sun = crews.searcher("moon", calls=2, **both), crews.searcher("sun", calls=2, **both)

    async def run() -> None:
        await asyncio.gather(moon.akickoff(inputs=TOPIC), sun.kickoff_async(inputs=TOPIC))

    asyncio.run(run())
    assert sorted(crews.queries(run) for run in reports.runs) == [["moon 0", "moon 1"], ["sun 0", "sun 1"]]


# --- the block


def test_a_flow_is_scored_when_its_block_is_left(crews):
    from crewai.flow.flow import Flow, start

    class Study(Flow):  # type: ignore[misc]  # crewai is untyped in the world where types are checked
        _skip_auto_memory = True  # else crewai imports a vector store, which takes 7 s

        @start()
        def find(self) -> str:
            return crews.searcher("moon").kickoff(inputs=TOPIC).raw

    reports = Reports()
    with score_run(evaluators=CHECKS, report=reports) as run:
        Study().kickoff()
    assert [score.score for score in run.scores] == [1.0, 0.0]
    assert reports.scores == [run.scores]


def test_an_agent_alone_is_scored_with_a_reference(crews):
    agent = crews.agent([crews.asks(("search_web", {"query": "moon"})), "done"])
    with score_run(agent, evaluators=checks.called_tool(), reference={"expected_tool": "search_web"}) as run:
        agent.kickoff("look")
    assert [score.score for score in run.scores] == [1.0]


def test_an_exception_that_leaves_the_block_is_the_runs_error_and_goes_on(crews):
    with pytest.raises(KeyError), score_run(evaluators=CHECKS) as run:
        crews.searcher("moon").kickoff(inputs=TOPIC)
        raise KeyError("lost")
    assert [score.score for score in run.scores] == [None, 0.0]


def test_the_block_is_also_a_decorator(crews):
    reports = Reports()

    @score_run(evaluators=CHECKS, report=reports)
    def study() -> str:
        return crews.searcher("moon").kickoff(inputs=TOPIC).raw

    assert [study(), study()] == ["all about moon"] * 2
    assert reports.values() == [[1.0, 0.0]] * 2
