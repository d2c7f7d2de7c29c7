"""States and snapshots of real graphs, and what only they tell: pauses, edits, turns, failed tasks, states of subgraphs."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from adapters.langgraph_live.scripted import Scripted, asks, says
from toolcall_evals import TraceFormatError, to_trajectory

CONFIG: Any = {"configurable": {"thread_id": "1"}}


@tool
def look(x: str) -> str:
    """Looks."""
    return f"saw {x}"


@tool
def ask(x: str) -> str:
    """Asks a person."""
    return str(interrupt({"q": x}))


def agent(*replies: Any, tools: Any = (look,), **settings: Any) -> Any:
    return create_agent(Scripted(replies=list(replies)), list(tools), name="agent", checkpointer=InMemorySaver(), **settings)


def rows(raw: Any, **settings: Any) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.status, call.result) for call in to_trajectory(raw, **settings).invocations]


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"messages": [HumanMessage(text, **fields)]}


def test_a_paused_tool_waits_and_its_sibling_is_done() -> None:
    graph = agent(asks(("1", "ask", {"x": "a"}), ("2", "look", {"x": "b"})), tools=[ask, look])
    expected = [("ask", {"x": "a"}, "pending", None), ("look", {"x": "b"}, "success", "saw b")]
    assert rows(graph.invoke(user("q"), CONFIG)) == expected
    assert rows(graph.get_state(CONFIG)) == expected
    assert to_trajectory(graph.get_state(CONFIG)).invocations[0].node == "tools"


def test_the_output_of_invoke_version_2_is_read() -> None:
    graph = agent(asks(("1", "ask", {"x": "a"})), tools=[ask])
    assert rows(graph.invoke(user("q"), CONFIG, version="v2")) == [("ask", {"x": "a"}, "pending", None)]


def test_a_reviewers_edit_is_what_ran_in_output_and_checkpoint() -> None:
    review = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    graph = agent(asks(("1", "look", {"x": "a"})), says("ok"), middleware=[review])
    graph.invoke(user("q"), CONFIG)
    decision = {"type": "edit", "edited_action": {"name": "look", "args": {"x": "B"}}}
    for raw in (graph.invoke(Command(resume={"decisions": [decision]}), CONFIG), graph.get_state(CONFIG)):
        (call,) = to_trajectory(raw).invocations
        assert (call.args, call.executed_args, call.status) == ({"x": "a"}, {"x": "B"}, "success")


def test_a_call_that_only_the_interrupt_names_is_not_lost() -> None:
    interrupts = [{"value": {"action_requests": [{"name": "pay", "args": {"bill": 1}}], "review_configs": []}, "id": "i"}]
    for state in ({"messages": [HumanMessage("q")], "__interrupt__": interrupts}, {"__interrupt__": interrupts}):
        found = to_trajectory(state)
        assert [(call.name, call.args, call.status) for call in found.invocations] == [("pay", {"bill": 1}, "pending")]
        assert "interrupt" in found.warnings[0]


def test_an_interrupt_names_no_call_twice() -> None:
    asked = AIMessage("", tool_calls=[{"name": "pay", "args": {"bill": 1}, "id": "1"}, {"name": "pay", "args": {"bill": 1}, "id": "2"}])
    approvals = [{"value": {"type": "tool_approval", "tool_call_id": id, "name": "pay", "args": {"bill": 1}}} for id in "12"]
    assert len(rows({"messages": [HumanMessage("q"), asked], "__interrupt__": approvals})) == 2


def thread() -> Any:
    graph = agent(asks(("1", "look", {"x": "a"})), says("one"), asks(("2", "look", {"x": "b"})), says("two"))
    graph.invoke(user("q1"), CONFIG)
    graph.invoke(user("q2", id="h2"), CONFIG)
    return graph


@pytest.mark.parametrize("settings", [{"turns": "last"}, {"turns": 1}, {"turns": -1}, {"after": "h2"}], ids=str)
def test_one_turn_of_a_thread_can_be_read(settings: Any) -> None:
    graph = thread()
    for raw in (graph.get_state(CONFIG), list(graph.get_state_history(CONFIG)), graph.get_state(CONFIG).values):
        assert rows(raw, **settings) == [("look", {"x": "b"}, "success", "saw b")]


def test_the_inputs_messages_are_history() -> None:
    graph = thread()
    messages = graph.get_state(CONFIG).values["messages"]
    found = to_trajectory({"messages": messages}, inputs={"messages": messages[:5]})
    assert ([call.id for call in found.invocations], found.texts) == (["2"], ("", "two"))


def test_a_history_begins_its_turns_where_input_came() -> None:
    @tool
    def nag(x: str) -> Command[Any]:
        """Speaks in the user's name, without a mark."""
        return Command(update={"messages": [ToolMessage("ok", tool_call_id="1"), HumanMessage("go on")]})

    graph = agent(asks(("1", "nag", {"x": "a"})), asks(("2", "look", {"x": "b"})), says("ok"), tools=[nag, look])
    graph.invoke(user("q"), CONFIG)
    assert [row[0] for row in rows(list(graph.get_state_history(CONFIG)), turns="last")] == ["nag", "look"]


