"""OpenAI Responses: a conversation as a flat list of items, some of which are a call and its result in one.

Format: OpenAI's Responses API as openai 3.57 types it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._model import InvocationDraft
from ._conversation import Conversation
from ._plain import same
from ._requests import Answer, as_id, as_name, asked, settle
from ._text import as_json, result_text
from .anthropic import content_value, server_text

_NO_CALLS = frozenset(
    {"reasoning", "mcp_list_tools", "compaction", "compaction_trigger", "item_reference", "additional_tools", "configuration_update"}
)
"""Items that are neither a call, nor a result, nor a text of the conversation."""

_ANSWERED_APART = frozenset({"tool_search", "program"})
"""OpenAI's own tools whose result is an item of its own even where no id ties the two."""

_ASKED_IN = ("actions", "queries", "code", "operation", "revised_prompt")
"""Where items of OpenAI's own tools say what the model asked for, beside `arguments` and `action`."""


def read(conversation: Conversation, item: Mapping[str, Any]) -> bool:
    """Read one item that is no message; False when it is none of Responses'."""
    kind = item.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _NO_CALLS:
        return True
    if kind == "mcp_approval_response":
        _approval(conversation, item)
    elif kind == "mcp_call" and conversation.waits(as_id(item.get("approval_request_id"))):
        _approved(conversation, item)
    elif (draft := request_of(item)) is not None:
        if not conversation.asking():
            conversation.assistant("")
        conversation.call(draft)
    elif (answer := answer_of(item)) is not None:
        settle(conversation, answer, message_id=as_id(item.get("id")))
    else:
        return False
    return True


def request_of(item: Mapping[str, Any]) -> InvocationDraft | None:
    """The call that an item asks for, with its result where the item has that too; None for other items."""
    kind = item.get("type")
    if kind == "function_call":
        draft = asked(item.get("name"), item.get("arguments"), item.get("call_id", item.get("id")))
    elif kind == "custom_tool_call":
        draft = _custom(item)
    elif kind == "mcp_approval_request":
        draft = asked(item.get("name"), item.get("arguments"), item.get("id"), "server")
        draft.extra = {"server": item.get("server_label")}
    elif isinstance(kind, str) and (kind == "program" or kind.endswith("_call")):
        return _own_tool(kind.removesuffix("_call"), item)
    else:
        return None
    draft.truncated = item.get("status") == "incomplete"
    return draft


def answer_of(item: Mapping[str, Any]) -> Answer | None:
    """The result that an item holds for a call of another item, or None."""
    kind = item.get("type")
    if not isinstance(kind, str) or not kind.endswith(("_call_output", "_search_output", "program_output")):
        return None
    output = next((item[key] for key in ("output", "tools", "result") if key in item), None)
    tool = None if kind in ("function_call_output", "custom_tool_call_output") else kind.removesuffix("_output").removesuffix("_call")
    failed = item.get("status") == "failed" or _shell_failed(output)
    id = item.get("call_id") or (item.get("id") if tool == "local_shell" else None)  # where `id` is the call's, not the item's own
    name = as_name(item.get("name")) or tool
    return Answer(as_id(id), name, result_text(output), content_value(output), failed)


def close(conversation: Conversation, response: Mapping[str, Any]) -> None:
    """Note how a whole response (`{"output": [...], "status": ...}`) ended, once its items are read."""
    if response.get("status") == "incomplete" and reason_of(response) != "content_filter":
        conversation.cut_off()
    failure = response.get("error")
    if response.get("status") == "failed" or failure:
        conversation.error = error_text(failure) or "the response failed"


def reason_of(response: Mapping[str, Any]) -> Any:
    """Why a response is incomplete."""
    details = response.get("incomplete_details")
    return details.get("reason") if isinstance(details, Mapping) else None


def error_text(error: Any) -> str | None:
    """An error's message, whatever its shape; None for none."""
    if not error or isinstance(error, str):
        return error or None
    message = error.get("message") if isinstance(error, Mapping) else None
    return message if isinstance(message, str) else as_json(error)


def _custom(item: Mapping[str, Any]) -> InvocationDraft:
    """A custom tool takes one plain text, which is no faulty object."""
    text = item.get("input")
    draft = asked(item.get("name"), {}, item.get("call_id", item.get("id")))
    draft.args, draft.raw_args = None, text if isinstance(text, str) else as_json(text)
    return draft


def _own_tool(tool: str, item: Mapping[str, Any]) -> InvocationDraft:
    """
    A call of one of OpenAI's own tools. With a `call_id` the result is an item of its own (computer, shell, patches);
    without one OpenAI ran it and the result is in here.
    """
    name = as_name(item.get("name")) or tool
    if "arguments" in item:
        draft = asked(name, item["arguments"], item.get("call_id") or item.get("id"))
    elif isinstance(item.get("action"), Mapping):
        draft = asked(name, dict(item["action"]), item.get("call_id") or item.get("id"))
    else:
        stated = {key: item[key] for key in _ASKED_IN if item.get(key) is not None}
        draft = asked(name, stated, item.get("call_id") or item.get("id"))
    if item.get("call_id") is None or item.get("execution") == "server":
        draft.kind = "server"
    if item.get("call_id") is None and tool not in _ANSWERED_APART:
        _result(draft, item)
    if item.get("server_label"):
        draft.extra = {"server": item["server_label"]}
    draft.truncated = item.get("status") == "incomplete"
    return draft


def _result(draft: InvocationDraft, item: Mapping[str, Any]) -> None:
    value = next((item[key] for key in ("output", "outputs", "results", "result", "tools") if item.get(key) is not None), None)
    error = error_text(item.get("error"))
    if draft.status == "invalid":
        draft.error = error
    elif error is not None or item.get("status") == "failed":
        draft.status, draft.error = "error", error
    elif item.get("status") in ("completed", None):
        draft.status = "success"
    draft.raw_result = content_value(value)
    draft.result = error if error is not None else server_text(value) if item.get("type") != "image_generation_call" else None
    if draft.result is None and isinstance(value, str):
        draft.raw_result = value


def _approval(conversation: Conversation, item: Mapping[str, Any]) -> None:
    """A person allows or refuses a call of an MCP server; only a refusal ends it."""
    id, reason = as_id(item.get("approval_request_id")), item.get("reason")
    if item.get("approve") is False:
        draft = conversation.result(id, None, reason if isinstance(reason, str) else None)
        draft.kind, draft.status, draft.executed = "server", "rejected", False


def _approved(conversation: Conversation, item: Mapping[str, Any]) -> None:
    """The call that a person was asked about was made: its request and this item are one call."""
    made = _own_tool("mcp", item)
    draft = conversation.answer(as_id(item.get("approval_request_id")), made.name, made.result, made.raw_result)
    draft.id, draft.status, draft.error = made.id, made.status, made.error
    if made.args is not None and not same(made.args, draft.args):
        draft.executed_args = made.args


def _shell_failed(output: Any) -> bool:
    """Whether a shell's output says that a command ran into its time limit."""
    if not isinstance(output, list | tuple):
        return False
    outcomes = [part.get("outcome") for part in output if isinstance(part, Mapping)]
    return any(isinstance(outcome, Mapping) and outcome.get("type") == "timeout" for outcome in outcomes)
