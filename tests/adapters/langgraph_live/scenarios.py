"""Programs of every kind that the recorder must see through; each plays once under a config and returns its final state."""

from __future__ import annotations

import asyncio
import operator
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, RetryPolicy, Send, interrupt
from pydantic import BaseModel

from adapters.langgraph_live.scripted import Scripted, asks, says

QUESTION = {"messages": [("user", "hi")]}


@tool
def look(x: str) -> str:
    """Looks."""
    return f"saw {x}"


@tool
def slow(x: str) -> str:
    """Looks slowly."""
    time.sleep(0.03)
    return f"slowly saw {x}"


@tool
def add(a: int, b: int) -> str:
    """Adds."""
    return str(a + b)


@tool
def boom(x: str) -> str:
    """Raises."""
    raise ValueError(f"boom {x}")


def single(config: Any) -> Any:
    return create_agent(Scripted(replies=[asks(("c1", "look", {"x": "a"})), says("ok")]), [look], name="agent").invoke(QUESTION, config)


def no_calls(config: Any) -> Any:
    return create_agent(Scripted(replies=[says("ok")]), [look], name="agent").invoke(QUESTION, config)


def parallel_agent() -> Any:
    calls = asks(("c1", "slow", {"x": "a"}), ("c2", "look", {"x": "b"}), ("c3", "look", {"x": "c"}))
    return create_agent(Scripted(replies=[calls, says("ok")]), [look, slow], name="agent")


def parallel(config: Any) -> Any:
    return parallel_agent().invoke(QUESTION, config)


def parallel_async(config: Any) -> Any:
    return asyncio.run(parallel_agent().ainvoke(QUESTION, config))


def streamed(config: Any) -> Any:
    state: Any = None
    for mode, item in parallel_agent().stream(QUESTION, config, stream_mode=["messages", "values"]):
        state = item if mode == "values" else state
    return state


def streamed_async(config: Any) -> Any:
    async def play() -> Any:
        state: Any = None
        async for mode, item in parallel_agent().astream(QUESTION, config, stream_mode=["messages", "values"]):
            state = item if mode == "values" else state
        return state

    return asyncio.run(play())


def events(config: Any) -> Any:
    async def play() -> Any:
        state: Any = None
        async for event in parallel_agent().astream_events(QUESTION, config, version="v2"):
            state = event["data"]["output"] if event["event"] == "on_chain_end" and event["name"] == "agent" else state
        return state

    return asyncio.run(play())


def faulty_requests(config: Any) -> Any:
    reply = asks(("c1", "nope", {}), ("c2", "add", {"a": "zz"}), ("c3", "look", {"x": "a"}), bad=[("c4", "add", "{")])
    return create_agent(Scripted(replies=[reply, says("ok")]), [look, add], name="agent").invoke(QUESTION, config)


def reused_ids(config: Any) -> Any:
    replies = [asks(("c1", "look", {"x": "a"})), asks(("c1", "look", {"x": "b"}), ("c1", "look", {"x": "c"})), says("ok")]
    return create_agent(Scripted(replies=replies), [look], name="agent").invoke(QUESTION, config)


def retries(config: Any) -> Any:
    tries = iter([ValueError("not yet"), ValueError("not yet"), None])

    @tool
    def flaky(x: str) -> str:
        """Fails twice."""
        if error := next(tries):
            raise error
        return f"at last {x}"

    again = ToolRetryMiddleware(max_retries=3, initial_delay=0.001, backoff_factor=0.0, jitter=False)
    model = Scripted(replies=[asks(("c1", "flaky", {"x": "a"})), says("ok")])
    return create_agent(model, [flaky], middleware=[again], name="agent").invoke(QUESTION, config)


