"""Calls that wait for a person, as a state's `__interrupt__` names them (langchain 1.5.2, langgraph 1.2.24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_evals import InvocationDraft
from toolcall_evals.messages import Conversation


def interrupted(conversation: Conversation, interrupts: Any) -> None:
    """
    Calls that wait for a person and stand in no message of this state, as where a sub-agent is paused (langgraph #6362).
    """
    waiting = [call for call in conversation.calls() if call.status == "pending"] if interrupts else []
    for action in _requested(interrupts):
        name, args, id = action.get("name"), action.get("args"), action.get("tool_call_id")
        known = next((call for call in waiting if (id and call.id == id) or (call.name == name and call.args == args)), None)
        if known is not None:
            waiting.remove(known)
        elif isinstance(name, str):
            args = args if isinstance(args, dict) else None
            conversation.call(InvocationDraft(name, args, None, id if isinstance(id, str) else None, extra={"via": "interrupt"}))
            conversation.warnings.append(
                f"a call of {name} is known from the interrupt only: the message that asks for it is not in this state"
            )


def _requested(interrupts: Any) -> list[Mapping[str, Any]]:
    """The tool calls that interrupts ask a person about (langchain's `HumanInTheLoopMiddleware`, both modes)."""
    actions: list[Mapping[str, Any]] = []
    for interrupt in interrupts if isinstance(interrupts, list | tuple) else ():
        value = interrupt.get("value") if isinstance(interrupt, Mapping) else getattr(interrupt, "value", None)
        if not isinstance(value, Mapping):
            continue
        requests = value.get("action_requests")
        if isinstance(requests, list | tuple):
            actions += [request for request in requests if isinstance(request, Mapping)]
        elif value.get("type") == "tool_approval":
            actions.append(value)
    return actions
