"""A judge that is any callable: a model of one's own, or recorded verdicts."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from .._errors import CouldNotScore
from . import _waiting as waiting
from ._answer import Answer, Messages


class Function:
    """A callable, async or not, that takes the messages and the JSON schema and returns the answer: a text, a mapping or a `Verdict`."""

    def __init__(self, function: Callable[..., Any], model: str | None, timeout_s: float, max_retries: int) -> None:
        self._function, self._model, self._limit_s, self._retries = function, model, timeout_s, max_retries
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
        self.name = f"callable:{_identity(function)}:{model}"

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


def _identity(function: Any) -> str:
    """What tells callables apart between two runs of a program: the name, what a partial adds, and the code itself."""
    if isinstance(function, functools.partial):
        return f"{_identity(function.func)}({function.args!r}, {sorted(function.keywords.items())!r})"
    named = function if hasattr(function, "__qualname__") else type(function)
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)  # noqa: B004
    digest = hashlib.sha256(code.co_code + repr(code.co_names).encode()).hexdigest()[:12] if code else ""
    return f"{getattr(named, '__module__', '')}.{named.__qualname__}:{digest}"