def crash(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"})), asks(("c2", "boom", {"x": "b"}), ("c3", "slow", {"x": "c"})), says("ok")])
    return create_agent(model, [look, boom, slow], name="agent").invoke(QUESTION, config)


def model_crash(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"})), RuntimeError("no more tokens")])
    return create_agent(model, [look], name="agent").invoke(QUESTION, config)


def recursion_limit(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"}))])
    return create_agent(model, [look], name="agent").invoke(QUESTION, {**config, "recursion_limit": 4})


def paused(config: Any) -> Any:
    @tool
    def ask(x: str) -> str:
        """Asks a person."""
        return str(interrupt("really?"))

    model = Scripted(replies=[asks(("c1", "ask", {"x": "a"}), ("c2", "look", {"x": "b"})), says("ok")])
    graph = create_agent(model, [ask, look], checkpointer=InMemorySaver(), name="agent")
    return graph, {**config, "configurable": {"thread_id": "1"}}


def interrupted(config: Any) -> Any:
    graph, config = paused(config)
    return graph.invoke(QUESTION, config)


def resumed(config: Any) -> Any:
    graph, config = paused(config)
    graph.invoke(QUESTION, config)
    return graph.invoke(Command(resume="yes"), config)


def reviewed(config: Any) -> Any:
    calls = asks(("c1", "look", {"x": "a"}), ("c2", "look", {"x": "b"}), ("c3", "look", {"x": "c"}))
    review = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    graph = create_agent(Scripted(replies=[calls, says("ok")]), [look], middleware=[review], checkpointer=InMemorySaver(), name="agent")
    config = {**config, "configurable": {"thread_id": "1"}}
    graph.invoke(QUESTION, config)
    decisions = [
        {"type": "approve"},
        {"type": "edit", "edited_action": {"name": "look", "args": {"x": "EDITED"}}},
        {"type": "reject", "message": "not this one"},
    ]
    return graph.invoke(Command(resume={"decisions": decisions}), config)


def sub_agent(config: Any) -> Any:
    inner = create_agent(Scripted(replies=[asks(("c1", "look", {"x": "inner"})), says("inner ok")]), [look], name="inner")

    @tool
    def delegate(x: str) -> str:
        """Asks another agent."""
        return str(inner.invoke({"messages": [("user", x)]})["messages"][-1].content)

    model = Scripted(replies=[asks(("c1", "delegate", {"x": "a"})), asks(("c2", "look", {"x": "outer"})), says("ok")])
    return create_agent(model, [delegate, look], name="outer").invoke(QUESTION, config)


class Answer(TypedDict):
    answer: str


def hidden_subgraph(config: Any) -> Any:
    inner = create_agent(Scripted(replies=[asks(("c1", "look", {"x": "a"})), says("found")]), [look], name="inner")

    def research(state: Answer) -> Answer:
        return {"answer": str(inner.invoke({"messages": [("user", state["answer"])]})["messages"][-1].content)}

    graph = StateGraph(Answer)
    graph.add_node("research", research)
    graph.add_edge(START, "research")
    graph.add_edge("research", END)
    return graph.compile(name="outer").invoke({"answer": "?"}, config)


def handoff(agent: str) -> Any:
    @tool(f"transfer_to_{agent}")
    def transfer(state: Annotated[Any, InjectedState], tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Hands over."""
        done = ToolMessage(f"Successfully transferred to {agent}", name=f"transfer_to_{agent}", tool_call_id=tool_call_id)
        return Command(goto=agent, graph=Command.PARENT, update={"messages": [*state["messages"], done], "active_agent": agent})

    return transfer


def supervisor(config: Any) -> Any:
    """The worker hands back its last message alone, as langgraph-supervisor does by default."""
    boss_says = [asks(("h1", "transfer_to_math", {})), says("three")]
    boss = create_agent(Scripted(replies=boss_says), [handoff("math")], name="supervisor")
    worker = create_agent(Scripted(replies=[asks(("c1", "add", {"a": 1, "b": 2})), says("3")]), [add], name="math")

    def math(state: MessagesState) -> Any:
        return {"messages": worker.invoke(state)["messages"][-1:]}

    graph = StateGraph(MessagesState)
    graph.add_node("supervisor", boss, destinations=("math", END))
    graph.add_node("math", math)
    graph.add_edge(START, "supervisor")
    graph.add_edge("math", "supervisor")
    return graph.compile(name="team").invoke(QUESTION, config)


class Swarm(MessagesState):
    active_agent: str


def swarm(config: Any) -> Any:
    """Two agents that hand over to each other and share their messages, as langgraph-swarm builds them."""
    alice = create_agent(Scripted(replies=[asks(("h1", "transfer_to_bob", {})), says("?")]), [handoff("bob"), look], name="alice")
    bob = create_agent(Scripted(replies=[asks(("c1", "add", {"a": 1, "b": 2})), says("3")]), [add], name="bob")
    graph = StateGraph(Swarm)
    graph.add_node("alice", alice, destinations=("bob",))
    graph.add_node("bob", bob)
    graph.add_conditional_edges(START, lambda state: state.get("active_agent") or "alice", ["alice", "bob"])
    return graph.compile(name="swarm").invoke(QUESTION, config)


def there_and_back(config: Any) -> Any:
    """Two agents that hand over and back, every call under one id; each handoff returns the history with that id in it."""
    alice = create_agent(Scripted(replies=[asks(("c1", "transfer_to_bob", {})), says("done")]), [handoff("bob")], name="alice")
    bob_says = [asks(("c1", "add", {"a": 1, "b": 2})), asks(("c1", "transfer_to_alice", {}))]
    bob = create_agent(Scripted(replies=bob_says), [add, handoff("alice")], name="bob")
    graph = StateGraph(Swarm)
    graph.add_node("alice", alice, destinations=("bob",))
    graph.add_node("bob", bob, destinations=("alice",))
    graph.add_edge(START, "alice")
    return graph.compile(name="swarm").invoke(QUESTION, config)


def functional(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "add", {"a": 1, "b": 2}), ("c2", "look", {"x": "a"})), says("ok")]).bind_tools([add, look])
    tools = {"add": add, "look": look}

    @task
    def ask_model(messages: list[Any]) -> AIMessage:
        return model.invoke(messages)

    @task
    def run_tool(call: Any) -> ToolMessage:
        return tools[call["name"]].invoke(call)

    @entrypoint()
    def agent(messages: list[Any]) -> dict[str, Any]:
        reply = ask_model(messages).result()
        while reply.tool_calls:
            running = [run_tool(call) for call in reply.tool_calls]
            messages = [*messages, reply, *[each.result() for each in running]]
            reply = ask_model(messages).result()
        return {"messages": [*messages, reply]}

    return agent.invoke([HumanMessage("hi")], config)


class Findings(BaseModel):
    """What was found."""

    value: int


def structured(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"})), asks(("c2", "Findings", {"value": 3}))])
    return create_agent(model, [look], response_format=ToolStrategy(Findings), name="agent").invoke(QUESTION, config)


def structured_again(config: Any) -> Any:
    """The answer has to be given twice, and its texts are the program's own."""
    form = ToolStrategy(Findings, handle_errors="once more", tool_message_content="noted")
    model = Scripted(replies=[asks(("c1", "Findings", {"value": "many"})), asks(("c2", "Findings", {"value": 3}))])
    return create_agent(model, [look], response_format=form, name="agent").invoke(QUESTION, config)


class Total(TypedDict):
    total: Annotated[int, operator.add]


def tool_without_model(config: Any) -> Any:
    graph = StateGraph(Total)
    graph.add_node("sum", lambda state: {"total": int(add.invoke({"a": 1, "b": 2}))})
    graph.add_edge(START, "sum")
    return graph.compile().invoke({"total": 0}, config)


def with_tool_node(chat: Any, tools: list[Any], **node: Any) -> Any:
    """A graph of its own nodes, with langgraph's ToolNode."""
    graph = StateGraph(MessagesState)
    graph.add_node("chat", chat)
    graph.add_node("tools", ToolNode(tools, handle_tool_errors=False), **node)
    graph.add_edge(START, "chat")
    graph.add_conditional_edges("chat", lambda state: "tools" if state["messages"][-1].tool_calls else END, ["tools", END])
    graph.add_edge("tools", "chat")
    return graph.compile(name="own")


def hand_built(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"})), says("ok")]).bind_tools([look])
    return with_tool_node(lambda state: {"messages": [model.invoke(state["messages"])]}, [look]).invoke(QUESTION, config)


def provider_sdk(config: Any) -> Any:
    """A model that is called through its provider's SDK: no callback tells of it. It uses its id again, and asks for what is not there."""
    replies = iter([asks(("c1", "look", {"x": "a"})), asks(("c1", "look", {"x": "b"}), ("c2", "nope", {})), says("ok")])
    return with_tool_node(lambda state: {"messages": [next(replies)]}, [look]).invoke(QUESTION, config)


def node_retried(config: Any) -> Any:
    tries = iter([ValueError("not yet"), None])

    @tool
    def flaky(x: str) -> str:
        """Fails once."""
        if error := next(tries):
            raise error
        return f"at last {x}"

    model = Scripted(replies=[asks(("c1", "flaky", {"x": "a"})), says("ok")]).bind_tools([flaky])
    again = RetryPolicy(initial_interval=0.001, retry_on=ValueError)
    graph = with_tool_node(lambda state: {"messages": [model.invoke(state["messages"])]}, [flaky], retry_policy=again)
    return graph.invoke(QUESTION, config)


def stopped_before_tools(config: Any) -> Any:
    model = Scripted(replies=[asks(("c1", "look", {"x": "a"})), says("ok")])
    graph = create_agent(model, [look], checkpointer=InMemorySaver(), interrupt_before=["tools"], name="agent")
    config = {**config, "configurable": {"thread_id": "1"}}
    graph.invoke(QUESTION, config)
    return graph.invoke(None, config)


def fan_out(config: Any) -> Any:
    """Three workers at once, whose models use the same id."""

    def work(state: Any) -> Any:
        model = Scripted(replies=[asks(("c1", "look", {"x": state["x"]}))]).bind_tools([look])
        reply = model.invoke("go")
        return {"messages": [reply, look.invoke(reply.tool_calls[0])]}

    graph = StateGraph(MessagesState)
    graph.add_node("work", work)
    graph.add_conditional_edges(START, lambda state: [Send("work", {"x": x}) for x in "abc"], ["work"])
    return graph.compile().invoke(QUESTION, config)


def two_turns(config: Any) -> Any:
    """Two runs of one thread; the state has both."""
    replies = [asks(("c1", "look", {"x": "a"})), says("first"), asks(("c1", "look", {"x": "b"})), says("second")]
    graph = create_agent(Scripted(replies=replies), [look], checkpointer=InMemorySaver(), name="agent")
    config = {**config, "configurable": {"thread_id": "1"}}
    graph.invoke({"messages": [("user", "one")]}, config)
    return graph.invoke({"messages": [("user", "two")]}, config)


def thread_of_its_own(config: Any) -> Any:
    """An agent in a bare thread, which hands on no context."""
    inner = create_agent(Scripted(replies=[asks(("c1", "look", {"x": "unseen"})), says("found")]), [look], name="inner")

    @tool
    def delegate(x: str) -> str:
        """Asks another agent."""
        with ThreadPoolExecutor(1) as pool:
            return str(pool.submit(lambda: inner.invoke(QUESTION)).result()["messages"][-1].content)

    model = Scripted(replies=[asks(("c1", "delegate", {"x": "a"})), says("ok")])
    return create_agent(model, [delegate], name="outer").invoke(QUESTION, config)


def cancelled(config: Any) -> Any:
    @tool
    async def sleep(x: str) -> str:
        """Sleeps."""
        begun.set()
        await asyncio.sleep(30)
        return x

    async def given_up() -> None:
        running = asyncio.ensure_future(agent.ainvoke(QUESTION, config))
        await asyncio.wait_for(begun.wait(), 20)
        await asyncio.sleep(0.2)  # the other call ends meanwhile
        running.cancel()
        await asyncio.wait([running])
        raise TimeoutError

    begun = asyncio.Event()

    model = Scripted(replies=[asks(("c1", "sleep", {"x": "a"}), ("c2", "look", {"x": "b"})), says("ok")])
    agent = create_agent(model, [sleep, look], name="agent")
    return asyncio.run(given_up())
