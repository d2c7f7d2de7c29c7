"""LangChain messages: live objects by their fields, and every JSON form (`model_dump`, `messages_to_dict`, `dumpd`).

Shapes: langchain-core 1.8.3, langgraph 1.2.24.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._model import InvocationDraft
from ._arguments import read_arguments
from ._conversation import Conversation
from ._text import assistant_text, result_text

_TYPES = {
    "human": "human",
    "ai": "ai",
    "tool": "tool",
    "system": "system",
    "function": "tool",
    "HumanMessage": "human",
    "AIMessage": "ai",
    "ToolMessage": "tool",
    "SystemMessage": "system",
    "FunctionMessage": "tool",
    "HumanMessageChunk": "human",
    "AIMessageChunk": "ai",
    "ToolMessageChunk": "tool",
    "SystemMessageChunk": "system",
}
"""`type` of a message and of its JSON forms, by what it is."""


def read(conversation: Conversation, message: Mapping[str, Any]) -> bool:
    """Read one message, given as a mapping or as the fields of an object; False when it is not LangChain's."""
    kind = message.get("type")
    fields = message
    if kind == "constructor" and message.get("lc"):
        identifier = message.get("id")
        kind, fields = (identifier[-1] if isinstance(identifier, list) and identifier else None), message.get("kwargs") or {}
    elif "data" in message and isinstance(message["data"], Mapping):
        fields = message["data"]
    role = _TYPES.get(kind) if isinstance(kind, str) else None
    if role is None or not isinstance(fields, Mapping):
        return False
    if role == "ai":
        _assistant(conversation, fields)
    elif role == "tool":
        _tool(conversation, fields)
    else:
        _other(conversation, role, fields)
    return True


def _assistant(conversation: Conversation, fields: Mapping[str, Any]) -> None:
    content, calls, id = fields.get("content"), fields.get("tool_calls"), fields.get("id")
    if id and conversation.repeats(id, (content, calls)):
        return
    conversation.assistant(content if isinstance(content, str) else assistant_text(content), id)
    agent = fields.get("name")
    for call in calls or ():
        draft = InvocationDraft(call["name"], None, None, call.get("id"))
        draft.args, draft.raw_args = read_arguments(call.get("args"))
        if draft.args is None:
            draft.status = "invalid"
        draft.agent = agent
        conversation.call(draft)
    for call in fields.get("invalid_tool_calls") or ():
        draft = InvocationDraft(call.get("name") or "", None, call.get("args"), call.get("id"), "invalid", error=call.get("error"), agent=agent)
        conversation.call(draft)


def _tool(conversation: Conversation, fields: Mapping[str, Any]) -> None:
    content, id = fields.get("content"), fields.get("id")
    if id and conversation.repeats(id, content):
        return
    text = content if isinstance(content, str) else result_text(content)
    draft = conversation.result(fields.get("tool_call_id"), fields.get("name"), text, message_id=id)
    draft.artifact = fields.get("artifact")
    if fields.get("status") == "error" and draft.status == "success":
        draft.status, draft.error = "error", text


def _other(conversation: Conversation, role: str, fields: Mapping[str, Any]) -> None:
    content, id = fields.get("content"), fields.get("id")
    if id and conversation.repeats(id, content):
        return
    if role == "system":
        conversation.system(assistant_text(content), id)
    else:
        injected = bool((fields.get("additional_kwargs") or {}).get("lc_source"))
        conversation.user(assistant_text(content), id, injected=injected)
