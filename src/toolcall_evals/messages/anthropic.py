"""Anthropic's content blocks: `tool_use` and `tool_result`, and those of the tools that Anthropic runs itself.

Format: Anthropic's Messages API of 2026-11 (blocks as langchain-anthropic 1.7 hands them on). Bedrock's Converse API writes
the same two blocks as `toolUse` and `toolResult`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._model import InvocationDraft
from ._requests import Answer, as_id, as_name, asked
from ._text import result_text

REQUESTS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def request_of(block: Mapping[str, Any]) -> InvocationDraft | None:
    """The call that a block asks for, or None."""
    kind = block.get("type")
    if kind == "tool_use":
        return asked(block.get("name"), block.get("input"), block.get("id"))
    if kind in ("server_tool_use", "mcp_tool_use"):
        draft = asked(block.get("name"), block.get("input"), block.get("id"), "server")
        if block.get("server_name"):
            draft.extra = {"server": block["server_name"]}
        return draft
    converse = block.get("toolUse")
    if isinstance(converse, Mapping):
        return asked(converse.get("name"), converse.get("input"), converse.get("toolUseId"))
    return None


def answer_of(block: Mapping[str, Any]) -> Answer | None:
    """The result that a block holds, or None."""
    kind = block.get("type")
    if kind == "tool_result":
        content = block.get("content")
        return Answer(as_id(block.get("tool_use_id")), None, result_text(content), content_value(content), bool(block.get("is_error")))
    if isinstance(kind, str) and kind.endswith("_tool_result"):
        return _of_server(kind.removesuffix("_tool_result"), block)
    converse = block.get("toolResult")
    if isinstance(converse, Mapping):
        content, failed = converse.get("content"), converse.get("status") == "error"
        return Answer(as_id(converse.get("toolUseId")), None, _converse_text(content), content_value(content), failed)
    return None


def content_value(content: Any) -> Any:
    """A result's content where it is more than a text, else None."""
    return None if isinstance(content, str) else content


def server_text(content: Any) -> str | None:
    """
    The text of what a provider's own tool gave back: a string, its text blocks or its logs.

    None for what only the provider can show the model (search results, encrypted pages); the value keeps it.
    """
    if content is None or isinstance(content, str):
        return content
    blocks = content if isinstance(content, list | tuple) else [content]
    parts = [text for block in blocks if isinstance(block, Mapping) and (text := _server_part(block)) is not None]
    return "\n".join(parts) if parts else None


def _server_part(block: Mapping[str, Any]) -> str | None:
    kind = block.get("type")
    text = block.get("logs") if kind == "logs" else block.get("text") if isinstance(kind, str) else None
    return text if isinstance(text, str) else None


def _of_server(tool: str, block: Mapping[str, Any]) -> Answer:
    content = block.get("content")
    kind = content.get("type") if isinstance(content, Mapping) else None
    failed = bool(block.get("is_error")) or (isinstance(kind, str) and kind.endswith("_error"))
    text = server_text(content)
    if failed:
        text = failure_text(content) or text
    return Answer(as_id(block.get("tool_use_id")), tool if tool != "mcp" else None, text, content_value(content), failed, True)


def failure_text(content: Any) -> str | None:
    """What a failed tool of Anthropic's own says went wrong; None where its content is no error."""
    if not isinstance(content, Mapping):
        return None
    return as_name(content.get("error_code")) or as_name(content.get("error_message"))


def _converse_text(content: Any) -> str | None:
    """Converse's results are blocks of one key each: `text`, `json`, `image`..."""
    if isinstance(content, list | tuple):
        content = [block["json"] if isinstance(block, Mapping) and len(block) == 1 and "json" in block else block for block in content]
    return result_text(content)
