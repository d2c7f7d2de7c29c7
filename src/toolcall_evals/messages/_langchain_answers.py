"""What a tool's message of LangChain says beside its status: who declined a call, what ran instead, what was no tool at all.

Texts: langchain 1.5.2 (`factory`, `structured_output`, middleware), langgraph-prebuilt 1.1.3 (`tool_node`),
langgraph-supervisor 0.0.31, langgraph-swarm 0.1.0. They are fixed and English.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._model import InvocationDraft
from ._plain import same

_STRUCTURED = "Returning structured response: "
_UNPARSED = "Error: Failed to parse structured output for tool "
_SEVERAL = "Error: Model incorrectly returned multiple structured responses"
_EDITED = "Note: a human reviewer replaced this tool call before it ran."
_INSTEAD, _ARGUMENTS = " Executed instead: ", " with arguments "
_LEFT, _LEFT_BACK = "Successfully transferred to ", "Successfully transferred back to "
_LIMIT = "Tool call limit exceeded. Do not "
_DECLINED = "User rejected the tool call for `"
_MISFIT = "Error invoking tool '"
_UNREADABLE = "could not be executed - arguments were malformed or truncated."
_UNKNOWN = " is not a valid tool, try one of ["
_ADVICE = "Please fix your mistakes."

TELLING = (_STRUCTURED, _UNPARSED, _SEVERAL, _EDITED, _LEFT, _LEFT_BACK)
"""Beginnings of texts that say more than a status `success`."""


def tell(draft: InvocationDraft, text: str, status: Any, extra: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """
    Correct a call by what the message that answers it says.

    Args:
        draft: The call; its status follows the message's own status so far.
        text: The message's text.
        status: The message's own status, or None where it has none.
        extra: Its `additional_kwargs`.
        metadata: Its `response_metadata`.
    """
    if (
        metadata.get("__handoff_destination")
        or metadata.get("__is_handoff_back")
        or (text.startswith((_LEFT, _LEFT_BACK)) and draft.name.startswith("transfer_"))
    ):
        draft.kind = "handoff"
        draft.synthetic = draft.synthetic or bool(metadata.get("__is_handoff_back"))
    elif text.startswith((_STRUCTURED, _UNPARSED, _SEVERAL)):
        draft.kind, draft.executed = "structured_output", False
        if not text.startswith(_STRUCTURED):
            draft.status, draft.error = "error", text
    elif text.startswith(_EDITED):
        _edited(draft, text)
    if extra.get("lc_source") == "hitl_interrupt_decision":
        draft.executed = False
        if status == "error":
            draft.status = "rejected"
    elif status == "error":
        _failed(draft, text)
    elif status is None and text.startswith("Error: ") and text.endswith(_ADVICE) and draft.status == "success":
        draft.status, draft.error = "error", text
        _failed(draft, text)


def hands_over(name: str) -> bool:
    """
    Whether a tool of this name hands over to another agent, as supervisors and swarms name theirs.

    Such a name on the answer to another call says nothing of what ran: langgraph's ToolNode (prebuilt 1.1.3) puts it on every
    message under the handoff's id, those of earlier calls in the history that it hands on too.
    """
    return name.startswith(("transfer_to_", "transfer_back_to_"))


def _failed(draft: InvocationDraft, text: str) -> None:
    if draft.status != "error":
        return
    if text.startswith((_LIMIT, _DECLINED)):
        draft.status, draft.executed = "rejected", False
    elif (
        text.startswith(_MISFIT)
        or text.endswith(_UNREADABLE)
        or (text.startswith("Error: ") and _UNKNOWN in text)
        or misfits(text, draft.name)
    ):
        draft.status, draft.executed = "invalid", False


def misfits(error: str, name: str) -> bool:
    """Whether an error is pydantic's about the tool's own arguments: its first line counts errors "for" the tool."""
    line = error.removeprefix("Error: ").partition("\n")[0]
    return line[:1].isdigit() and line.endswith((f"validation error for {name}", f"validation errors for {name}"))


def _edited(draft: InvocationDraft, text: str) -> None:
    """A reviewer replaced the call; the notice names the one that ran (the state does not, outside of a checkpoint)."""
    instead = text.partition(_INSTEAD)[2]
    name, _, rest = instead.partition(_ARGUMENTS)
    try:
        args, _ = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError):
        return
    ran_instead(draft, name, args)


def ran_instead(draft: InvocationDraft, name: Any, args: Any) -> None:
    """Another call ran than the one that the model asked for; what is equal is left out."""
    draft.executed = True
    if isinstance(name, str) and name and name != draft.name:
        draft.executed_name = name
    if isinstance(args, dict) and (draft.executed_name or not same(args, draft.args)):
        draft.executed_args = args
