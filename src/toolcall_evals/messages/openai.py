"""Chat messages by role: OpenAI's, and whoever speaks like it (Anthropic, Bedrock, Ollama, vLLM...).

Format: OpenAI's chat completions API as openai 3.57 types it: `role`, `content`, `tool_calls`, the older `function_call`.
Content may be a list of any provider's blocks, which `_blocks` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._model import InvocationDraft
from ._blocks import content_of, read_blocks, read_results
from ._conversation import Conversation
from ._plain import as_mapping, holds_objects, plain, same
from ._requests import as_id, as_name, asked, unreadable
from ._text import as_json, assistant_text, result_text
from .langchain import cut_off

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


def read(conversation: Conversation, message: Mapping[str, Any]) -> bool:
    """
    Read one chat message; False when it is none.

    A message without a role is one where its fields leave no doubt: only assistants have calls, only tools answer them.
    """
    role = message.get("role")
    if isinstance(role, str):
        role = _ROLES.get(role)
    elif role is None:
        role = "assistant" if "tool_calls" in message or "function_call" in message else "tool" if "tool_call_id" in message else None
    else:
        return False
    if role is None:
        return False
    content, id = message.get("content"), message.get("id")
    if type(content) is list and holds_objects(content):
        content = plain(content)
    elif type(content) is not str and content is not None and role != "tool":
        content = content_of(conversation, content)
    if id is not None:
        id = as_id(id)
        said = (content, message.get("tool_calls"), message.get("function_call"), message.get("tool_call_id"))
        if conversation.repeats(id, said):
            return True
    if role == "assistant":
        _assistant(conversation, message, content, id)
    elif role == "tool":
        _tool(conversation, message, content, id)
    elif role == "user":
        _user(conversation, content, id)
    else:
        conversation.system(assistant_text(content), id)
    return True


def is_plain(message: Any) -> bool:
    """Whether it is a chat message and nobody else's."""
    return type(message) is dict and "role" in message and "type" not in message and "parts" not in message


def read_plain(conversation: Conversation, messages: Iterable[Any]) -> Iterator[Any]:
    """Read the plain chat messages of a list; every other item is handed on in its turn, for its reader to read before the next."""
    for message in messages:
        if not (is_plain(message) and read(conversation, message)):
            yield message


def read_pair(conversation: Conversation, pair: Sequence[Any]) -> bool:
    """Read a (role, text) pair, as LangChain accepts for input messages; False when it is none."""
    if len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], str):
        return False
    return read(conversation, {"role": pair[0], "content": pair[1]})


def read_response(conversation: Conversation, response: Mapping[str, Any]) -> bool:
    """Read a whole response (`{"choices": [{"message": ..., "finish_reason": ...}]}`): its first answer; False when it is none."""
    choices = response.get("choices")
    stated = [as_mapping(choice) for choice in choices] if isinstance(choices, list | tuple) else []
    answers = [choice for choice in stated if isinstance(choice, Mapping)]
    message = as_mapping(answers[0].get("message")) if answers else None
    if not isinstance(message, Mapping) or not read(conversation, message if "role" in message else {**message, "role": "assistant"}):
        return False
    if cut_off(answers[0]):
        conversation.cut_off()
    for _ in answers[1:]:
        conversation.unread("alternative answers")
    return True


def _assistant(conversation: Conversation, message: Mapping[str, Any], content: Any, id: str | None) -> None:
    calls, agent = message.get("tool_calls"), as_name(message.get("name"))
    if type(content) is str:
        conversation.assistant(content or _instead(message), id)
    elif content is None:
        conversation.assistant(_instead(message), id)
    else:
        conversation.assistant(assistant_text(content) or _instead(message), id)
        read_blocks(conversation, content, client=not calls, agent=agent)
    if calls:
        for call in calls if isinstance(calls, (list, tuple)) else [calls]:
            if call is None:
                conversation.unread("empty entries of 'tool_calls'")
                continue
            fields = call if type(call) is dict or isinstance(call, Mapping) else plain(call)
            draft = request_of(fields) if isinstance(fields, Mapping) else unreadable(call)
            draft.agent = agent
            conversation.call(draft)
    legacy = message.get("function_call")
    if legacy and not (calls and _lists(calls, legacy)):
        legacy = plain(legacy)
        draft = asked(legacy.get("name"), legacy.get("arguments"), None) if isinstance(legacy, Mapping) else unreadable(legacy)
        draft.agent = agent
        conversation.call(draft)
    if "stop_reason" in message and cut_off(message):
        conversation.cut_off()


def _lists(calls: Any, legacy: Any) -> bool:
    """Whether `function_call` only says again what `tool_calls` says."""
    legacy = plain(legacy)
    if not isinstance(legacy, Mapping):
        return False
    said = asked(legacy.get("name"), legacy.get("arguments"), None)
    listed = [plain(call) for call in calls] if isinstance(calls, list | tuple) else []
    made = [request_of(call) for call in listed if isinstance(call, Mapping)]
    return any(draft.name == said.name and same(draft.args, said.args) and draft.raw_args == said.raw_args for draft in made)


def request_of(call: Mapping[str, Any]) -> InvocationDraft:
    """An entry of `tool_calls`: a function's, a custom tool's (one plain text), or a flat one as some local servers write it."""
    function, id = call.get("function"), call.get("id")
    if type(function) is dict or isinstance(function, Mapping):
        return asked(function.get("name"), function.get("arguments"), id)
    custom = call.get("custom")
    if isinstance(custom, Mapping):
        draft, text = asked(custom.get("name"), {}, id), custom.get("input")
        draft.args, draft.raw_args = None, text if isinstance(text, str) else as_json(text)
        return draft
    return asked(call.get("name"), call.get("arguments", call.get("args", call.get("input"))), id)


def _tool(conversation: Conversation, message: Mapping[str, Any], content: Any, id: str | None) -> None:
    if type(content) is not str and read_results(conversation, content, id):
        return
    text = content if type(content) is str else result_text(content)
    name = message.get("name") or message.get("tool_name")
    draft = conversation.result(as_id(message.get("tool_call_id")), as_name(name), text, message_id=id)
    if text is not content:
        draft.raw_result = content
    if (message.get("status") == "error" or message.get("is_error") is True) and draft.status == "success":
        draft.status, draft.error = "error", text


def _user(conversation: Conversation, content: Any, id: str | None) -> None:
    if type(content) is str:
        conversation.user(content, id)
        return
    text = assistant_text(content)
    if not read_results(conversation, content, id):
        conversation.user(text, id)
    elif text:
        conversation.user(text, id, injected=True)


def _instead(message: Mapping[str, Any]) -> str:
    """What the assistant says where it has no content: a refusal, or what it spoke."""
    refusal, audio = message.get("refusal"), message.get("audio")
    if isinstance(refusal, str):
        return refusal
    spoken = audio.get("transcript") if audio is not None and isinstance(audio, Mapping) else None
    return spoken if isinstance(spoken, str) else ""