def test_a_history_still_holds_what_was_removed() -> None:
    graph = thread()
    graph.update_state(CONFIG, {"messages": [RemoveMessage(message.id) for message in graph.get_state(CONFIG).values["messages"][:4]]})
    assert [row[1] for row in rows(graph.get_state(CONFIG))] == [{"x": "b"}]
    found = to_trajectory(list(graph.get_state_history(CONFIG)))
    assert [call.args for call in found.invocations] == [{"x": "a"}, {"x": "b"}]
    assert "removed" in " ".join(found.warnings)


def test_a_history_leaves_out_branches_that_were_left() -> None:
    graph = thread()
    past = next(state for state in graph.get_state_history(CONFIG) if state.next == ("model",) and len(state.values["messages"]) == 1)
    graph.invoke(None, past.config)
    assert [call.id for call in to_trajectory(list(graph.get_state_history(CONFIG))).invocations] == []


def test_a_task_that_raised_is_the_call_that_it_was_sent() -> None:
    asked = threading.Event()

    @tool
    def boom(x: str) -> str:
        """Raises, once its siblings are over: langgraph cancels those that are not."""
        asked.wait(5)
        time.sleep(0.1)
        raise ValueError(f"boom {x}")

    @tool
    def ask(x: str) -> str:
        """Asks a person."""
        asked.set()
        return str(interrupt({"q": x}))

    graph = agent(asks(("1", "look", {"x": "a"}), ("2", "boom", {"x": "b"}), ("3", "ask", {"x": "c"})), tools=[look, boom, ask])
    with pytest.raises(ValueError, match="boom b"):
        graph.invoke(user("q"), CONFIG)
    found = to_trajectory(graph.get_state(CONFIG))
    assert [call.status for call in found.invocations] == ["success", "error", "pending"]
    assert (found.invocations[1].result, found.error) == ("ValueError('boom b')", "ValueError('boom b')")


def test_the_state_of_a_paused_subgraph_is_looked_into() -> None:
    inner = create_agent(Scripted(replies=[asks(("1", "ask", {"x": "a"}))]), [ask], name="inner")
    graph = StateGraph(MessagesState)
    graph.add_node("inner", inner)
    graph.add_edge(START, "inner")
    graph.add_edge("inner", END)
    outer = graph.compile(checkpointer=InMemorySaver())
    outer.invoke(user("q"), CONFIG)
    assert rows(outer.get_state(CONFIG)) == []
    assert rows(outer.get_state(CONFIG, subgraphs=True)) == [("ask", {"x": "a"}, "pending", None)]


@pytest.mark.parametrize(("values", "record"), [({"question": "1+2", "answer": "three"}, False), ({"messages": []}, True)], ids=str)
def test_a_snapshot_without_messages_could_not_have_shown_a_call(values: Any, record: bool) -> None:
    found = to_trajectory({"values": values, "next": [], "tasks": [], "metadata": {"step": 1}})
    assert (found.invocations, found.has_call_record) == ((), record)


def test_messages_are_found_under_any_key_and_read_once() -> None:
    asked = AIMessage("", id="a", tool_calls=[{"name": "look", "args": {}, "id": "1"}])
    other = AIMessage("", tool_calls=[{"name": "dig", "args": {}, "id": "1"}])
    state = {"notes": ["x"], "worker": {"chat": [asked, ToolMessage("r", tool_call_id="1", id="t")]}, "log": [asked, other]}
    assert rows(state) == [("look", {}, "success", "r"), ("dig", {}, "pending", None)]


