"""A judge that is a LangChain chat model, or a runnable around one (langchain-core 1.x)."""

from __future__ import annotations

import inspect
import json
from functools import cached_property
from typing import Any

from . import _waiting as waiting
from ._answer import Answer, Messages
from ._data import fenced
from ._identity import identity
from ._openai import answer_of
from ._pickling import pickled

PAUSE_S = 8.0
"""The longest that a provider's client waits between its attempts, unless it is asked to (openai 3.57)."""

_STOPPED = {"length": "length", "max_tokens": "length", "MAX_TOKENS": "length", "content_filter": "content_filter", "refusal": "refusal"}
"""What providers call an answer that is no whole one, in our words."""


class ChatModel:
    """A model that makes further attempts by itself (it has `max_retries`) is asked once, in the time of all of them."""

    def __init__(self, model: Any, timeout_s: float, max_retries: int) -> None:
        self._model = model
        own = _own_retries(model, max_retries)
        self._retries = max_retries if own is None else 0
        self._limit_s = timeout_s if own is None else timeout_s * (own + 1) + PAUSE_S * own

    def __getstate__(self) -> dict[str, Any]:
        return pickled(self.__dict__, self._model, "model='provider:name' and no judge=")

    @cached_property
    def name(self) -> str:
        """The model with its settings and whatever is bound to it or stands around it."""
        return f"langchain:{identity(self._model)}"

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        runnable, asked = self._asked(messages, schema)
        try:
            answered = waiting.retried(lambda: waiting.plain(lambda: runnable.invoke(asked), self._limit_s), self._retries)
        except Exception as error:  # noqa: BLE001 - raised again where it holds no answer
            return _cut_short(error)
        return _answer(answered)

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question without holding up the event loop."""
        runnable, asked = self._asked(messages, schema)
        try:
            answered = await waiting.aretried(lambda: waiting.within(runnable.ainvoke(asked), self._limit_s), self._retries)
        except Exception as error:  # noqa: BLE001 - raised again where it holds no answer
            return _cut_short(error)
        return _answer(answered)

    def _asked(self, messages: Messages, schema: dict[str, Any]) -> tuple[Any, Messages]:
        """The model held to the schema, or, where it cannot be, the plain one, which is told the schema in words."""
        titled = {"title": "verdict", "description": "The verdict on an agent's run.", **schema}
        structured = _held_to(self._model, titled)
        if structured is not None:
            return structured, messages
        told = f"{messages[-1]['content']}\n\nAnswer with one JSON object of this schema and nothing else:\n{fenced('schema', schema)}"
        return self._model, [*messages[:-1], {**messages[-1], "content": told}]


def _own_retries(model: Any, unsaid: int) -> int | None:
    """
    How many further attempts a model makes by itself, `unsaid` where only its provider's package knows; None where it makes none.

    What stands around a model hides its `max_retries` (`|`, `with_retry`; langchain-core 1.8.3): two of them would multiply.
    """
    kinds = _kinds(model)
    inner = model.steps if "RunnableSequence" in kinds else [model.bound] if "RunnableBindingBase" in kinds else None
    if inner is not None:
        found = [own for each in inner if (own := _own_retries(each, unsaid)) is not None]
        return max(found, default=None)
    own = getattr(model, "max_retries", 0)
    return unsaid if own is None else own if isinstance(own, int) and own > 0 else None


def _kinds(model: Any) -> set[str]:
    """The names of a model's classes; langchain-core need not be there."""
    return {kind.__name__ for kind in type(model).__mro__}


def _held_to(model: Any, schema: dict[str, Any]) -> Any:
    """
    A model whose answers have the schema; None where it has no way to do that.

    What is bound to a model (`bind`, `with_config`) is given along: the method of the model inside knows nothing of it (langchain-core
    1.8.3).
    """
    structured = getattr(model, "with_structured_output", None)
    if structured is None:
        return None
    kwargs: dict[str, Any] = {}
    configs: list[Any] = []
    while "RunnableBinding" in _kinds(model):  # a chat model's is a class of its own below it
        kwargs, configs, model = {**model.kwargs, **kwargs}, [model.config, *configs], model.bound
    # langchain-openai 1.7 holds a model to a JSON schema only when told to
    options = {"strict": True} if "strict" in inspect.signature(structured).parameters else {}
    try:
        held = structured(schema, include_raw=True, **{**options, **kwargs})
    except NotImplementedError:
        return None
    except (TypeError, ValueError):
        if not kwargs:
            raise
        return None  # it takes no more than the schema
    for config in configs:
        held = held.with_config(config)
    return held


def _cut_short(error: Exception) -> Answer:
    """The answer inside an error: openai's own parsing, which langchain-openai uses, raises what is cut off or filtered (openai 3.57)."""
    stopped = {"LengthFinishReasonError": "length", "ContentFilterFinishReasonError": "content_filter"}.get(type(error).__name__)
    if stopped is None:
        raise error
    answer = answer_of(getattr(error, "completion", None))
    return Answer(answer.text, answer.model, answer.input_tokens, answer.output_tokens, stopped)


def _answer(answered: Any) -> Answer:
    """A message, or what `with_structured_output(include_raw=True)` makes of it."""
    raw, parsed = (answered.get("raw"), answered.get("parsed")) if isinstance(answered, dict) else (answered, None)
    usage, about = getattr(raw, "usage_metadata", None) or {}, getattr(raw, "response_metadata", None) or {}
    refusal = (getattr(raw, "additional_kwargs", None) or {}).get("refusal")
    reason = about.get("finish_reason") or about.get("stop_reason")
    stopped = "refusal" if refusal else _STOPPED.get(reason) if isinstance(reason, str) else None
    # the raw text first: langchain-core's parser completes JSON that is cut off (1.8.3)
    text = refusal or _text(raw) or (json.dumps(parsed) if isinstance(parsed, dict) else "")
    return Answer(str(text), about.get("model_name") or about.get("model"), usage.get("input_tokens"), usage.get("output_tokens"), stopped)


def _text(raw: Any) -> str:
    """What a message says: structured output may also come as the arguments of a tool call."""
    for call in getattr(raw, "tool_calls", None) or ():
        return json.dumps(call.get("args"))
    for call in getattr(raw, "invalid_tool_calls", None) or ():
        return str(call.get("args") or "")
    content = raw if isinstance(raw, str) else getattr(raw, "content", None)
    if isinstance(content, list):
        return "".join(
            [block if isinstance(block, str) else str(block.get("text") or "") for block in content if isinstance(block, str | dict)]
        )
    return content if isinstance(content, str) else ""
