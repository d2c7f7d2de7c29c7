"""Real crews with a scripted model, captured while they run."""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading
from typing import Any

import pytest

from toolcall_evals import Trajectory, checks, to_trajectory
from toolcall_evals_crewai import capture

pytestmark = [pytest.mark.crewai, pytest.mark.usefixtures("handlers"), pytest.mark.filterwarnings("ignore:::crewai")]


def shown(trajectory: Trajectory) -> list[tuple[str, Any, str]]:
    return [(call.name, call.args, call.status) for call in trajectory.invocations]


def kickoff(crew: Any) -> None:
    crew.kickoff(inputs={"topic": "tides"})


def test_a_native_run_shows_calls_with_ids_results_agent_and_task(crews):
    crew = crews.searcher("moon", calls=2)
    with capture(crew) as run:
        kickoff(crew)
    calls = run.trajectory.invocations
    assert shown(run.trajectory) == [
        ("search_web", {"query": "moon 0"}, "success"),
        ("search_web", {"query": "moon 1"}, "success"),
    ]
    assert [(call.id, call.result, call.agent, call.task) for call in calls] == [
        ("moon_0_0", "3 results for moon 0", "Researcher", "find"),
        ("moon_1_0", "3 results for moon 1", "Researcher", "find"),
    ]
    assert run.trajectory.final_text == "all about moon"
    assert run.trajectory.error is None


def test_calls_of_one_turn_are_in_the_order_in_which_they_were_asked(crews):
    crew = crews.crew([crews.asks(*[("search_web", {"query": str(at)}) for at in range(6)]), "done"])
    with capture(crew) as run:
        kickoff(crew)
    assert crews.queries(run.trajectory) == ["0", "1", "2", "3", "4", "5"]


def test_a_text_run_keeps_the_name_that_was_asked_for_beside_the_one_that_ran(crews):
    crew = crews.crew([crews.acts("search_webs", {"query": "moon"}), "Thought: done\nFinal Answer: ok"], native=False)
    with capture(crew) as run:
        kickoff(crew)
    (call,) = run.trajectory.invocations
    assert (call.name, call.executed_name, call.status, call.result) == ("search_webs", "search_web", "success", "3 results for moon")


@pytest.mark.parametrize("native", [pytest.param(True, id="native"), pytest.param(False, id="text")])
def test_a_raising_tool_is_one_call_that_failed(crews, native):
    ask = crews.asks(("read_page", {"url": "a.example"})) if native else crews.acts("read_page", {"url": "a.example"})
    crew = crews.crew([ask, "Thought: done\nFinal Answer: ok"], native=native)
    with capture(crew) as run:
        kickoff(crew)
    (call,) = run.trajectory.invocations
    assert (call.name, call.status, call.attempts) == ("read_page", "error", 1 if native else 3)
    assert "a.example is down" in (call.error or "")
    assert checks.no_tool_errors().score(run.trajectory).score == 0.0


@pytest.mark.parametrize("native", [pytest.param(True, id="native"), pytest.param(False, id="text")])
def test_an_unknown_tool_is_one_faulty_request(crews, native):
    ask = crews.asks(("launch_rocket", {"to": "moon"})) if native else crews.acts("launch_rocket", {"to": "moon"})
    crew = crews.crew([ask, "Thought: done\nFinal Answer: ok"], native=native)
    with capture(crew) as run:
        kickoff(crew)
    assert shown(run.trajectory) == [("launch_rocket", {"to": "moon"}, "invalid")]


def test_an_invented_observation_is_a_hallucinated_call(crews):
    invented = f"{crews.acts('Search Web', {'query': 'moon'})}\nObservation: 9 results\nThought: done\nFinal Answer: nine"
    crew = crews.crew([invented], native=False)
    with capture(crew) as run:
        kickoff(crew)
    assert shown(run.trajectory) == [("search_web", {"query": "moon"}, "hallucinated")]
    assert checks.called_tool("search_web").score(run.trajectory).score == 0.0


def test_delegated_work_hangs_below_the_call_that_delegated_it(crews):
    request = {"task": "look up tides", "context": "for a sailor", "coworker": "Researcher"}
    crew = crews.hierarchy(
        [crews.asks(("delegate_work_to_coworker", request), ids="m"), "the tides come twice"],
        [crews.asks(("search_web", {"query": "tides"}), ids="w"), "twice a day"],
    )
    with capture(crew) as run:
        crew.kickoff()
    delegation, search = run.trajectory.invocations
    assert (delegation.name, delegation.agent, delegation.kind) == ("delegate_work_to_coworker", "Crew Manager", "framework")
    assert (search.name, search.agent, search.parent_id) == ("search_web", "Researcher", delegation.id)
    assert run.trajectory.final_text == "the tides come twice"