class Answer(BaseModel):
    """What was found."""

    value: int


def test_an_answer_that_had_to_be_given_again_is_an_error_whatever_the_texts_say() -> None:
    form = ToolStrategy(Answer, handle_errors="once more", tool_message_content="noted")
    replies = [asks(("1", "look", {"x": "a"})), asks(("2", "Answer", {"value": "many"})), asks(("3", "Answer", {"value": 3}))]
    graph = agent(*replies, response_format=form)
    updates = list(graph.stream(user("q"), CONFIG, stream_mode="updates"))
    for raw, named in ((graph.get_state(CONFIG).values, None), (graph.get_state(CONFIG), None), (updates, "stream_updates")):
        calls = to_trajectory(raw, form=named).invocations
        assert [(call.id, call.kind, call.status) for call in calls] == [
            ("1", "tool", "success"),
            ("2", "structured_output", "error"),
            ("3", "structured_output", "success"),
        ]


def test_a_tool_that_was_given_what_is_the_answer_later_is_a_tool() -> None:
    asked = AIMessage("", tool_calls=[{"name": "save", "args": {"value": 3}, "id": "1"}])
    messages = [HumanMessage("q"), asked, ToolMessage("saved", tool_call_id="1", name="save"), AIMessage('{"value": 3}')]
    assert to_trajectory({"messages": messages, "structured_response": {"value": 3}}).invocations[0].kind == "tool"


def test_a_reviewers_edit_is_of_the_latest_call_under_its_id() -> None:
    asked = [AIMessage("", tool_calls=[{"name": "look", "args": {"x": x}, "id": "1"}]) for x in "ab"]
    messages = [HumanMessage("q"), asked[0], ToolMessage("r", tool_call_id="1"), asked[1], ToolMessage("r", tool_call_id="1")]
    state = {"messages": messages, "hitl_edited_tool_calls": {"1": {"name": "look", "args": {"x": "B"}}}}
    assert [call.executed_args for call in to_trajectory(state).invocations] == [None, {"x": "B"}]


def test_an_answer_with_a_text_of_its_own_is_still_structured_output() -> None:
    asked = AIMessage("", tool_calls=[{"name": "Answer", "args": {"value": 3}, "id": "1"}])
    state = {
        "messages": [HumanMessage("q"), asked, ToolMessage("noted", tool_call_id="1", name="Answer")],
        "structured_response": {"value": 3},
    }
    assert to_trajectory(state).invocations[0].kind == "structured_output"


def test_what_a_state_cannot_show_is_told() -> None:
    summary = HumanMessage("Here is a summary", additional_kwargs={"lc_source": "summarization"})
    assert "summarised" in to_trajectory([summary, AIMessage("x")]).warnings[0]
    assert "step limit" in to_trajectory([HumanMessage("q"), AIMessage("Sorry, need more steps to process this request.")]).warnings[0]
    left = AIMessage("", tool_calls=[{"name": "transfer_to_math", "args": {}, "id": "1"}])
    assert "hidden" in to_trajectory([left, ToolMessage("Successfully transferred to math", tool_call_id="1")]).warnings[0]


@pytest.mark.parametrize("raw", [{"question": "1+2", "answer": "three"}, {"items": [1, 2]}, [1, 2], {"a": {"b": []}}, "plain {"], ids=str)
def test_what_holds_no_messages_is_not_ours(raw: Any) -> None:
    try:
        assert not to_trajectory(raw).has_call_record
    except TraceFormatError as error:
        assert "expected" in str(error)


def test_a_call_whose_name_is_no_word_may_be_in_two_lists() -> None:
    broken = {"type": "ai", "content": "", "tool_calls": [{"name": ["search"], "args": {}, "id": "1"}]}
    sound = {"type": "ai", "content": "", "tool_calls": [{"name": "search", "args": {}, "id": "2"}]}
    run = to_trajectory({"messages": [{"type": "human", "content": "go"}, broken], "of_the_worker": [broken, sound]})
    assert [(call.name, call.status) for call in run.invocations] == [("", "invalid"), ("search", "pending")]


def test_a_cyclic_state_is_read() -> None:
    asked = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "1"}])
    state: dict[str, Any] = {"messages": [HumanMessage("q"), asked], "deep": {}}
    state["self"] = state["deep"]["again"] = state
    assert rows(state) == [("look", {}, "pending", None)]
