"""OpenAI chat messages: `role`, `content`, `tool_calls`, and the older `function_call`.

Format: OpenAI's chat completions API, as openai 3.57 types it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._model import InvocationDraft
from ._arguments import read_arguments
from ._conversation import Conversation
from ._text import assistant_text, result_text

_ROLES = {"system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "tool": "tool", "function": "tool"}


def read(conversation: Conversation, message: Mapping[str, Any]) -> bool:
    """Read one chat message; False when it has no role of OpenAI's."""
    role = message.get("role")
    role = _ROLES.get(role) if isinstance(role, str) else None
    if role is None:
        return False
    content, id = message.get("content"), message.get("id")
    if role == "assistant":
        conversation.assistant(assistant_text(content), id)
        for call in message.get("tool_calls") or ():
            _call(conversation, call)
        legacy = message.get("function_call")
        if isinstance(legacy, Mapping):
            _request(conversation, legacy.get("name"), legacy.get("arguments"), None)
    elif role == "tool":
        conversation.result(message.get("tool_call_id"), message.get("name"), result_text(content), message_id=id)
    elif role == "user":
        conversation.user(assistant_text(content), id)
    else:
        conversation.system(assistant_text(content), id)
    return True


def read_pair(conversation: Conversation, pair: Sequence[Any]) -> bool:
    """Read a (role, text) pair, as LangChain accepts for input messages; False when it is none."""
    if len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], str):
        return False
    return read(conversation, {"role": pair[0], "content": pair[1]})


def _call(conversation: Conversation, call: Any) -> None:
    if not isinstance(call, Mapping):
        return
    function = call.get("function")
    if isinstance(function, Mapping):
        _request(conversation, function.get("name"), function.get("arguments"), call.get("id"))


def _request(conversation: Conversation, name: Any, arguments: Any, id: Any) -> None:
    args, raw = read_arguments(arguments)
    status = "pending" if args is not None else "invalid"
    conversation.call(InvocationDraft(name if isinstance(name, str) else "", args, raw, id if isinstance(id, str) else None, status))  # type: ignore[arg-type]  # one of two
