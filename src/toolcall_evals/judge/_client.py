"""Whom a judge's questions go to: an OpenAI client, a LangChain chat model, or a callable; each asked in the same words."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .._errors import CouldNotScore
from .._settings import refuse

Messages = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What a judge answered.

    Attributes:
        text: The answer, JSON if the judge kept to the form.
        model: The model that answered, as the provider names it.
        input_tokens: Tokens of the question, or None where the provider does not say.
        output_tokens: Tokens of the answer, likewise.
        stopped: Why it is no whole answer: `refusal`, `length`, `content_filter`; None for a whole one.
    """

    text: str
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    stopped: str | None = None


class Client(Protocol):
    """One judge. `name` is part of the cache's key: everything about the judge that could change an answer."""

    name: str

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question without holding up the event loop."""


def client_for(judge: Any, model: str | None, timeout_s: float, max_retries: int) -> Client:
    """
    The client for the settings `judge` and `model`.

    Raises:
        ValueError: Neither is given, or `judge` is none of what can be asked.
    """
    if judge is None:
        if not isinstance(model, str) or not model:
            refuse(
                "model",
                model,
                "a model's name such as 'openai:gpt-5-mini', or judge= a client, a chat model or a callable; there is no default",
            )
        return NamedModel(model, timeout_s, max_retries)
    if hasattr(judge, "chat") and hasattr(judge.chat, "completions"):
        if not isinstance(model, str) or not model:
            refuse("model", model, "the model's name, since judge is an OpenAI client")
        return OpenAIClient(judge, model.removeprefix("openai:"), timeout_s, max_retries)
    if hasattr(judge, "ainvoke") and hasattr(judge, "with_structured_output"):
        return ChatModel(judge, timeout_s, max_retries)
    if callable(judge):
        return Function(judge, model, timeout_s)
    refuse("judge", judge, "an OpenAI client, a LangChain chat model or a callable that takes messages and a JSON schema")


class OpenAIClient:
    """An OpenAI client, sync or async (openai 2.x and 3.x), or any server that speaks its chat completions."""

    def __init__(self, client: Any, model: str, timeout_s: float, max_retries: int) -> None:
        self._client = client.with_options(timeout=timeout_s, max_retries=max_retries) if hasattr(client, "with_options") else client
        self._is_async = inspect.iscoroutinefunction(getattr(client.chat.completions, "create", None))
        self._model = model
        self.name = f"openai:{getattr(client, 'base_url', '')}:{model}"

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        if self._is_async:
            answer: Answer = _finished(self.aask(messages, schema))
            return answer
        return _completion(self._client.chat.completions.create(**self._request(messages, schema)))

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question; a sync client waits in a thread."""
        create = self._client.chat.completions.create
        request = self._request(messages, schema)
        return _completion(await create(**request) if self._is_async else await asyncio.to_thread(create, **request))

    def _request(self, messages: Messages, schema: dict[str, Any]) -> dict[str, Any]:
        form = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
        return {"model": self._model, "messages": messages, "response_format": form}


class ChatModel:
    """A LangChain chat model (langchain-core 1.x); its own settings decide on time limits, `max_retries` on further attempts."""

    def __init__(self, model: Any, timeout_s: float, max_retries: int) -> None:
        self._model, self._timeout_s, self._attempts = model, timeout_s, max_retries + 1
        identity = getattr(model, "_identifying_params", None) or {}
        self.name = f"langchain:{type(model).__name__}:{json.dumps(dict(identity), sort_keys=True, default=str)}"

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        return _message(self._runnable(schema).invoke(messages))

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question; past the time limit it is given up."""
        return _message(await asyncio.wait_for(self._runnable(schema).ainvoke(messages), self._timeout_s * self._attempts))

    def _runnable(self, schema: dict[str, Any]) -> Any:
        titled = {"title": "verdict", "description": "The verdict on an agent's run.", **schema}
        try:
            runnable = self._model.with_structured_output(titled, include_raw=True)
        except NotImplementedError:  # a model without structured output is asked in words; its answer is checked all the same
            runnable = self._model
        return runnable.with_retry(stop_after_attempt=self._attempts) if self._attempts > 1 else runnable


class Function:
    """A callable that takes the messages and the JSON schema and returns the answer: a text, a mapping or a `Verdict`."""

    def __init__(self, function: Callable[..., Any], model: str | None, timeout_s: float) -> None:
        self._function, self._timeout_s, self._model = function, timeout_s, model
        self.name = (
            f"callable:{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}:{model}"
        )

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        answered = self._function(messages, schema)
        return self._answer(_finished(answered) if inspect.isawaitable(answered) else answered)

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question; a plain function waits in a thread."""
        if inspect.iscoroutinefunction(self._function):
            return self._answer(await asyncio.wait_for(self._function(messages, schema), self._timeout_s))
        answered = await asyncio.to_thread(self._function, messages, schema)
        return self._answer(await answered if inspect.isawaitable(answered) else answered)

    def _answer(self, answered: Any) -> Answer:
        if isinstance(answered, Answer):
            return answered
        if isinstance(answered, str):
            return Answer(answered, self._model)
        if hasattr(answered, "model_dump_json"):
            return Answer(answered.model_dump_json(), self._model)
        if isinstance(answered, Mapping):
            return Answer(json.dumps(answered, default=str), self._model)
        raise CouldNotScore(f"the judge must return a text, a mapping or a Verdict, it returned {type(answered).__name__}")


