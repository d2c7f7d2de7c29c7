"""LangChain messages: live objects by their fields, and every JSON form (`model_dump`, `messages_to_dict`, `dumpd`).

Shapes: langchain-core 1.8.3 (and 0.3.86), langchain 1.5.2 (and 1.0.3), langgraph 1.2.24 (and 0.2.76).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._json import shown
from .._model import InvocationDraft
from ._blocks import content_of, read_blocks, read_results
from ._conversation import Conversation
from ._langchain_answers import TELLING, hands_over, tell
from ._requests import asked
from ._text import assistant_text, result_text

_KINDS = {
    "human": "human",
    "ai": "ai",
    "tool": "tool",
    "system": "system",
    "function": "tool",
    "chat": "chat",
    "remove": "remove",
    "HumanMessage": "human",
    "AIMessage": "ai",
    "ToolMessage": "tool",
    "SystemMessage": "system",
    "FunctionMessage": "tool",
    "ChatMessage": "chat",
    "RemoveMessage": "remove",
    "HumanMessageChunk": "human",
    "AIMessageChunk": "ai",
    "ToolMessageChunk": "tool",
    "SystemMessageChunk": "system",
    "FunctionMessageChunk": "tool",
    "ChatMessageChunk": "chat",
}
"""What a message is, by the `type` of the message or the class of its JSON form."""

_SPEAKERS = {"user": "human", "human": "human", "assistant": "ai", "ai": "ai", "system": "system", "developer": "system", "tool": "tool"}
"""What a `ChatMessage` is, by its role."""

CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS", "incomplete", "model_length", "max_output_tokens"})
"""Reasons to stop that mean: the token limit (OpenAI, Anthropic, Gemini, Responses, Mistral)."""

UNRECORDED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
"""Reasons to stop that mean: the model tried a call, and the provider did not record it (Gemini)."""

_NONE: Mapping[str, Any] = {}


def message_fields(message: Any) -> tuple[str, Mapping[str, Any]] | None:
    """
    What a LangChain message is and its fields, whichever form it has.

    Returns:
        One of `human`, `ai`, `tool`, `system`, `remove` with the fields, or None when it is no LangChain message.
    """
    fields = message if type(message) is dict or isinstance(message, Mapping) else getattr(message, "__dict__", None)
    if type(fields) is not dict and not isinstance(fields, Mapping):
        return None
    kind = fields.get("type")
    if type(kind) is not str:
        return None
    if kind == "constructor":
        identifier = fields.get("id")
        kind, fields = (identifier[-1] if isinstance(identifier, list | tuple) and identifier else None), fields.get("kwargs")
    elif "data" in fields and isinstance(fields["data"], Mapping):
        fields = fields["data"]
    elif "content" not in fields and "tool_calls" not in fields and kind != "remove":
        return None
    role = _KINDS.get(kind) if isinstance(kind, str) else None
    if role is None or (type(fields) is not dict and not isinstance(fields, Mapping)):
        return None
    if role == "chat":
        role = _SPEAKERS.get(shown(fields.get("role")), "human")
    return role, fields


def read(conversation: Conversation, message: Mapping[str, Any]) -> bool:
    """Read one message, given as a mapping or as the fields of an object; False when it is not LangChain's."""
    kind = message.get("type")
    if kind == "ai" and "content" in message:
        _assistant(conversation, message)
        return True
    if kind == "tool" and "tool_call_id" in message:
        _tool(conversation, message)
        return True
    found = message_fields(message)
    if found is None:
        return False
    role, fields = found
    if role == "ai":
        _assistant(conversation, fields)
    elif role == "tool":
        _tool(conversation, fields)
    elif role != "remove":
        _other(conversation, role, fields)
    return True


def _assistant(conversation: Conversation, fields: Mapping[str, Any]) -> None:
    content, calls, invalid, id = fields.get("content"), fields.get("tool_calls"), fields.get("invalid_tool_calls"), fields.get("id")
    if id:
        if type(id) is not str:
            id = shown(id)
        own = fields.get("additional_kwargs")
        unlisted = (own.get("tool_calls"), own.get("function_call")) if own and not calls and isinstance(own, Mapping) else None
        if conversation.repeats(id, (content, calls, invalid, unlisted)):
            return
    agent, extra = fields.get("name"), fields.get("additional_kwargs")
    if agent is not None and type(agent) is not str:
        agent = shown(agent)
    if type(content) is str:
        conversation.assistant(content, id)
    else:
        content = content_of(conversation, content)
        conversation.assistant(assistant_text(content), id)
        read_blocks(conversation, content, client=not calls and not invalid and not _provider_lists(extra), agent=agent)
    if extra and isinstance(extra, Mapping):
        if extra.get("tool_outputs"):  # the provider's own tools, as langchain-openai's output_version "v0" keeps them
            read_blocks(conversation, extra["tool_outputs"], client=False, agent=agent)
        if not calls and not invalid:
            _provider_calls(conversation, extra, agent)
    if calls:
        _requests(conversation, calls, agent)
    if invalid:
        _invalid_requests(conversation, invalid, agent)
    metadata = fields.get("response_metadata")
    if metadata:
        if cut_off(metadata):
            conversation.cut_off()
        elif (reason := unrecorded(metadata)) is not None:
            conversation.warnings.append(reason)
        elif isinstance(calls, list) and calls and isinstance(metadata, Mapping) and metadata.get("__is_handoff_back"):
            for draft in conversation.latest_calls()[-len(calls) :]:
                draft.synthetic, draft.kind = True, "handoff"


