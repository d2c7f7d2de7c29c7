"""The usual chat conversation, as OpenAI and whoever speaks like it write it, read in one pass.

As `_usual` does for LangChain's messages: what is out of the ordinary (blocks of content, fields beyond the usual ones, ids that repeat or
are missing, broken arguments) ends the pass, and the general way reads the record from its beginning. Both give the same trajectory: a test
compares them on every recording.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from .._model import InvocationDraft, Trajectory
from ._arguments import read_arguments
from ._closed import closed
from ._tools import tools_of

_BESIDE = frozenset({"created", "model", "object", "run_id", "thread_id", "trace_id"})
"""Keys that may stand beside the messages of a record without saying anything of the conversation."""


def usual_chat(raw: Any) -> Trajectory | None:
    """
    The trajectory of a list of plain chat messages, or of a record `{"messages": [...]}` with an id, the tools on offer and the like.

    Args:
        raw: Anything.

    Returns:
        None for every other record. Of the numbers in the record, none but those of `tools` is in the trajectory.
    """
    tools = None
    if type(raw) is dict:
        messages = raw.get("messages")
        if type(messages) is not list or not messages or type(messages[0]) is not dict or "role" not in messages[0]:
            return None
        if len(raw) > 1:
            for key, value in raw.items():
                if key == "tools":
                    tools = tools_of(value)
                elif key != "messages" and not ((key == "id" or key in _BESIDE) and (type(value) is str or type(value) is int)):
                    return None
    elif type(raw) is list and raw:
        messages = raw
    else:
        return None
    return _read(messages, tools)


def _read(messages: list[Any], tools: Any) -> Trajectory | None:
    said: list[tuple[str, Any]] = []
    texts: list[str] = []
    calls: list[InvocationDraft] = []
    waiting: dict[str, InvocationDraft] = {}
    request: str | None = None
    blank = object.__new__
    turn, begins = 0, []
    for position, message in enumerate(messages):
        if type(message) is not dict:
            return None
        role: Any = message.get("role")
        content: Any = message.get("content")
        if type(content) is not str and (content is not None or role != "assistant"):
            return None
        if role == "tool":
            id = message.get("tool_call_id")
            draft = waiting.pop(id, None) if type(id) is str else None
            if draft is None or len(message) != 3:
                return None
            said.append(("tool", content))
            draft.result, draft.status = content, "success"
        elif role == "assistant":
            text = content or ""
            said.append(("assistant", text))
            texts.append(text)
            asked = message.get("tool_calls")
            if asked is None and len(message) == 2 and "content" in message:
                continue
            if len(message) != 3 or type(asked) is not list or "content" not in message:
                return None
            for call in asked:
                if type(call) is not dict:
                    return None
                function, id = call.get("function"), call.get("id")
                if type(function) is not dict or type(id) is not str or not id or id in waiting:
                    return None
                name = function.get("name")
                args: Any = function.get("arguments")
                if type(args) is not str:
                    return None
                try:
                    args = from_json(args)
                except ValueError:  # perhaps json reads it
                    args, _ = read_arguments(args)
                if type(args) is not dict or type(name) is not str or not name:
                    return None
                draft = blank(InvocationDraft)
                draft.name, draft.args, draft.id, draft.turn, draft.message_index = name, args, id, turn, position
                draft.status, draft.kind, draft.attempts, draft.extra = "pending", "tool", 1, {}
                draft.cached = draft.synthetic = draft.truncated = False
                draft.raw_args = draft.agent = draft.executed = draft.result = draft.raw_result = draft.artifact = draft.error = None
                draft.node = draft.task = draft.parent_id = draft.executed_name = draft.executed_args = None
                draft.started_at = draft.duration_s = None
                waiting[id] = draft
                calls.append(draft)
        elif len(message) != 2:
            return None
        elif role == "user":
            if request is None:
                request = content
            else:
                turn += 1
                begins.append(position)
            said.append(("user", content))
        elif role == "system" or role == "developer":
            said.append(("system", content))
        else:
            return None
    return closed(request, said, texts, calls, begins, tools, "messages")
