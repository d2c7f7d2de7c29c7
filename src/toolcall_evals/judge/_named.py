"""A judge by the name of its model, `provider:model`."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

from .._errors import CouldNotScore
from ._answer import Answer, Client, Messages
from ._chat_model import ChatModel
from ._openai import OpenAIClient, address


class NamedModel:
    """Its client is made at the first question, so that building an evaluator needs neither a key nor a provider's package."""

    def __init__(self, model: str, timeout_s: float, max_retries: int) -> None:
        self._provider, _, self._model = model.partition(":")
        self._timeout_s, self._max_retries = timeout_s, max_retries
        self._made: dict[bool, Client] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {**{key: value for key, value in self.__dict__.items() if key != "name"}, "_made": {}, "_lock": None}

    @cached_property
    def name(self) -> str:
        """The model and where it is asked, which the environment of this process says when this is first read."""
        if self._provider != "openai":
            return f"named:{self._client(is_async=True).name}"
        return f"named:openai:{address(_openai().OpenAI(api_key='none'))}:{self._model}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        return self._client(is_async=False).ask(messages, schema)

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question without holding up the event loop."""
        return await self._client(is_async=True).aask(messages, schema)

    def _client(self, *, is_async: bool) -> Client:
        with self._lock:
            if is_async not in self._made:
                self._made[is_async] = self._make(is_async)
            return self._made[is_async]

    def _make(self, is_async: bool) -> Client:
        if self._provider == "openai":
            client = _openai().AsyncOpenAI() if is_async else _openai().OpenAI()
            return OpenAIClient(client, self._model, self._timeout_s, self._max_retries)
        named = f"{self._provider}:{self._model}"
        try:
            from langchain.chat_models import init_chat_model
        except ImportError as error:
            raise CouldNotScore(f"the judge {named!r} needs langchain and its provider's package") from error
        return ChatModel(init_chat_model(named), self._timeout_s, self._max_retries)


def _openai() -> Any:
    try:
        import openai
    except ImportError as error:
        raise CouldNotScore("the judge needs openai: install toolcall-evals[judge]") from error
    return openai