def _requests(conversation: Conversation, calls: Any, agent: str | None) -> None:
    for call in calls if type(calls) is list else [*calls] if isinstance(calls, tuple) else [calls]:
        if type(call) is dict and type(name := call.get("name")) is str and name and type(args := call.get("args")) is dict:
            id = call.get("id")
            draft = InvocationDraft(name, args, None, id if id is None or type(id) is str else shown(id))
        elif isinstance(call, Mapping):
            draft = asked(call.get("name"), args := call.get("args"), call.get("id"))
        else:
            conversation.unread("entries of 'tool_calls' that are no mapping")
            continue
        draft.agent = agent
        if not args and draft.name.startswith("transfer_to_"):  # supervisors and swarms: the model gives such a tool nothing
            draft.kind = "handoff"
        conversation.call(draft)


def _invalid_requests(conversation: Conversation, calls: Any, agent: str | None) -> None:
    for call in calls if isinstance(calls, list | tuple) else [calls]:
        if not isinstance(call, Mapping):
            conversation.unread("entries of 'invalid_tool_calls' that are no mapping")
            continue
        args, error = call.get("args"), call.get("error")
        draft = asked(call.get("name"), {}, call.get("id"))
        draft.args, draft.raw_args = None, args if args is None or isinstance(args, str) else result_text(args)
        draft.status, draft.error = "invalid", error if error is None or isinstance(error, str) else shown(error)
        draft.agent = agent
        conversation.call(draft)


def _provider_lists(extra: Any) -> list[tuple[Any, Any]]:
    """Calls that only the provider's own fields hold, as (id, function): older dumps, and OpenAI's older `function_call`."""
    if not isinstance(extra, Mapping):
        return []
    calls = extra.get("tool_calls")
    listed = (
        [(call.get("id"), call.get("function")) for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []
    )
    return listed or ([(None, extra["function_call"])] if extra.get("function_call") else [])


def _provider_calls(conversation: Conversation, extra: Any, agent: Any) -> None:
    for id, function in _provider_lists(extra):
        if isinstance(function, Mapping):
            draft = asked(function.get("name"), function.get("arguments"), id)
            draft.agent = agent
            conversation.call(draft)


def cut_off(metadata: Any) -> bool:
    """Whether the model's answer ended at a token limit, as its response metadata tells (OpenAI, Anthropic, Gemini, Responses)."""
    if not isinstance(metadata, Mapping):
        return False
    for key in ("finish_reason", "stop_reason", "stopReason", "done_reason", "status"):
        reason = metadata.get(key)
        if isinstance(reason, str) and reason in CUT_OFF:
            return True
    return False


def unrecorded(metadata: Any) -> str | None:
    """That the model tried a call which its message does not hold, in words; None when its answer ended otherwise."""
    reason = metadata.get("finish_reason") if isinstance(metadata, Mapping) else None
    known = isinstance(reason, str) and reason in UNRECORDED
    return f"the model tried a call that the provider did not record ({reason})" if known else None


def _tool(conversation: Conversation, fields: Mapping[str, Any]) -> None:
    content, id, call_id = fields.get("content"), fields.get("id"), fields.get("tool_call_id")
    if id:
        if type(id) is not str:
            id = shown(id)
        if conversation.repeats(id, (content, call_id)):
            return
    if call_id is not None and type(call_id) is not str:
        call_id = shown(call_id)
    text = content if type(content) is str else result_text(content)
    name = fields.get("name")
    if name is not None and type(name) is not str:
        name = None
    draft = conversation.result(call_id, name, text, message_id=id)
    if content is not text:
        draft.raw_result = content
    draft.artifact = fields.get("artifact")
    status = fields.get("status")
    if status == "error" and draft.status == "success":
        draft.status, draft.error = "error", text
    if name and name != draft.name and not (hands_over(name) or hands_over(draft.name)):
        draft.executed_name = name
    extra, metadata = fields.get("additional_kwargs"), fields.get("response_metadata")
    if extra or metadata or status != "success" or (text and text.startswith(TELLING)):
        extra = extra if isinstance(extra, Mapping) else _NONE
        tell(draft, text or "", status, extra, metadata if isinstance(metadata, Mapping) else _NONE)


def _other(conversation: Conversation, role: str, fields: Mapping[str, Any]) -> None:
    content, id = fields.get("content"), fields.get("id")
    if id:
        if type(id) is not str:
            id = shown(id)
        if conversation.repeats(id, content):
            return
    if type(content) is not str:
        content = content_of(conversation, content)
    text = content if type(content) is str else assistant_text(content)
    if role == "system":
        conversation.system(text, id)
        return
    extra = fields.get("additional_kwargs")
    injected = bool(extra) and isinstance(extra, Mapping) and bool(extra.get("lc_source"))
    if type(content) is str or not read_results(conversation, content, id):  # Anthropic's results stand in a user's message
        conversation.user(text, id, injected=injected)
    elif text:
        conversation.user(text, id, injected=True)
