"""Scripted judges: an HTTP server on the loopback that speaks chat completions, and a LangChain chat model, from one script of replies."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field, PrivateAttr


@dataclass(frozen=True)
class Reply:
    """One answer: a text, or what comes instead of one."""

    text: str = ""
    finish: str = "stop"
    refusal: str | None = None
    status: int = 200
    hangs: bool = False
    resets: bool = False
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()


def said(verdict: Any) -> Reply:
    return Reply(json.dumps(verdict))


@dataclass
class Script:
    """Replies in order, the last one again and again; and the messages asked, when, and the whole requests (over HTTP)."""

    replies: Sequence[Reply]
    asked: list[list[tuple[str, str]]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, messages: list[tuple[str, str]]) -> Reply:
        with self.lock:
            self.asked.append(messages)
            self.times.append(time.monotonic())
            return self.replies[min(len(self.asked), len(self.replies)) - 1]


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """The base URL of a server that plays a script."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            script.requests.append(request)
            reply = script.next([(each["role"], each["content"]) for each in request["messages"]])
            if reply.hangs:
                script.released.wait(20)
                self.close_connection = True
                return
            if reply.resets:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True
                return
            message = {"role": "assistant", "content": reply.text or None, "refusal": reply.refusal}
            completion = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": f"{request['model']}-2026",
                "choices": [{"index": 0, "finish_reason": reply.finish, "message": message}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }
            body = reply.body if reply.body is not None else json.dumps(completion if reply.status == 200 else {"error": {}}).encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in reply.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a reset connection is part of the script
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        script.released.set()
        server.shutdown()
        server.server_close()


class StatusError(Exception):
    """As providers' packages raise it."""

    def __init__(self, status: int) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status


class ScriptedModel(BaseChatModel):
    """A chat model without structured output, as a local model may be."""

    name_of_model: str = "scripted"
    script: Any = Field(exclude=True)

    @property
    def cache_key(self) -> str:
        return self.name_of_model

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any) -> ChatResult:
        roles = {"human": "user", "ai": "assistant", "system": "system"}
        reply: Reply = self.script.next([(roles[each.type], str(each.content)) for each in messages])
        if reply.hangs:
            self.script.released.wait(20)
        if reply.resets:
            raise ConnectionResetError(104, "Connection reset by peer")
        if reply.status != 200:
            raise StatusError(reply.status)
        return ChatResult(generations=[ChatGeneration(message=self._message(reply))])

    def _message(self, reply: Reply) -> AIMessage:
        return AIMessage(
            reply.text if reply.body is None else reply.body.decode(),
            additional_kwargs={"refusal": reply.refusal} if reply.refusal else {},
            response_metadata={"finish_reason": reply.finish, "model_name": f"{self.name_of_model}-2026"},
            usage_metadata={"input_tokens": 100, "output_tokens": 20, "total_tokens": 120},
        )


class StructuredModel(ScriptedModel):
    """One that is held to a schema by a tool, as langchain-core does it where the provider has nothing better."""

    _tools: list[Any] = PrivateAttr(default_factory=list)

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _message(self, reply: Reply) -> AIMessage:
        message = super()._message(reply)
        if reply.refusal or not reply.text:
            return message
        try:
            args = json.loads(reply.text)
        except ValueError:
            bad = {"name": "verdict", "args": reply.text, "id": "1", "error": "no JSON", "type": "invalid_tool_call"}
            return message.model_copy(update={"content": "", "invalid_tool_calls": [bad]})
        return message.model_copy(update={"content": "", "tool_calls": [{"name": "verdict", "args": args, "id": "1", "type": "tool_call"}]})
