"""The recorder against the real libraries: it, LangSmith's run tree and the final state agree on every call that the state holds."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any
from uuid import uuid4

import pytest
from langchain.agents import create_agent
from langsmith.evaluation import evaluate
from langsmith.schemas import Example

from adapters.langgraph_live import scenarios as play
from adapters.langgraph_live.scripted import Scripted, asks, says
from toolcall_evals import TraceFormatError, Trajectory, checks, to_trajectory
from toolcall_evals.langsmith import offline_client
from toolcall_evals_langgraph import record

CORE = tuple(map(int, version("langchain-core").split(".")[:3]))

THREE = [("c1", "slow", "success"), ("c2", "look", "success"), ("c3", "look", "success")]

PROGRAMS = [
    # what plays, every call in the order asked: id, name, status; and the positions of those that the final state does not hold
    pytest.param(play.single, [("c1", "look", "success")], (), id="one call"),
    pytest.param(play.no_calls, [], (), id="no call"),
    pytest.param(play.parallel, THREE, (), id="parallel calls"),
    pytest.param(play.parallel_async, THREE, (), id="parallel calls, async"),
    pytest.param(play.streamed, THREE, (), id="streamed"),
    pytest.param(play.streamed_async, THREE, (), id="streamed, async"),
    pytest.param(play.events, THREE, (), id="astream_events"),
    pytest.param(
        play.faulty_requests,
        [("c1", "nope", "invalid"), ("c2", "add", "invalid"), ("c3", "look", "success"), ("c4", "add", "invalid")],
        (),
        id="faulty requests",
    ),
    pytest.param(play.reused_ids, [("c1", "look", "success")] * 3, (), id="ids used again"),
    pytest.param(play.retries, [("c1", "flaky", "success")], (), id="retries"),
    pytest.param(play.interrupted, [("c1", "ask", "pending"), ("c2", "look", "success")], (), id="interrupted"),
    pytest.param(play.resumed, [("c1", "ask", "success"), ("c2", "look", "success")], (), id="interrupted and resumed"),
    pytest.param(
        play.reviewed,
        [("c1", "look", "success"), ("c2", "look", "success"), ("c3", "look", "rejected")],
        (),
        id="reviewed",
    ),
    pytest.param(
        play.sub_agent,
        [("c1", "delegate", "success"), ("c1", "look", "success"), ("c2", "look", "success")],
        (1,),
        id="sub-agent",
    ),
    pytest.param(play.supervisor, [("h1", "transfer_to_math", "success"), ("c1", "add", "success")], (1,), id="supervisor"),
    pytest.param(play.swarm, [("h1", "transfer_to_bob", "success"), ("c1", "add", "success")], (), id="swarm"),
    pytest.param(
        play.there_and_back,
        [("c1", "transfer_to_bob", "success"), ("c1", "add", "success"), ("c1", "transfer_to_alice", "success")],
        (),
        id="there and back under one id",
    ),
    pytest.param(play.functional, [("c1", "add", "success"), ("c2", "look", "success")], (), id="functional API"),
    pytest.param(play.structured, [("c1", "look", "success"), ("c2", "Findings", "success")], (), id="structured output"),
    pytest.param(play.structured_again, [("c1", "Findings", "error"), ("c2", "Findings", "success")], (), id="structured output again"),
    pytest.param(play.hand_built, [("c1", "look", "success")], (), id="graph with a ToolNode"),
    pytest.param(
        play.provider_sdk,
        [("c1", "look", "success"), ("c1", "look", "success"), ("c2", "nope", "invalid")],
        (),
        id="a provider's own SDK",
    ),
    pytest.param(play.node_retried, [("c1", "flaky", "success")], (), id="node retried"),
    pytest.param(play.stopped_before_tools, [("c1", "look", "success")], (), id="stopped before the tools"),
    pytest.param(play.fan_out, [("c1", "look", "success")] * 3, (), id="fan-out"),
    pytest.param(play.two_turns, [("c1", "look", "success")] * 2, (), id="two turns of a thread"),
    pytest.param(play.thread_of_its_own, [("c1", "delegate", "success")], (), id="a thread of its own"),
]

STATELESS = [
    # programs that leave no messages: they crash, or keep none
    pytest.param(
        play.crash, [("c1", "look", "success"), ("c2", "boom", "error"), ("c3", "slow", "success")], "ValueError('boom b')", id="a tool"
    ),
    pytest.param(play.model_crash, [("c1", "look", "success")], "RuntimeError('no more tokens')", id="a model"),
    pytest.param(play.recursion_limit, [("c1", "look", "success")] * 2, "GraphRecursionError(", id="recursion limit"),
    pytest.param(
        play.cancelled,
        [("c1", "sleep", "error"), ("c2", "look", "success")],
        "CancelledError(",
        id="cancelled",
        marks=pytest.mark.skipif(CORE < (1, 7, 7), reason="this langchain-core tells of no cancelled tool"),
    ),
    pytest.param(play.hidden_subgraph, [("c1", "look", "success")], None, id="hidden subgraph"),
    pytest.param(play.tool_without_model, [(None, "add", "success")], None, id="tool without a model"),
]

SAME = [
    *("name", "args", "raw_args", "id", "status", "kind", "executed", "cached", "attempts", "result", "error", "artifact"),
    *("agent", "node", "parent_id", "executed_name", "executed_args", "synthetic", "truncated"),
]
"""What the recorder and the run tree must agree on: all but the clock, and the turns (a target that runs a thread twice is one)."""


@dataclass
class Records:
    """Three records of one run; `state` is None when the run raised."""

    recorder: Trajectory
    tree: Trajectory
    state: Any


def three_records_of(program: Callable[[Any], Any]) -> Records:
    """Play a program once, in LangSmith's `evaluate` with a target that returns no message, under a recorder."""
    state: Any = None
    trees: list[Trajectory] = []

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        nonlocal state
        state = program(rec.config)
        return {"answer": "a text that shows no call"}

    def read_tree(run: Any, example: Any) -> dict[str, Any]:
        trees.append(to_trajectory(run))
        return {"key": "read", "score": 1}

    client = offline_client()
    with record() as rec:
        evaluate(target, data=[Example(id=uuid4(), inputs={})], evaluators=[read_tree], upload_results=False, client=client).wait()
    return Records(rec.trajectory, trees[0], state)


