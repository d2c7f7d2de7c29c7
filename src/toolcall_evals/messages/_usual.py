"""The usual LangChain conversation, read in one pass: texts, calls under ids of their own, one answer to each.

Most runs are no more than that, and half of the time of reading them by the general way goes into telling what they are not. Whatever
is out of the ordinary (blocks of content, ids that repeat or are missing, a provider's own fields) ends the pass, and the general way
reads the record from its beginning. Both give the same trajectory: a test compares them on every recording.
"""

from __future__ import annotations

from typing import Any

from .._model import InvocationDraft, Trajectory
from ._closed import closed
from ._langchain_answers import TELLING, tell
from .langchain import cut_off, unrecorded

_UNLISTED = frozenset({"tool_calls", "function_call", "tool_outputs"})
"""Keys of `additional_kwargs` under which a provider keeps calls of its own."""

_NONE: dict[str, Any] = {}


def usual(messages: Any, source: str) -> Trajectory | None:
    """
    The trajectory of a list of plain LangChain messages, live or as `model_dump` writes them; None for any other list.

    Args:
        messages: A list; of anything.
        source: What the trajectory says that it was read from.
    """
    said: list[tuple[str, str]] = []
    texts: list[str] = []
    calls: list[InvocationDraft] = []
    waiting: dict[str, InvocationDraft] = {}
    ids: set[str] = set()
    blank = object.__new__
    request: str | None = None
    turn, begins = 0, []
    for position, message in enumerate(messages):
        fields = message if type(message) is dict else getattr(message, "__dict__", None)
        if type(fields) is not dict:
            return None
        kind = fields.get("type")
        if "data" in fields and type(message) is dict:  # as `messages_to_dict` writes them
            inner = fields["data"]
            if type(inner) is not dict or inner.get("type") != kind or len(fields) != 2 or kind == "remove":
                return None
            fields = inner
        get = fields.get
        content, id = get("content"), get("id")
        if type(content) is not str:
            return None
        if id is not None:
            if type(id) is not str or id in ids:
                return None
            ids.add(id)
        if kind == "tool":
            call_id = get("tool_call_id")
            draft = waiting.pop(call_id, None) if type(call_id) is str else None
            if draft is None or get("name") not in (None, "", draft.name):
                return None
            said.append(("tool", content))
            draft.result, draft.artifact = content, get("artifact")
            status, extra, metadata = get("status"), get("additional_kwargs"), get("response_metadata")
            draft.status = "error" if status == "error" else "success"
            if status != "success" or extra or metadata or content.startswith(TELLING):
                if not isinstance(extra, dict | None) or not isinstance(metadata, dict | None):
                    return None
                if status == "error":
                    draft.error = content
                tell(draft, content, status, extra or _NONE, metadata or _NONE)
                if draft.kind != "tool":
                    return None
        elif kind == "ai":
            made, extra, metadata = get("tool_calls"), get("additional_kwargs"), get("response_metadata")
            if get("invalid_tool_calls") or (extra and (type(extra) is not dict or not _UNLISTED.isdisjoint(extra))):
                return None
            if metadata and (type(metadata) is not dict or "__is_handoff_back" in metadata or cut_off(metadata) or unrecorded(metadata)):
                return None
            said.append(("assistant", content))
            texts.append(content)
            if not made:
                continue
            agent = get("name")
            if type(made) is not list or not (agent is None or type(agent) is str):
                return None
            for call in made:
                if type(call) is not dict:
                    return None
                name, args, call_id = call.get("name"), call.get("args"), call.get("id")
                if type(args) is not dict or type(name) is not str or not name or type(call_id) is not str or call_id in waiting:
                    return None
                if not args and name.startswith("transfer_"):  # perhaps a handoff
                    return None
                draft = blank(InvocationDraft)
                draft.name, draft.args, draft.id, draft.agent, draft.turn, draft.message_index = name, args, call_id, agent, turn, position
                draft.status, draft.kind, draft.attempts, draft.extra = "pending", "tool", 1, {}
                draft.cached = draft.synthetic = draft.truncated = False
                draft.raw_args = draft.executed = draft.result = draft.raw_result = draft.artifact = draft.error = draft.node = None
                draft.task = draft.parent_id = draft.executed_name = draft.executed_args = draft.started_at = draft.duration_s = None
                waiting[call_id] = draft
                calls.append(draft)
        elif kind == "human" and not get("additional_kwargs"):
            if request is None:
                request = content
            else:
                turn += 1
                begins.append(position)
            said.append(("user", content))
        elif kind == "system":
            said.append(("system", content))
        else:
            return None
    if not said:
        return None
    return closed(request, said, texts, calls, begins, None, source)
