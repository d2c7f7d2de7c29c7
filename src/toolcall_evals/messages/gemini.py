"""Gemini: `contents` of `parts`, where a call is answered by name and order.

Format: Google's Gemini API (google-genai 1.x), in its JSON's camel case and its Python library's snake case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._json import shown
from ._conversation import Conversation
from ._plain import as_mapping, holds_objects, plain
from ._requests import Answer, as_id, as_name, asked, settle
from ._text import as_json
from .langchain import cut_off, unrecorded

_ROLES = {"user": "user", "model": "model", "assistant": "model", "function": "tool", "tool": "tool", "system": "system"}


def read(conversation: Conversation, content: Mapping[str, Any]) -> bool:
    """
    Read one content; False when it is none.

    Without a role it is the model's (as agents' final responses are stored), but for the first of all, which is the user's.
    """
    parts = content.get("parts")
    if isinstance(parts, Mapping | str):
        parts = [parts]
    if not isinstance(parts, list | tuple):
        return False
    if holds_objects(parts):
        parts = plain(parts)
    role = content.get("role")
    if role is None:
        role = "model" if len(conversation) or any(_field(part, "functionCall", "function_call") for part in parts) else "user"
    else:
        role = _ROLES.get(role) if isinstance(role, str) else None
    if role is None:
        return False
    if role == "model":
        conversation.assistant(_text(parts))
        for part in parts:
            _of_model(conversation, part)
    else:
        _of_others(conversation, role, parts)
    return True


def read_response(conversation: Conversation, response: Mapping[str, Any]) -> bool:
    """Read a whole response (`{"candidates": [{"content": ..., "finishReason": ...}]}`): its first candidate; False when it is none."""
    stated = response.get("candidates")
    found = [as_mapping(each) for each in stated] if isinstance(stated, list | tuple) else []
    candidates = [each for each in found if isinstance(each, Mapping)]
    content = as_mapping(candidates[0].get("content")) if candidates else None
    if not candidates or not (content is None or isinstance(content, Mapping)):
        return False
    reason = candidates[0].get("finishReason", candidates[0].get("finish_reason"))
    read(conversation, {**(content or {}), "role": "model", "parts": (content or {}).get("parts") or []})
    if cut_off({"finish_reason": getattr(reason, "value", reason)}):
        conversation.cut_off()
    if (tried := unrecorded({"finish_reason": getattr(reason, "value", reason)})) is not None:
        conversation.warnings.append(tried)
    for _ in candidates[1:]:
        conversation.unread("alternative answers")
    return True


def _of_model(conversation: Conversation, part: Any) -> None:
    if isinstance(call := _field(part, "functionCall", "function_call"), Mapping):
        conversation.call(asked(call.get("name"), call.get("args"), call.get("id")))
    elif isinstance(code := _field(part, "executableCode", "executable_code"), Mapping):
        conversation.call(asked("code_execution", dict(code), code.get("id"), "server"))
    elif isinstance(ran := _field(part, "codeExecutionResult", "code_execution_result"), Mapping):
        output, failed = ran.get("output"), shown(ran.get("outcome") or "").rpartition(".")[2] not in ("OUTCOME_OK", "")
        settle(conversation, Answer(as_id(ran.get("id")), "code_execution", as_name(output), dict(ran), failed, True), message=False)
    elif _field(part, "toolCall", "tool_call"):
        conversation.unread("searches of Gemini's own, which it does not list as calls")
    elif answer := _answer(part):
        settle(conversation, answer)


def _of_others(conversation: Conversation, role: str, parts: Any) -> None:
    answers = [answer for part in parts if (answer := _answer(part))]
    for answer in answers:
        settle(conversation, answer)
    text = _text(parts)
    if role == "system":
        conversation.system(text)
    elif role == "user" and (text or not answers):
        conversation.user(text, injected=bool(answers))


def _answer(part: Any) -> Answer | None:
    found = _field(part, "functionResponse", "function_response")
    if not isinstance(found, Mapping):
        return None
    response = found.get("response")
    id, name = as_id(found.get("id")), as_name(found.get("name"))
    if isinstance(response, Mapping) and _is_error(response.get("error")):
        return Answer(id, name, _shown(response["error"]), response, failed=True)
    return Answer(id, name, _shown(_unwrapped(response)), response)


def _is_error(error: Any) -> bool:
    """Whether there is one; no value of unknown type is compared, as that may raise."""
    return bool(error) if isinstance(error, str | int) else error is not None


def _unwrapped(response: Any) -> Any:
    """The result itself: a tool whose result is no object has it under `output` (Gemini's API) or `result` (its ADK), alone."""
    if isinstance(response, Mapping) and len(response) == 1:
        for key in ("output", "result"):
            if key in response:
                return response[key]
    return response


def _shown(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else as_json(value)


def _text(parts: Any) -> str:
    """The texts of the parts; thoughts are none."""
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str) or _spoken(part)]
    return "".join([text for text in texts if isinstance(text, str)])


def _spoken(part: Any) -> bool:
    return isinstance(part, Mapping) and not part.get("thought")


def _field(part: Any, camel: str, snake: str) -> Any:
    if not isinstance(part, Mapping):
        return None
    found = part.get(camel)
    return part.get(snake) if found is None else found
