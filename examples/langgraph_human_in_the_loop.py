"""
A person approves one call, edits one and rejects one: the messages hold what the model asked, the
record also what ran.

Run it: `python examples/langgraph_human_in_the_loop.py`. It needs langchain and langgraph, no
network and no key: the model is scripted.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from toolcall_evals import Trajectory, checks
from toolcall_evals_langgraph import record


class ScriptedModel(GenericFakeChatModel):
    """Says its messages one after the other, whatever it is asked."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@tool
def refund(order: str, amount: float) -> str:
    """Refund an order."""
    return f"refunded {amount:.2f} euro for {order}"


def build() -> Any:
    """An agent whose refunds a person has to allow."""
    asked = [("call_1", "A-1", 20.0), ("call_2", "A-2", 2000.0), ("call_3", "A-3", 15.0)]
    calls = [
        {"name": "refund", "args": {"order": order, "amount": amount}, "id": id}
        for id, order, amount in asked
    ]
    model = ScriptedModel(
        messages=iter(
            [
                AIMessage("", tool_calls=calls),
                AIMessage("Done: A-1 and A-2 are refunded, A-3 is not."),
            ]
        )
    )
    review = HumanInTheLoopMiddleware(interrupt_on={"refund": True})
    return create_agent(
        model, [refund], middleware=[review], checkpointer=InMemorySaver(), name="support"
    )


DECISIONS = [
    {"type": "approve"},
    {
        "type": "edit",
        "edited_action": {"name": "refund", "args": {"order": "A-2", "amount": 200.0}},
    },
    {"type": "reject", "message": "A-3 was never paid."},
]


def show(title: str, run: Trajectory) -> None:
    """Print the calls of a run, one a line."""
    print(title)
    for call in run.invocations:
        ran = (
            "unknown whether it ran"
            if call.executed is None
            else "ran"
            if call.executed
            else "did not run"
        )
        changed = f" with {call.executed_args}" if call.executed_args is not None else ""
        print(f"  asked {call.name}({call.args}): {call.status}, {ran}{changed}")


def main() -> None:
    """Pause at the person, resume with the decisions, and compare messages and record."""
    graph = build()
    with record() as rec:  # one recorder for the run and its resume
        config: Any = {**rec.config, "configurable": {"thread_id": "1"}}
        graph.invoke({"messages": [("user", "Refund A-1, A-2 and A-3.")]}, config)
        show("While it waits for the person, the record shows:", rec.trajectory)
        state = graph.invoke(Command(resume={"decisions": DECISIONS}), config)
    asked = [
        call["args"]["amount"]
        for message in state["messages"]
        if message.type == "ai"
        for call in message.tool_calls
    ]
    print(f"In the end the messages ask for refunds of {sum(asked):.2f} euro.")
    show("The record shows:", rec.trajectory)
    ran = [
        (call.executed_args or call.args or {})["amount"]
        for call in rec.trajectory.invocations
        if call.executed
    ]
    print(f"So {sum(ran):.2f} euro were refunded.")
    for check in (checks.no_tool_errors(), checks.called_tool("refund", times=3)):
        score = check.score(rec.trajectory)
        print(f"{score.key}: {score.score}, {score.comment}")


if __name__ == "__main__":
    main()
