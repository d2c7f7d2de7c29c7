"""What a judge is asked and what it answers, whoever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Messages: TypeAlias = list[dict[str, str]]


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
    """One judge."""

    @property
    def name(self) -> str:
        """Part of the cache's key: everything about the judge that could change an answer."""

    def ask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question."""

    async def aask(self, messages: Messages, schema: dict[str, Any]) -> Answer:
        """Put one question without holding up the event loop."""
