"""A judge behind an OpenAI client, sync or async (openai 2.x and 3.x), or behind any server that speaks its chat completions."""

from __future__ import annotations

import inspect
import json
import re
from functools import cached_property
from typing import Any

from . import _waiting as waiting
from ._answer import Answer, Messages
from ._identity import identity
from ._pickling import pickled

MOST_PAUSE_S = 120.0
"""The longest that the client waits before a further attempt, when the server asks it to (`Retry-After`; openai 2.54 and 3.57)."""

_USUAL = re.compile(r"accept$|content-type$|user-agent$|x-stainless-|authorization$|api-key$|openai-(organization|project)$", re.IGNORECASE)
"""Headers that change no answer: what every client sends, and who pays (openai 3.57)."""


class OpenAIClient:
    """Time limit and further attempts, with their pauses, are the client's own; the whole is bounded here too."""

    def __init__(self, client: Any, model: str, timeout_s: float, max_retries: int) -> None:
        create = client.chat.completions.create
        # a copy of a client that langsmith's wrap_openai has wrapped would not be traced (langsmith 0.15.1)
        wrapped = "create" in getattr(client.chat.completions, "__dict__", {})
        own = hasattr(client, "with_options") and not wrapped
        self._client = client.with_options(timeout=timeout_s, max_retries=max_retries) if own else client
        self._is_async = inspect.iscoroutinefunction(inspect.unwrap(create))
        self._model = model
        # a server that sends a byte now and then never runs into the client's own limit, which is one for each read
        self._limit_s = timeout_s * (max_retries + 1) + MOST_PAUSE_S * max_retries

    def __getstate__(self) -> dict[str, Any]:
        return pickled(self.__dict__, self._client, f"model='openai:{self._model}' and no judge=, with OPENAI_BASE_URL set there")

    @cached_property
    def name(self) -> str:
        """The model and where it is asked."""
        return f"openai:{address(self._client)}:{self._model}"

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        if self._is_async:
            return answer_of(waiting.from_sync(self._create(messages, schema), self._limit_s))
        request = self._request(messages, schema)
        return answer_of(waiting.plain(lambda: self._client.chat.completions.create(**request), self._limit_s))

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question; a sync client waits in a thread."""
        if self._is_async:
            return answer_of(await waiting.within(self._create(messages, schema), self._limit_s))
        request = self._request(messages, schema)
        return answer_of(await waiting.aplain(lambda: self._client.chat.completions.create(**request), self._limit_s))

    async def _create(self, messages: Messages, schema: dict[str, Any]) -> Any:
        request = self._request(messages, schema)
        # a kept connection belongs to its event loop, and the next question may come from another one (httpx 0.28, httpx2 2.16)
        return await self._client.chat.completions.create(**request, extra_headers={"Connection": "close"})

    def _request(self, messages: Messages, schema: dict[str, Any]) -> dict[str, Any]:
        form = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
        return {"model": self._model, "messages": messages, "response_format": form}


def address(client: Any) -> str:
    """
    Where a client's questions go, as JSON: sync and async clients of one place are alike, and no key is in it.

    A client that is none of openai's is known by all that it is made of.
    """
    if type(client).__module__.partition(".")[0] != "openai":
        return identity(client)
    headers = {name: value for name, value in client.default_headers.items() if isinstance(value, str) and not _USUAL.match(name)}
    kind = type(client).__name__.removeprefix("Async")
    return json.dumps([kind, str(client.base_url), dict(client.default_query), headers], sort_keys=True, default=str)


def answer_of(completion: Any) -> Answer:
    """
    The answer in a chat completion; one without text where there is none.

    Raises:
        RuntimeError: The server says that it failed, though with the status of success, as some that speak like OpenAI do.
    """
    usage = getattr(completion, "usage", None)
    told = getattr(completion, "model", None), _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    choice = next(iter(getattr(completion, "choices", None) or ()), None)
    if choice is None and (error := getattr(completion, "error", None)):
        raise RuntimeError(f"the server answered with an error: {error}")
    message = getattr(choice, "message", None)
    refusal = getattr(message, "refusal", None)
    reason = getattr(choice, "finish_reason", None)
    stopped = "refusal" if refusal else reason if reason in ("length", "content_filter") else None
    return Answer(str(getattr(message, "content", None) or refusal or ""), *told, stopped=stopped)


def _count(usage: Any, name: str) -> int | None:
    """A number of tokens; None where the server states none, or what is no whole number."""
    count = getattr(usage, name, None)
    return count if type(count) is int and count >= 0 else None
