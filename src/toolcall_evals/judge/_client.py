"""Whom a judge's questions go to: an OpenAI client, a LangChain chat model, a callable, or a model by its name."""

from __future__ import annotations

from typing import Any

from .._errors import SettingError
from .._settings import refuse
from ._answer import Client
from ._chat_model import ChatModel
from ._function import Function
from ._identity import Unsure
from ._named import NamedModel
from ._openai import OpenAIClient


def client_for(judge: Any, model: Any, timeout_s: float, max_retries: int) -> Client:
    """
    The client for the settings `judge` and `model`.

    Raises:
        ValueError: Neither is given, or `judge` is none of what can be asked.
    """
    named = isinstance(model, str) and model.strip() not in ("", "openai:")
    if model is not None and not named:
        refuse("model", model, "a model's name")
    if judge is None:
        if not named or not all(part.strip() for part in model.partition(":")):
            refuse("model", model, f"{_example(model)}, where no judge= is given; there is no default")
        return NamedModel(model, timeout_s, max_retries)
    if hasattr(getattr(getattr(judge, "chat", None), "completions", None), "create"):
        if not named:
            refuse("model", model, "the model's name, since judge is an OpenAI client")
        return OpenAIClient(judge, model.removeprefix("openai:"), timeout_s, max_retries)
    if isinstance(judge, type) or not (callable(judge) or hasattr(judge, "ainvoke")):
        refuse("judge", judge, "an OpenAI client, a LangChain chat model or a callable that takes messages and a JSON schema")
    if hasattr(judge, "ainvoke") and (hasattr(judge, "with_structured_output") or not callable(judge)):
        return ChatModel(judge, timeout_s, max_retries)
    return Function(judge, model, timeout_s, max_retries)


def told_apart(client: Client) -> None:
    """
    Refuse a judge that cannot be told from others: its answers must not be kept.

    A model by its name is left out: its client is made, and known, at the first question.

    Raises:
        ValueError: The setting `cache`, with what is in the way.
    """
    if isinstance(client, NamedModel):
        return
    try:
        client.name  # noqa: B018 - reading it is the check
    except Unsure as error:
        raise SettingError(
            f"cache must be None for this judge, which cannot be told from others: {error}; or give the judge an attribute cache_key, "
            "a text that changes whenever its answers may"
        ) from None


def _example(model: Any) -> str:
    whole = isinstance(model, str) and model.strip() and ":" not in model
    return f"a provider and a name, such as 'openai:{model[:60]}'" if whole else "a provider and a name, such as 'openai:gpt-5-mini'"