class NamedModel:
    """A model by its name, `provider:model`; its client is made at the first question, so that building an evaluator needs no key."""

    def __init__(self, model: str, timeout_s: float, max_retries: int) -> None:
        self._model, self._timeout_s, self._max_retries = model, timeout_s, max_retries
        self._made: Client | None = None
        self.name = f"named:{model}"

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        return self._client().ask(messages, schema)

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        return await self._client().aask(messages, schema)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def _client(self) -> Client:
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self) -> Client:
        if self._model.startswith("openai:"):
            try:
                from openai import OpenAI
            except ImportError as error:
                raise CouldNotScore("the judge needs openai: install toolcall-evals[judge]") from error
            return OpenAIClient(OpenAI(), self._model.removeprefix("openai:"), self._timeout_s, self._max_retries)
        try:
            from langchain.chat_models import init_chat_model
        except ImportError as error:
            raise CouldNotScore(f"the judge {self._model!r} needs langchain and its provider's package") from error
        return ChatModel(init_chat_model(self._model), self._timeout_s, self._max_retries)


def _completion(response: Any) -> Answer:
    usage = getattr(response, "usage", None)
    tokens = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    choices = getattr(response, "choices", None)
    if not choices:
        return Answer("", getattr(response, "model", None), *tokens, stopped="empty")
    choice = choices[0]
    refusal = getattr(choice.message, "refusal", None)
    stopped = "refusal" if refusal else choice.finish_reason if choice.finish_reason in ("length", "content_filter") else None
    return Answer(choice.message.content or refusal or "", getattr(response, "model", None), *tokens, stopped=stopped)


def _message(answered: Any) -> Answer:
    """A chat model's message, or what `with_structured_output(include_raw=True)` makes of it."""
    raw = answered.get("raw") if isinstance(answered, dict) else answered
    parsed = answered.get("parsed") if isinstance(answered, dict) else None
    usage, about = getattr(raw, "usage_metadata", None) or {}, getattr(raw, "response_metadata", None) or {}
    refusal = (getattr(raw, "additional_kwargs", None) or {}).get("refusal")
    reason = about.get("finish_reason") or about.get("stop_reason")
    stopped = (
        "refusal"
        if refusal
        else "length"
        if reason in ("length", "max_tokens")
        else "content_filter"
        if reason == "content_filter"
        else None
    )
    text = json.dumps(parsed) if isinstance(parsed, dict) else refusal or _text(raw)
    return Answer(text, about.get("model_name") or about.get("model"), usage.get("input_tokens"), usage.get("output_tokens"), stopped)


def _text(raw: Any) -> str:
    content = getattr(raw, "content", "")
    if isinstance(content, str):
        return content
    return "".join(block if isinstance(block, str) else block.get("text", "") for block in content if isinstance(block, str | dict))


def _finished(waiting: Any) -> Any:
    """The result of a coroutine, from code that is not async; inside a running loop (a notebook) it runs in a thread of its own."""

    async def whole() -> Any:
        return await waiting

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole())
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, whole()).result()