def calls(run: Trajectory) -> list[tuple[str | None, str, str]]:
    return [(call.id, call.name, call.status) for call in run.invocations]


def facts(run: Trajectory) -> list[dict[str, Any]]:
    return [{name: getattr(call, name) for name in SAME} for call in run.invocations]


@pytest.mark.filterwarnings("ignore:.*is in beta")
@pytest.mark.parametrize(("program", "expected", "hidden"), PROGRAMS)
def test_recorder_run_tree_and_state_agree_on_every_call_that_the_state_holds(program, expected, hidden):
    records = three_records_of(program)
    assert calls(records.recorder) == expected
    assert facts(records.recorder) == facts(records.tree)
    assert records.recorder.error is None
    held = [call for position, call in enumerate(records.recorder.invocations) if position not in hidden]
    state = to_trajectory(records.state)
    for name in ("name", "args", "raw_args", "id", "status", "kind", "result"):
        assert [getattr(call, name) for call in state.invocations] == [getattr(call, name) for call in held], name


@pytest.mark.filterwarnings("ignore:.*is in beta")
@pytest.mark.parametrize(("program", "expected", "error"), STATELESS)
def test_recorder_and_run_tree_agree_where_no_state_holds_a_call(program, expected, error):
    records = three_records_of(program)
    assert calls(records.recorder) == expected
    assert facts(records.recorder) == facts(records.tree)
    assert (records.recorder.error or "").startswith(error or "")
    assert (records.recorder.error is None) is (error is None)
    if error:
        assert records.state is None
    else:
        with pytest.raises(TraceFormatError):
            to_trajectory(records.state)


def recorded(program: Callable[[Any], Any]) -> Trajectory:
    with record() as rec:
        program(rec.config)
    return rec.trajectory


def test_retries_are_one_call_of_several_attempts():
    (call,) = recorded(play.retries).invocations
    assert (call.attempts, call.result) == (3, "at last a")


def test_a_node_that_is_retried_tries_its_calls_again():
    (call,) = recorded(play.node_retried).invocations
    assert (call.attempts, call.result) == (2, "at last a")


def test_each_run_of_a_thread_is_its_own_turn():
    with record() as rec:
        play.two_turns(rec.config)
    first, second = rec.trajectories
    assert (first.input, first.final_text, [call.args for call in first.invocations]) == ("one", "first", [{"x": "a"}])
    assert (second.input, second.texts, [call.args for call in second.invocations]) == ("two", ("", "second"), [{"x": "b"}])
    assert [(call.turn, call.args) for call in rec.trajectory.invocations] == [(0, {"x": "a"}), (1, {"x": "b"})]
    assert rec.trajectory.texts == ("", "first", "", "second")


def test_an_edit_keeps_what_was_asked_apart_from_what_ran_and_a_rejected_call_did_not_run():
    approved, edited, rejected = recorded(play.reviewed).invocations
    assert (approved.executed, approved.executed_args) == (True, None)
    assert (edited.args, edited.executed, edited.executed_args) == ({"x": "b"}, True, {"x": "EDITED"})
    assert (rejected.executed, rejected.status) == (False, "rejected")


def test_a_sub_agents_call_names_the_call_inside_whose_tool_it_was_made():
    outer, inner, last = recorded(play.sub_agent).invocations
    assert [(call.agent, call.parent_id) for call in (outer, inner, last)] == [("outer", None), ("inner", "c1"), ("outer", None)]


def test_handoffs_and_structured_outputs_are_no_tool_calls():
    assert [call.kind for call in recorded(play.supervisor).invocations] == ["handoff", "tool"]
    assert [call.kind for call in recorded(play.swarm).invocations] == ["handoff", "tool"]
    assert [call.kind for call in recorded(play.structured).invocations] == ["tool", "structured_output"]