def test_every_attempt_of_a_task_whose_guardrail_refused_is_there(crews):
    answers: list[str] = []

    def guardrail(output):  # crewai reads an annotation as an object, and here it would be a text
        answers.append(output.raw)
        return (len(answers) > 1, output.raw if len(answers) > 1 else "say more")

    searches = [crews.asks(("search_web", {"query": query}), ids=query) for query in ("a", "b")]
    turns = [searches[0], "short", searches[1], "long enough"]
    crew = crews.crew(turns, task={"guardrail": guardrail})
    with capture(crew) as run:
        kickoff(crew)
    assert crews.queries(run.trajectory) == ["a", "b"]
    assert answers == ["short", "long enough"]


def test_a_cached_result_of_the_text_path_is_known_as_such(crews):
    ask = crews.acts("Search Web", {"query": "moon"})
    other = crews.acts("Search Web", {"query": "sun"})
    crew = crews.crew([ask, other, ask, "Thought: done\nFinal Answer: ok"], native=False, cache=True)
    with capture(crew) as run:
        kickoff(crew)
    assert [call.cached for call in run.trajectory.invocations] == [False, False, True]


def test_a_custom_model_without_events_loses_no_call(crews):
    turns = [crews.asks(("search_web", {"query": "a"}), ("search_web", {"query": "b"})), "done"]
    agent = crews.agent([], llm=crews.Silent(turns))
    crew = crews.Crew(agents=[agent], tasks=[crews.Task(name="find", description="d", expected_output="e", agent=agent)])
    with capture(crew) as run:
        crew.kickoff()
    assert sorted(crews.queries(run.trajectory)) == ["a", "b"]


def test_a_failed_crew_keeps_its_calls_and_its_error(crews):
    crew = crews.crew([crews.asks(("search_web", {"query": "moon"})), RuntimeError("the model is gone")])
    with capture(crew) as run, pytest.raises(RuntimeError, match="the model is gone"):
        kickoff(crew)
    assert "moon" in crews.queries(run.trajectory)
    assert "the model is gone" in (run.trajectory.error or "")
    assert checks.called_tool("search_web").score(run.trajectory).score is None


def test_the_tools_that_each_agent_had_are_known_delegation_included(crews):
    request = {"task": "look up tides", "context": "for a sailor", "coworker": "Researcher"}
    crew = crews.hierarchy([crews.asks(("delegate_work_to_coworker", request)), "done"], ["twice a day"])
    with capture(crew) as run:
        crew.kickoff()
    available = {(tool.agent, tool.name) for tool in run.trajectory.available_tools or ()}
    assert ("Researcher", "search_web") in available
    assert ("Crew Manager", "delegate_work_to_coworker") in available
    (search,) = [tool for tool in run.trajectory.available_tools or () if tool.name == "search_web"]
    assert search.description and "Search the web." in search.description
    assert set((search.parameters or {})["properties"]) == {"query", "limit"}


def test_the_events_are_plain_rows_that_convert_again_after_a_trip_through_json(crews):
    crew = crews.searcher("moon")
    with capture(crew) as run:
        kickoff(crew)
    again = to_trajectory(json.loads(json.dumps(run.events)))
    assert again.invocations == run.trajectory.invocations
    assert again.available_tools == run.trajectory.available_tools


# --- keeping runs apart


def test_parts_are_the_kickoffs_and_tasks_in_the_order_in_which_they_began(crews):
    crew = crews.searcher("moon", name="lunar")
    with capture() as run:
        kickoff(crew)
        kickoff(crews.searcher("sun", name="solar"))
    named = [(part.kind, part.name) for part in run.trajectories]
    assert named == [("crew", "lunar"), ("task", "find"), ("crew", "solar"), ("task", "find")]
    assert [crews.queries(part.trajectory) for part in run.trajectories] == [["moon 0"], ["moon 0"], ["sun 0"], ["sun 0"]]
    assert crews.queries(run.trajectory) == ["moon 0", "sun 0"]


