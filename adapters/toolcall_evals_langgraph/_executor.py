"""The output of LangChain's classic `AgentExecutor`: pairs of an action and what was observed (langchain-classic 1.0.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_evals import InvocationDraft, Reading, Trajectory
from toolcall_evals.messages import Conversation, as_json, message_fields

SOURCE = "langgraph.agent_executor"


def is_executor_output(raw: Any) -> bool:
    """Whether it is an executor's output with its steps."""
    return isinstance(raw, Mapping) and isinstance(raw.get("intermediate_steps"), list | tuple)


def read_executor(raw: Mapping[str, Any], reading: Reading) -> Trajectory:
    """Read the steps: one call a pair; an observation is the raw value that the tool returned."""
    conversation = Conversation()
    request = raw.get("input")
    if isinstance(request, str):
        conversation.user(request)
    for step in raw["intermediate_steps"]:
        if not isinstance(step, list | tuple) or not step:
            conversation.warnings.append("a step that is no pair of an action and an observation is not read")
            continue
        _step(conversation, step[0], step[1] if len(step) > 1 else None, len(step) > 1)
    output = raw.get("output")
    if isinstance(output, str):
        conversation.assistant(output)
    return conversation.trajectory(SOURCE, reading)


def _step(conversation: Conversation, action: Any, observed: Any, answered: bool) -> None:
    fields = action if isinstance(action, Mapping) else getattr(action, "__dict__", {})
    if fields.get("type") == "constructor" and isinstance(fields.get("kwargs"), Mapping):
        fields = fields["kwargs"]
    name, given, id = fields.get("tool"), fields.get("tool_input"), fields.get("tool_call_id")
    if not isinstance(name, str):
        conversation.warnings.append("a step without a tool's name is not read")
        return
    if name == "_Exception":  # what the executor does about an answer that it cannot parse
        conversation.warnings.append("an answer of the model's could not be parsed as a tool call")
        return
    conversation.assistant("")
    draft = InvocationDraft(name, id=id if id is None or isinstance(id, str) else as_json(id))
    if isinstance(given, Mapping):
        draft.args = dict(given)
    elif isinstance(given, str):
        draft.raw_args = given
    elif given is None:
        draft.args = {}
    else:
        draft.raw_args = as_json(given)
    conversation.call(draft)
    if not answered:
        return
    draft.status, draft.executed = "success", True
    found = message_fields(observed)
    value = found[1].get("content") if found else observed
    draft.raw_result = None if isinstance(value, str) else value
    draft.result = value if isinstance(value, str) else as_json(value)
    if draft.result.startswith(f"{name} is not a valid tool, try one of ["):
        draft.status, draft.executed, draft.error = "invalid", False, draft.result
