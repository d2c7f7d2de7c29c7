"""Streams and events of real graphs say what their final state says, in every mode that can."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from adapters.langgraph_live.scripted import Scripted, asks, says
from toolcall_evals import TraceFormatError, to_trajectory

CONFIG: Any = {"configurable": {"thread_id": "1"}}
QUESTION: Any = {"messages": [("user", "q")]}
LANGGRAPH = tuple(map(int, version("langgraph").split(".")[:3]))
MODES = ["updates", "values", "messages", "tasks", "debug"]


@tool
def look(x: str) -> str:
    """Looks."""
    return f"saw {x}"


@tool
def boom(x: str) -> str:
    """Raises."""
    raise ValueError(f"boom {x}")


def parallel() -> Any:
    replies = [asks(("1", "look", {"x": "a"}), ("2", "look", {"x": "b"})), asks(("1", "look", {"x": "c"})), says("done")]
    return create_agent(Scripted(replies=replies), [look], name="agent", checkpointer=InMemorySaver())


def nested() -> Any:
    inner = create_agent(Scripted(replies=[asks(("1", "look", {"x": "inner"})), says("three")]), [look], name="inner")

    @tool
    def ask(q: str) -> str:
        """Asks another agent."""
        return str(inner.invoke({"messages": [("user", q)]})["messages"][-1].content)

    model = Scripted(replies=[asks(("1", "ask", {"q": "1+2"})), says("done")])
    return create_agent(model, [ask], name="outer", checkpointer=InMemorySaver())


def crashing() -> Any:
    replies = [asks(("1", "look", {"x": "a"})), asks(("2", "boom", {"x": "b"}))]
    return create_agent(Scripted(replies=replies), [look, boom], name="agent", checkpointer=InMemorySaver())


def streamed(make: Callable[[], Any], mode: Any, **settings: Any) -> list[Any]:
    found = []
    try:
        for item in make().stream(QUESTION, CONFIG, stream_mode=mode, **settings):
            found.append(item)  # noqa: PERF402 - what came before an error counts
    except ValueError:
        pass
    return found


def rows(raw: Any, form: str | None = None) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.id, call.status, call.result) for call in to_trajectory(raw, form=form).invocations]


@pytest.mark.parametrize("subgraphs", [False, True], ids=["flat", "subgraphs"])
@pytest.mark.parametrize("mode", MODES)
def test_a_stream_says_what_the_final_state_says(mode: str, subgraphs: bool) -> None:
    stream = streamed(parallel, mode, subgraphs=subgraphs)
    assert rows(stream, f"stream_{mode}") == rows(parallel().invoke(QUESTION, CONFIG))
    assert to_trajectory(stream, form=f"stream_{mode}").output.strip() == "done"


@pytest.mark.parametrize("mode", MODES)
def test_a_stream_with_subgraphs_shows_what_a_tools_agent_did(mode: str) -> None:
    calls = to_trajectory(streamed(nested, mode, subgraphs=True), form=f"stream_{mode}").invocations
    found = {(call.name, call.result.strip() if call.result else None, call.agent) for call in calls}
    assert found == {("ask", "three", "outer"), ("look", "saw inner", "inner")}
    if mode != "values":
        assert [call.parent_id for call in calls] == [None, "1"]


@pytest.mark.parametrize("modes", [["updates", "tools"], ["updates", "tools", "messages", "values"], ["tasks", "tools"]], ids="+".join)
@pytest.mark.parametrize("make", [parallel, nested])
def test_several_modes_show_each_call_once(make: Any, modes: list[str]) -> None:
    stream = streamed(make, modes, subgraphs=True)
    expected = {parallel: ["look", "look", "look"], nested: ["ask", "look"]}
    assert [row[0] for row in rows(stream)] == expected[make]
    assert all(call.status == "success" for call in to_trajectory(stream).invocations)


def test_parts_of_version_2_say_their_mode() -> None:
    assert rows(streamed(parallel, ["updates", "tools"], version="v2")) == rows(parallel().invoke(QUESTION, CONFIG))


@pytest.mark.parametrize(
    ("mode", "status", "error"), [("tasks", "error", "ValueError('boom b')"), ("debug", "error", "ValueError('boom b')")]
)
def test_a_stream_that_shows_tasks_shows_the_one_that_raised(mode: str, status: str, error: str) -> None:
    found = to_trajectory(streamed(crashing, mode, subgraphs=True), form=f"stream_{mode}")
    assert ([call.status for call in found.invocations], found.error) == (["success", status], error)


@pytest.mark.skipif(LANGGRAPH < (1, 2, 18), reason="this langgraph's tools mode tells of no tool that raised")
def test_the_tools_mode_alone_shows_what_ran() -> None:
    assert [row[3:] for row in rows(streamed(crashing, "tools"), "stream_tools")] == [("success", "saw a"), ("error", "boom b")]


async def events(make: Callable[[], Any], version: Any) -> list[Any]:
    stream = make().astream_events(QUESTION, CONFIG, version=version)
    return [event async for event in (stream if version == "v2" else await stream)]


async def test_events_of_version_2_say_what_the_final_state_says() -> None:
    found = await events(parallel, "v2")
    assert rows(found) == rows(parallel().invoke(QUESTION, CONFIG))
    assert to_trajectory(found).source == "langgraph.events"


@pytest.mark.filterwarnings("ignore:.*v3 streaming protocol.*")
async def test_events_of_version_3_say_what_the_final_state_says() -> None:
    assert rows(await events(parallel, "v3")) == rows(parallel().invoke(QUESTION, CONFIG))
    assert [call.parent_id for call in to_trajectory(await events(nested, "v3")).invocations] == [None, "1"]


@pytest.mark.parametrize("kept", range(0, 40, 3))
async def test_events_that_stop_half_way_are_read_as_far_as_they_go(kept: int) -> None:
    found = (await events(parallel, "v2"))[:kept]
    if found:
        assert {row[0] for row in rows(found)} <= {"look"}


def test_half_a_stream_of_messages_shows_a_call_that_waits() -> None:
    stream = streamed(parallel, "messages")
    first_result = next(number for number, (message, _) in enumerate(stream) if message.type == "tool")
    found = to_trajectory(stream[:first_result], form="stream_messages")
    assert [call.status for call in found.invocations] == ["pending", "pending"]
    assert found.warnings


def chunk(**fields: Any) -> AIMessageChunk:
    return AIMessageChunk(
        "", id="m", tool_call_chunks=[{"type": "tool_call_chunk", "name": None, "args": None, "id": None, "index": 0, **fields}]
    )


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        pytest.param([chunk(name="a", id="1"), chunk(args='{"x":'), chunk(args=" 1}")], [("a", {"x": 1})], id="pieces"),
        pytest.param(
            [chunk(name="a", id="1", args="{}"), chunk(name="b", id="2", args="{}")], [("a", {}), ("b", {})], id="one index, two ids"
        ),
        pytest.param(
            [chunk(name="a", id="1", args='{"x": 1}'), chunk(name="b", id="1", args='{"y": 2}', index=1)],
            [("a", {"x": 1}), ("b", {"y": 2})],
            id="one id, two indexes",
        ),
        pytest.param(
            [chunk(name="a", id="1", args='{"x": 1, "y": [2, {"z": "u')], [("a", {"x": 1, "y": [2, {"z": "u"}]})], id="never ended"
        ),
        pytest.param([chunk(args='{"x": 1}')], [], id="the beginning is missing"),
        pytest.param([chunk(name="a", id="1", args='{"x": 1}')] * 3, [("a", {"x": 1})], id="the whole, again and again"),
    ],
)
def test_chunks_make_up_calls(chunks: list[AIMessageChunk], calls: list[Any]) -> None:
    found = to_trajectory([HumanMessage("q"), *chunks], form="message_chunks")
    assert [(call.name, call.args) for call in found.invocations] == calls


def test_chunks_agree_with_langchains_own_sum() -> None:
    pieces = [chunk(name="a", id="1"), chunk(args='{"x": 1, "y'), chunk(args='": "é"}'), chunk(name="b", id="2", args="", index=1)]
    whole = pieces[0] + pieces[1] + pieces[2] + pieces[3]
    assert rows([HumanMessage("q"), *pieces]) == rows([HumanMessage("q"), AIMessage("", tool_calls=whole.tool_calls)])


def test_platform_streams_repeat_a_message_until_it_is_whole() -> None:
    def partial(args: Any) -> dict[str, Any]:
        message = {"type": "ai", "id": "m", "content": "", "tool_calls": [{"name": "plan", "args": args, "id": "1"}]}
        return {"event": "messages/partial", "data": [message]}

    stream = [{"event": "metadata", "data": {"run_id": "r"}}, partial({}), partial({"a": 1}), partial({"a": 1, "b": 2})]
    assert rows(stream) == [("plan", {"a": 1, "b": 2}, "1", "pending", None)]


def test_a_subgraph_that_repeats_its_history_is_read_once() -> None:
    asked = {"name": "look", "args": {"x": "a"}, "id": "1"}
    inner = [AIMessage("", id="a", tool_calls=[asked]), ToolMessage("saw a", tool_call_id="1")]
    named = [inner[0], ToolMessage("saw a", tool_call_id="1", id="given later")]
    stream = [
        (("work:1",), {"model": {"messages": inner[:1]}}),
        (("work:1",), {"tools": {"messages": inner[1:]}}),
        ((), {"work": {"messages": named}}),
    ]
    assert rows(stream, "stream_updates") == [("look", {"x": "a"}, "1", "success", "saw a")]


def test_a_stream_that_shows_no_message_could_not_have_shown_a_call() -> None:
    found = to_trajectory([{"solve": {"answer": "three"}}], form="stream_updates")
    assert (found.invocations, found.has_call_record) == ((), False)
    with pytest.raises(TraceFormatError):
        to_trajectory([{"answer": "three"}], form="stream_values")
