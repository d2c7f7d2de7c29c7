"""A judge that is any callable: a model of one's own, or recorded verdicts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from .._errors import CouldNotScore
from . import _waiting as waiting
from ._answer import Answer, Messages
from ._identity import Unsure, identity
from ._pickling import pickled


class Function:
    """A callable, async or not, that takes the messages and the JSON schema and returns the answer: a text, a mapping or a `Verdict`."""

    def __init__(self, function: Callable[..., Any], model: str | None, timeout_s: float, max_retries: int) -> None:
        self._function, self._model, self._limit_s, self._retries = function, model, timeout_s, max_retries
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004

    def __getstate__(self) -> dict[str, Any]:
        return pickled(self.__dict__, self._function, "a function of a module, or an object of a module's class")

    @cached_property
    def name(self) -> str:
        """The callable as it is when this is first read: all of it that can change an answer."""
        key = getattr(self._function, "cache_key", None)
        if key is not None and not (isinstance(key, str) and key):
            raise Unsure(f"its cache_key is no text but {key!r:.100}")
        return f"callable:{identity(self._function)}:{self._model}"

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""
        return self._answer(waiting.retried(lambda: self._asked(messages, schema), self._retries))

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question; a plain function waits in a thread."""
        return self._answer(await waiting.aretried(lambda: self._aasked(messages, schema), self._retries))

    def _asked(self, messages: Messages, schema: dict[str, Any]) -> Any:
        if self._is_async:
            return waiting.from_sync(self._function(messages, schema), self._limit_s)
        return waiting.plain(lambda: self._function(messages, schema), self._limit_s)

    async def _aasked(self, messages: Messages, schema: dict[str, Any]) -> Any:
        if self._is_async:
            return await waiting.within(self._function(messages, schema), self._limit_s)
        return await waiting.aplain(lambda: self._function(messages, schema), self._limit_s)

    def _answer(self, answered: Any) -> Answer:
        if isinstance(answered, Answer):
            return answered
        if isinstance(answered, str):
            return Answer(answered, self._model)
        if hasattr(answered, "model_dump_json"):
            return Answer(answered.model_dump_json(), self._model)
        if isinstance(answered, Mapping):
            return Answer(json.dumps(dict(answered), default=str), self._model)
        raise CouldNotScore(f"the judge must return a text, a mapping or a Verdict, it returned {type(answered).__name__}")
