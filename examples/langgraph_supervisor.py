"""
A supervisor with two workers, each of which hands back its last message alone: their tool calls are
in no final state.

Run it: `python examples/langgraph_supervisor.py`. It needs langchain and langgraph, no network and
no key: the models are scripted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState
from langgraph.types import Command

from toolcall_evals import Trajectory, checks, to_trajectory
from toolcall_evals_langgraph import record


class ScriptedModel(GenericFakeChatModel):
    """Says its messages one after the other, whatever it is asked."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def scripted(*replies: str | tuple[str, dict[str, Any]]) -> ScriptedModel:
    """A model that says each text, and calls each tool given as (name, args)."""

    def messages() -> Iterable[AIMessage]:
        for index, reply in enumerate(replies):
            if isinstance(reply, str):
                yield AIMessage(reply)
            else:
                yield AIMessage(
                    "", tool_calls=[{"name": reply[0], "args": reply[1], "id": f"call_{index}"}]
                )

    return ScriptedModel(messages=iter(messages()))


@tool
def search_flights(origin: str, destination: str) -> str:
    """Search flights."""
    return f"{origin}-{destination}: LH 400, 590 euro; BA 117, 610 euro"


@tool
def search_hotels(city: str) -> str:
    """Search hotels."""
    raise TimeoutError("the hotel service did not answer")


@wrap_tool_call
def errors_as_results(request: Any, handler: Any) -> Any:
    """Tell the model of a time-out, rather than end the run."""
    try:
        return handler(request)
    except TimeoutError as error:
        return ToolMessage(
            str(error),
            name=request.tool_call["name"],
            tool_call_id=request.tool_call["id"],
            status="error",
        )


@tool
def convert(amount: float, currency: str) -> str:
    """Convert euro into another currency."""
    return f"{amount * 1.1:.0f} {currency}"


def handoff(worker: str) -> Any:
    """The tool by which the supervisor hands over to a worker."""

    @tool(f"transfer_to_{worker}", description=f"Hand over to {worker}.")
    def transfer(
        state: Annotated[Any, InjectedState], tool_call_id: Annotated[str, InjectedToolCallId]
    ) -> Command[str]:
        done = ToolMessage(
            f"Successfully transferred to {worker}",
            name=f"transfer_to_{worker}",
            tool_call_id=tool_call_id,
        )
        return Command(
            goto=worker, graph=Command.PARENT, update={"messages": [*state["messages"], done]}
        )

    return transfer


def build() -> Any:
    """The graph: a supervisor, a researcher that searches, an accountant that converts."""
    supervisor = create_agent(
        scripted(
            ("transfer_to_researcher", {}),
            ("transfer_to_accountant", {}),
            "Fly LH 400 for 649 dollars; pick the hotel yourself.",
        ),
        [handoff("researcher"), handoff("accountant")],
        name="supervisor",
    )
    researcher = create_agent(
        scripted(
            ("search_flights", {"origin": "FRA", "destination": "JFK"}),
            ("search_hotels", {"city": "New York"}),
            ("search_hotels", {"city": "New York"}),
            "LH 400 costs 590 euro. I found no hotel.",
        ),
        [search_flights, search_hotels],
        middleware=[errors_as_results],
        name="researcher",
    )
    accountant = create_agent(
        scripted(("convert", {"amount": 590, "currency": "USD"}), "590 euro are 649 USD."),
        [convert],
        name="accountant",
    )

    def last_message_of(worker: Any) -> Any:
        return lambda state: {"messages": worker.invoke(state)["messages"][-1:]}

    graph = StateGraph(MessagesState)
    graph.add_node("supervisor", supervisor, destinations=("researcher", "accountant", END))
    for name, worker in {"researcher": researcher, "accountant": accountant}.items():
        graph.add_node(name, last_message_of(worker))
        graph.add_edge(name, "supervisor")
    graph.add_edge(START, "supervisor")
    return graph.compile(name="team")


def show(title: str, run: Trajectory) -> None:
    """Print the calls of a run, one a line."""
    print(title)
    for call in run.invocations:
        took = "" if call.duration_s is None else f" in {call.duration_s * 1000:.0f} ms"
        print(f"  {call.agent}: {call.name}({call.args}) {call.kind} {call.status}{took}")


def main() -> None:
    """Run the graph, and compare what its state and what its record show."""
    with record() as rec:
        state = build().invoke(
            {"messages": [("user", "Plan a trip from Frankfurt to New York, prices in dollars.")]},
            config=rec.config,
        )
    show("The final state shows:", to_trajectory(state))
    show("The record shows:", rec.trajectory)
    for check in (
        checks.no_tool_errors(),
        checks.max_tool_calls(2, agent="researcher"),
        checks.called_tool("convert"),
    ):
        for source, run in (("state", to_trajectory(state)), ("record", rec.trajectory)):
            score = check.score(run)
            print(f"{score.key} on the {source}: {score.score}, {score.comment}")


if __name__ == "__main__":
    main()
