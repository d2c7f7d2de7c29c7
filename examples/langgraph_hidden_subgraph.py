"""
A node that runs an agent of its own: the outer state holds an answer and no message, so no call at
all.

Run it: `python examples/langgraph_hidden_subgraph.py`. It needs langchain and langgraph, no network
and no key: the model is scripted.
"""

from __future__ import annotations

from typing import Any, TypedDict

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph

from toolcall_evals import checks, to_trajectory
from toolcall_evals_langgraph import record


class ScriptedModel(GenericFakeChatModel):
    """Says its messages one after the other, whatever it is asked."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@tool
def look_up(term: str) -> str:
    """Look a term up."""
    return f"{term}: a bridge in New York, opened in 1883"


class State(TypedDict):
    """What the outer graph knows."""

    question: str
    answer: str


def build() -> Any:
    """A graph of one node, in which an agent works with messages of its own."""
    terms = {"call_1": "Brooklyn Bridge", "call_2": "Manhattan Bridge"}
    asked = [{"name": "look_up", "args": {"term": term}, "id": id} for id, term in terms.items()]
    replies = [
        AIMessage("", tool_calls=asked[:1]),
        AIMessage("", tool_calls=asked[1:]),
        AIMessage("The Brooklyn Bridge opened in 1883."),
    ]
    agent = create_agent(ScriptedModel(messages=iter(replies)), [look_up], name="librarian")

    def research(state: State) -> dict[str, Any]:
        return {
            "answer": agent.invoke({"messages": [{"role": "user", "content": state["question"]}]})[
                "messages"
            ][-1].content
        }

    graph = StateGraph(State)
    graph.add_node("research", research)
    graph.add_edge(START, "research")
    graph.add_edge("research", END)
    return graph.compile(name="library")


def main() -> None:
    """Run the graph, and score its answer and its record."""
    with record() as rec:
        state = build().invoke(
            {"question": "When was the Brooklyn Bridge opened?", "answer": ""}, config=rec.config
        )
    print(f"The final state: {state}")
    print("The record:")
    for call in rec.trajectory.invocations:
        print(f"  {call.agent}, in the node {call.node}: {call.name}({call.args}) -> {call.result}")
    for check in (checks.called_tool("look_up"), checks.max_tool_calls(1)):
        for source, run in (("answer", to_trajectory(state["answer"])), ("record", rec.trajectory)):
            score = check.score(run)
            print(f"{score.key} on the {source}: {score.score}, {score.comment}")


if __name__ == "__main__":
    main()
