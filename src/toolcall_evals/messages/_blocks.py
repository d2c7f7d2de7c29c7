"""Content blocks of any provider: what an assistant's message asks for in them, and what a message answers in them.

Of LangChain's own blocks, `tool_call`, `server_tool_call` and the like are those of langchain-core 1.8.3 (`output_version="v1"`);
`executable_code` is what langchain-google-genai 4.4 leaves as it is, named here as langchain-core names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._json import shown
from .._model import InvocationDraft
from . import anthropic, responses
from ._conversation import Conversation
from ._plain import plain
from ._requests import Answer, as_id, as_name, asked, settle
from .anthropic import content_value, server_text

_NO_CALLS = frozenset(
    {
        *("text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal", "text-plain", "plaintext"),
        *("reasoning", "reasoning_content", "thinking", "redacted_thinking", "compaction", "guard_content", "cachePoint"),
        *("image", "image_url", "input_image", "audio", "input_audio", "video", "media"),
        *("file", "input_file", "document", "container_upload"),
        *("citation", "search_result", "mcp_list_tools", "tool_reference", "mid_conv_system", "fallback"),
        *("tool_call_chunk", "server_tool_call_chunk"),  # fragments: whoever merged them lists the call
        None,
    }
)
"""Types of blocks that hold no call and no result; Gemini's and Converse's blocks have no type."""


def read_blocks(conversation: Conversation, content: Any, *, client: bool = True, agent: str | None = None) -> None:
    """
    Read the calls, and the results of providers' own tools, in the content of the assistant's message that was begun last.

    Args:
        content: The message's content: a list of blocks, one block, or a text (which holds none).
        client: Read the calls of the caller's tools too; False where the message lists them beside its content.
        agent: The agent that asks.
    """
    for block in blocks_of(content):
        if block.get("type") == "non_standard" and isinstance(block.get("value"), Mapping):
            block = block["value"]
        draft = _request(block)
        if draft is not None:
            if client or draft.kind == "server":
                draft.agent = agent
                conversation.call(draft)
        elif (answer := _answer(block)) is not None:
            settle(conversation, answer, message=not answer.server)
        elif not _holds_no_call(block):
            conversation.unread(f"content blocks of type {shown(block.get('type'))[:40]!r}")


def read_results(conversation: Conversation, content: Any, message_id: str | None = None) -> bool:
    """
    Read the tool results in the content of a message that is not the assistant's; False when it holds none.

    Anthropic and Bedrock send results in a user's message. It begins no turn: the assistant has not finished its own.
    """
    found = False
    for block in blocks_of(content):
        if (answer := _answer(block)) is not None:
            settle(conversation, answer, message_id=message_id)
            found = True
    return found


def content_of(conversation: Conversation, content: Any) -> Any:
    """
    A message's content as what the readers know: a text, a block, a list of blocks, or None.

    A block of a provider's library becomes a mapping, another sequence a list. What is none of these (a generator must not be run
    through) is counted as not read.
    """
    if content is None or isinstance(content, str | Mapping | list | tuple):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes | bytearray | memoryview | range):
        return list(content)
    found = plain(content)
    if isinstance(found, Mapping) and found:
        return found
    conversation.unread(f"contents of type {type(content).__name__[:40]!r}")
    return None


def blocks_of(content: Any) -> Iterable[Mapping[str, Any]]:
    """The blocks of a message's content; a text has none."""
    if isinstance(content, str) or content is None:
        return ()
    if isinstance(content, Mapping):
        return (content,)
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list | tuple) else ()


def _request(block: Mapping[str, Any]) -> InvocationDraft | None:
    kind = block.get("type")
    if kind == "tool_call":
        return asked(block.get("name"), block.get("args"), block.get("id"))
    if kind == "invalid_tool_call":
        draft = asked(block.get("name"), block.get("args"), block.get("id"))
        draft.status, draft.error = "invalid", as_name(block.get("error"))
        return draft
    if kind == "server_tool_call":
        return _server_tool_call(block)
    if kind == "executable_code":
        stated = {"code": block.get("executable_code", ""), "language": block.get("language", "python")}
        return asked("code_interpreter", stated, block.get("id"), "server")
    return anthropic.request_of(block) or responses.request_of(block)


def _server_tool_call(block: Mapping[str, Any]) -> InvocationDraft:
    extras = block.get("extras")
    extras = extras if isinstance(extras, Mapping) else {}
    draft = asked(as_name(extras.get("tool_name")) or block.get("name"), block.get("args"), block.get("id"), "server")
    if extras.get("server_label"):
        draft.extra = {"server": extras["server_label"]}
    return draft


def _answer(block: Mapping[str, Any]) -> Answer | None:
    kind = block.get("type")
    if kind == "server_tool_result":
        output, failed = block.get("output"), block.get("status") == "error"
        text = server_text(output)
        if failed and text is None:
            extras = block.get("extras")
            text = (responses.error_text(extras.get("error")) if isinstance(extras, Mapping) else None) or anthropic.failure_text(output)
        return Answer(as_id(block.get("tool_call_id")), None, text, content_value(output), failed, True)
    if kind == "code_execution_result":
        output, failed = block.get("code_execution_result"), not _went_well(block.get("outcome", 1))
        return Answer(as_id(block.get("tool_call_id")), "code_interpreter", server_text(output), content_value(output), failed, True)
    return anthropic.answer_of(block) or responses.answer_of(block)


def _holds_no_call(block: Mapping[str, Any]) -> bool:
    kind = block.get("type")
    return kind is None or (isinstance(kind, str) and kind in _NO_CALLS)


def _went_well(outcome: Any) -> bool:
    return outcome == 1 if isinstance(outcome, int) else outcome == "OUTCOME_OK"
