"""A judge by the name of its model, `provider:model`."""

from __future__ import annotations

import threading
from typing import Any

from .._errors import CouldNotScore
from ._answer import Answer, Client, Messages
from ._chat_model import ChatModel
from ._openai import OpenAIClient


class NamedModel:
    """Its client is made at the first question, so that building an evaluator needs neither a key nor a provider's package."""

    def __init__(self, model: str, timeout_s: float, max_retries: int) -> None:
        self._model, self._timeout_s, self._max_retries = model, timeout_s, max_retries
        self._made: dict[bool, Client] = {}
        self._lock = threading.Lock()
        self.name = f"named:{model}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": {}, "_lock": None}

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
        if self._model.startswith("openai:"):
            try:
                from openai import AsyncOpenAI, OpenAI
            except ImportError as error:
                raise CouldNotScore("the judge needs openai: install toolcall-evals[judge]") from error
            client = AsyncOpenAI() if is_async else OpenAI()
            return OpenAIClient(client, self._model.removeprefix("openai:"), self._timeout_s, self._max_retries)
        try:
            from langchain.chat_models import init_chat_model
        except ImportError as error:
            raise CouldNotScore(f"the judge {self._model!r} needs langchain and its provider's package") from error
        return ChatModel(init_chat_model(self._model), self._timeout_s, self._max_retries)
