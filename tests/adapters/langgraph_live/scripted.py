"""A chat model that says what a test wrote down, and the tools and graphs around it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCallChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr


class Scripted(BaseChatModel):
    """Answers with `replies`, one after the other; the last one again when they are used up. Streams word by word."""

    replies: list[Any]
    _said: int = PrivateAttr(0)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in tools])

    def _next(self) -> AIMessage:
        with self._lock:
            reply = self.replies[min(self._said, len(self.replies) - 1)]
            self._said += 1
        if isinstance(reply, Exception):
            raise reply
        return reply.model_copy(deep=True)

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next())])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        message = self._next()
        pieces = [AIMessageChunk(word + " ") for word in str(message.content).split()]
        for index, call in enumerate(message.tool_calls):
            text = json.dumps(call["args"])
            pieces.append(_piece(index, call["name"], text[:3], call["id"]))
            pieces.append(_piece(index, None, text[3:], None))
        for piece in pieces:
            chunk = ChatGenerationChunk(message=piece)
            if run_manager is not None:
                run_manager.on_llm_new_token(str(piece.content), chunk=chunk)
            yield chunk


def _piece(index: int, name: str | None, args: str, id: str | None) -> AIMessageChunk:
    return AIMessageChunk("", tool_call_chunks=[ToolCallChunk(name=name, args=args, id=id, index=index)])


def says(text: str) -> AIMessage:
    """A reply without calls."""
    return AIMessage(text)


def asks(*calls: tuple[str, str, dict[str, Any]], bad: Sequence[tuple[str, str, str]] = ()) -> AIMessage:
    """A reply that calls tools: (id, name, args) each; `bad` with arguments that are no JSON."""
    return AIMessage(
        "",
        tool_calls=[{"id": id, "name": name, "args": args} for id, name, args in calls],
        invalid_tool_calls=[
            {"type": "invalid_tool_call", "id": id, "name": name, "args": args, "error": "no JSON"} for id, name, args in bad
        ],
    )


def _invalid(id: str, name: str, args: str) -> Any:
    return {"type": "invalid_tool_call", "id": id, "name": name, "args": args, "error": "no JSON"}