def test_captures_in_threads_see_only_their_own_crew(crews):
    seen: dict[str, Any] = {}

    def work(query: str) -> None:
        with capture() as run:
            kickoff(crews.searcher(query, calls=3))
        seen[query] = crews.queries(run.trajectory)

    threads = [threading.Thread(target=work, args=(query,)) for query in ("moon", "sun", "sea")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {query: [f"{query} {at}" for at in range(3)] for query in ("moon", "sun", "sea")}


def test_a_crew_in_a_plain_thread_is_found_when_it_was_given(crews):
    moon, sun = crews.searcher("moon"), crews.searcher("sun")
    with capture(moon) as run:
        threads = [threading.Thread(target=kickoff, args=(crew,)) for crew in (moon, sun)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert crews.queries(run.trajectory) == ["moon 0"]


def test_without_a_crew_a_plain_thread_is_not_seen_and_the_trajectory_says_so(crews):
    with capture() as run:
        thread = threading.Thread(target=kickoff, args=(crews.searcher("moon"),))
        thread.start()
        thread.join()
    assert run.events == ()
    assert any("capture(crew)" in warning for warning in run.trajectory.warnings)
    assert checks.used_no_tools().score(run.trajectory).score is None


def test_a_thread_that_was_given_the_context_is_seen_without_a_crew(crews):
    with capture() as run:
        thread = threading.Thread(target=contextvars.copy_context().run, args=(kickoff, crews.searcher("moon")))
        thread.start()
        thread.join()
    assert crews.queries(run.trajectory) == ["moon 0"]


def test_two_given_crews_in_one_context_stay_apart(crews):
    moon, sun = crews.searcher("moon"), crews.searcher("sun")

    async def both() -> None:
        await asyncio.gather(moon.akickoff(inputs={"topic": "a"}), sun.akickoff(inputs={"topic": "b"}))

    with capture(moon) as lunar, capture(sun) as solar, capture() as all_of_it:
        asyncio.run(both())
    assert crews.queries(lunar.trajectory) == ["moon 0"]
    assert crews.queries(solar.trajectory) == ["sun 0"]
    assert sorted(crews.queries(all_of_it.trajectory)) == ["moon 0", "sun 0"]


def test_captures_inside_gathered_coroutines_see_only_their_own(crews):
    async def one(query: str, native_async: bool) -> Any:
        crew = crews.searcher(query)
        with capture() as run:
            await (crew.akickoff if native_async else crew.kickoff_async)(inputs={"topic": "t"})
        return crews.queries(run.trajectory)

    async def both() -> Any:
        return await asyncio.gather(one("moon", True), one("sun", False))

    assert asyncio.run(both()) == [["moon 0"], ["sun 0"]]


def test_a_nested_capture_sees_the_inner_run_and_the_outer_one_both(crews):
    with capture() as outer:
        kickoff(crews.searcher("moon"))
        with capture() as inner:
            kickoff(crews.searcher("sun"))
    assert crews.queries(inner.trajectory) == ["sun 0"]
    assert crews.queries(outer.trajectory) == ["moon 0", "sun 0"]


@pytest.mark.parametrize("given", [pytest.param(True, id="crew given"), pytest.param(False, id="no argument")])
@pytest.mark.parametrize("method", ["kickoff_for_each", "kickoff_for_each_async", "akickoff_for_each"])
def test_every_copy_of_a_for_each_is_captured(crews, method, given):
    crew = crews.searcher("moon")
    inputs = [{"topic": "a"}, {"topic": "b"}, {"topic": "c"}]
    with capture(*([crew] if given else [])) as run:
        if method == "kickoff_for_each":
            crew.kickoff_for_each(inputs)
        else:
            asyncio.run(getattr(crew, method)(inputs))
    assert [part.kind for part in run.trajectories].count("crew") == 3
    assert crews.queries(run.trajectory) == ["moon 0"] * 3


def test_asynchronous_tasks_are_each_a_part(crews):
    agents = [crews.agent([crews.asks(("search_web", {"query": query}), ids=query), "done"], role=query) for query in ("moon", "sun")]
    tasks = [
        crews.Task(name=one.role, description="d", expected_output="e", agent=one, async_execution=one.role == "moon") for one in agents
    ]
    crew = crews.Crew(agents=agents, tasks=tasks)
    with capture(crew) as run:
        crew.kickoff()
    tasks_seen = {part.name: crews.queries(part.trajectory) for part in run.trajectories if part.kind == "task"}
    assert tasks_seen == {"moon": ["moon"], "sun": ["sun"]}


@pytest.mark.parametrize("given", [pytest.param(True, id="flow given"), pytest.param(False, id="no argument")])
def test_a_flow_with_a_crew_and_an_agent_is_one_run_with_parts(crews, given):
    from crewai.flow.flow import Flow, listen, start

    agent = crews.agent([crews.asks(("search_web", {"query": "sun"})), "done"], role="Solo")

    class Study(Flow):  # type: ignore[misc]  # crewai is untyped in the world where types are checked
        _skip_auto_memory = True  # else crewai imports a vector store, which takes 7 s

        @start()
        def crew_first(self) -> str:
            return crews.searcher("moon").kickoff(inputs={"topic": "t"}).raw

        @listen(crew_first)
        def agent_next(self, found: str) -> str:
            return agent.kickoff("look at the sun").raw

    flow = Study()
    with capture(*([flow] if given else [])) as run:
        flow.kickoff()
    assert crews.queries(run.trajectory) == ["moon 0", "sun"]
    kinds = {part.kind: crews.queries(part.trajectory) for part in run.trajectories}
    assert kinds == {"flow": ["moon 0", "sun"], "crew": ["moon 0"], "task": ["moon 0"], "agent": ["sun"]}


def test_a_crew_that_streams_is_captured_when_it_is_consumed_in_the_block(crews):
    crew = crews.searcher("moon", stream=True)
    with capture(crew) as run:
        for _ in crew.kickoff(inputs={"topic": "tides"}):
            pass
    assert crews.queries(run.trajectory) == ["moon 0"]


def test_a_crew_inside_a_tool_is_below_the_call_of_that_tool(crews):
    @crews.tool("ask_the_crew")
    def ask_the_crew(topic: str) -> str:
        """Ask another crew."""
        return crews.searcher(topic).kickoff(inputs={"topic": topic}).raw

    agent = crews.agent([crews.asks(("ask_the_crew", {"topic": "moon"}), ids="outer"), "done"], role="Boss", tools=[ask_the_crew])
    crew = crews.Crew(agents=[agent], tasks=[crews.Task(name="lead", description="d", expected_output="e", agent=agent)], name="outer")
    with capture(crew) as run:
        crew.kickoff()
    assert [(call.name, call.agent) for call in run.trajectory.invocations] == [("ask_the_crew", "Boss"), ("search_web", "Researcher")]
    named = [(part.kind, part.name) for part in run.trajectories]
    assert named == [("crew", "outer"), ("task", "lead"), ("crew", "tides"), ("task", "find")]


def test_a_kickoff_of_an_agent_alone_is_captured(crews):
    agent = crews.agent([crews.asks(("search_web", {"query": "sun"})), "it shines"])
    with capture(agent) as run:
        agent.kickoff("look at the sun")
    assert [(call.name, call.agent, call.status) for call in run.trajectory.invocations] == [("search_web", "Researcher", "success")]
    assert run.trajectory.final_text == "it shines"


def test_a_block_in_which_nothing_ran_cannot_be_scored(crews):
    with capture() as run:
        pass
    assert "nothing ran" in run.trajectory.warnings[0]
    assert checks.did_not_call("search_web").score(run.trajectory).score is None


def test_a_capture_that_is_left_by_an_exception_keeps_what_ran(crews):
    with pytest.raises(KeyError), capture() as run:
        kickoff(crews.searcher("moon"))
        raise KeyError("mine")
    assert crews.queries(run.trajectory) == ["moon 0"]
    assert run.trajectory.error is None


def test_a_capture_inside_the_block_shows_what_has_arrived(crews):
    with capture() as run:
        kickoff(crews.searcher("moon"))
        assert crews.queries(run.trajectory) == ["moon 0"]
        kickoff(crews.searcher("sun"))
    assert crews.queries(run.trajectory) == ["moon 0", "sun 0"]


def test_a_capture_that_ends_inside_a_handler_does_not_wait_for_itself(crews):
    from crewai.events import CrewKickoffCompletedEvent

    from toolcall_evals_crewai._capture import CapturedRun, opened

    run, ended = opened(CapturedRun), threading.Event()

    def on_end(source: Any, event: Any) -> None:
        run.finish()
        ended.set()

    crews.crewai_event_bus.register_handler(CrewKickoffCompletedEvent, on_end)
    try:
        kickoff(crews.searcher("moon"))
        assert ended.wait(timeout=5)
    finally:
        crews.crewai_event_bus.off(CrewKickoffCompletedEvent, on_end)
    assert "crew_kickoff_started" in [row["type"] for row in run.events]


def test_a_generator_may_end_a_capture_in_another_context(crews):
    def block() -> Any:
        with capture() as run:
            yield run

    generator = block()
    run = contextvars.copy_context().run(next, generator)
    contextvars.copy_context().run(lambda: next(generator, None))
    assert run.events == ()


def test_handlers_that_do_not_end_in_time_are_a_warning(crews, monkeypatch):
    from crewai.events import CrewKickoffCompletedEvent

    from toolcall_evals_crewai import _listener

    monkeypatch.setattr(_listener, "FLUSH_TIMEOUT_S", 0.1)
    freed = threading.Event()

    def slow(source: Any, event: Any) -> None:
        freed.wait(timeout=10)

    crews.crewai_event_bus.register_handler(CrewKickoffCompletedEvent, slow)
    try:
        with capture() as run:
            kickoff(crews.searcher("moon"))
    finally:
        crews.crewai_event_bus.off(CrewKickoffCompletedEvent, slow)
        freed.set()
    assert any("some events may be missing" in warning for warning in run.trajectory.warnings)
    assert crews.queries(run.trajectory) == ["moon 0"]
