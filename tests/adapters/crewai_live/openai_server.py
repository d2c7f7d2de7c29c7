"""A loopback server that speaks OpenAI's chat completions, plain and streamed, and says what a test wrote down."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def openai_server(turns: list[Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """
    Serve `turns`, one for each request, the last one again when they are used up.

    A turn is a text, a list of tool calls, or a status code to fail with. Yields the base URL and the requests' bodies.
    """
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body)
            turn = turns[min(len(requests), len(turns)) - 1]
            if isinstance(turn, int):
                self._send(turn, "application/json", json.dumps({"error": {"message": "the server fails on purpose"}}))
            elif body.get("stream"):
                chunks = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(turn))
                self._send(200, "text/event-stream", f"{chunks}data: [DONE]\n\n")
            else:
                self._send(200, "application/json", json.dumps(_completion(turn)))

        def _send(self, status: int, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _message(turn: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": turn} if isinstance(turn, str) else {"role": "assistant", "content": None, "tool_calls": turn}


def _completion(turn: Any) -> dict[str, Any]:
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": _message(turn), "finish_reason": reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def _chunks(turn: Any) -> Iterator[dict[str, Any]]:
    delta = _message(turn)
    if not isinstance(turn, str):
        delta["tool_calls"] = [{"index": at, **call} for at, call in enumerate(turn)]
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    for choice in ({"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": reason}):
        yield {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini", "choices": [choice]}