def test_durations_are_those_of_the_tools():
    slow, look, _ = recorded(play.parallel).invocations
    assert slow.duration_s >= 0.03
    assert look.started_at is not None
    assert recorded(play.parallel).duration_s >= slow.duration_s


def test_the_tools_offered_and_the_request_are_known():
    run = recorded(play.parallel)
    assert [tool.name for tool in run.available_tools or ()] == ["look", "slow"]
    assert (run.input, run.final_text) == ("hi", "ok")


def test_a_crashed_run_never_passes():
    with record() as rec, pytest.raises(ValueError, match="boom"):
        play.crash(rec.config)
    assert checks.called_tool("look").score(rec.trajectory).status == "could_not_score"


def test_a_recorder_of_the_resume_alone_says_that_it_did_not_see_the_request():
    graph, config = play.paused({})
    graph.invoke(play.QUESTION, config)
    with record() as rec:
        graph.invoke(play.Command(resume="yes"), {**config, "callbacks": [rec]})
    assert [(call.id, call.name, call.status) for call in rec.trajectory.invocations][:1] == [("c1", "ask", "success")]
    assert any("request" in warning for warning in rec.trajectory.warnings), rec.trajectory.warnings


def test_the_runs_of_one_recorder_are_read_one_by_one_or_together():
    with record() as rec:
        play.single(rec.config)
        play.parallel(rec.config)
    assert [len(run.invocations) for run in rec.trajectories] == [1, 3]
    assert len(rec.trajectory.invocations) == 4


def test_nothing_recorded_is_an_error_and_not_a_run_without_calls():
    with record() as rec:
        play.single({})
    with pytest.raises(TraceFormatError, match="callbacks"):
        _ = rec.trajectory
    assert rec.trajectories == ()


def test_a_run_can_be_read_while_it_goes_on():
    with record() as rec:
        stream = play.parallel_agent().stream(play.QUESTION, rec.config, stream_mode="updates")
        seen = [[call.status for call in rec.trajectory.invocations] for _ in stream]
    assert len(seen[0]) == 3
    assert "pending" in seen[0]
    assert seen[-1] == ["success"] * 3


def test_recorders_of_concurrent_runs_stay_apart():
    recorders = {name: record() for name in "abcdef"}

    def run(name: str) -> None:
        model = Scripted(replies=[asks(("c1", "slow", {"x": name})), asks(("c1", "look", {"x": name})), says(name)])
        create_agent(model, [play.slow, play.look], name=name).invoke(play.QUESTION, recorders[name].config)

    threads = [threading.Thread(target=run, args=(name,)) for name in recorders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, rec in recorders.items():
        assert [(call.agent, call.args) for call in rec.trajectory.invocations] == [(name, {"x": name})] * 2
        assert rec.trajectory.final_text == name


def test_recorders_of_concurrent_coroutines_stay_apart():
    async def run(name: str, rec: Any) -> None:
        model = Scripted(replies=[asks(("c1", "slow", {"x": name})), says(name)])
        await create_agent(model, [play.slow], name=name).ainvoke(play.QUESTION, {"callbacks": [rec]})

    async def both() -> None:
        await asyncio.gather(*[run(name, rec) for name, rec in recorders.items()])

    recorders = {name: record() for name in "abcd"}
    asyncio.run(both())
    for name, rec in recorders.items():
        assert [call.args for call in rec.trajectory.invocations] == [{"x": name}]


def test_a_recorder_can_be_a_models_own_callback():
    rec = record()
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"}))], callbacks=[rec.handler])
    model.invoke("hi")
    assert calls(rec.trajectory) == [("c1", "look", "pending")]


def test_a_model_that_fails_in_the_middle_of_its_answer_is_recorded():
    rec = record()
    with pytest.raises(RuntimeError):
        Scripted(replies=[RuntimeError("gone")]).invoke("hi", rec.config)
    assert rec.trajectory.error == "RuntimeError('gone')"


def test_what_a_tool_does_to_its_arguments_is_not_what_was_asked():
    def grow(items: list[int]) -> str:
        """Grows."""
        items.append(99)
        return str(len(items))

    from langchain_core.tools import tool

    rec = record()
    model = Scripted(replies=[asks(("c1", "grow", {"items": [1]})), says("ok")])
    create_agent(model, [tool(grow)]).invoke(play.QUESTION, rec.config)
    (call,) = rec.trajectory.invocations
    assert (call.args, call.executed_args, call.result) == ({"items": [1]}, None, "2")


def test_a_stream_that_is_left_early_is_no_pass():
    with record() as rec:
        for _ in play.parallel_agent().stream(play.QUESTION, rec.config):
            break
    assert calls(rec.trajectory) == [("c1", "slow", "pending"), ("c2", "look", "pending"), ("c3", "look", "pending")]
    assert rec.trajectory.error == "GeneratorExit()"
