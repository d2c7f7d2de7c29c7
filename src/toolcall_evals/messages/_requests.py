"""What a request for a tool and an answer to one hold, whatever the wire format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._json import shown
from .._model import InvocationDraft, Kind
from ._arguments import read_arguments
from ._conversation import Conversation
from ._text import as_json

_SHOWN = 1_000
"""Characters of an unreadable request that are kept."""


@dataclass(slots=True)
class Answer:
    """
    A tool's answer, as a provider's block or item holds it.

    Attributes:
        id: The id of the call that it answers.
        name: The tool's name, where the answer has it.
        text: The result as the model saw it, or None.
        value: The result's value, where it is more than its text.
        failed: The provider, or who ran the tool, declared a failure.
        server: The provider ran the tool itself.
    """

    id: str | None
    name: str | None = None
    text: str | None = None
    value: Any = None
    failed: bool = False
    server: bool = False


def as_id(value: Any) -> str | None:
    """A call id as text; None where there is none. Some local servers number their calls."""
    return value if value is None or type(value) is str else shown(value)


def as_name(value: Any) -> str | None:
    """A tool's name, or None for what is no name."""
    return value if isinstance(value, str) and value else None


def asked(name: Any, arguments: Any, id: Any, kind: Kind = "tool") -> InvocationDraft:
    """A request as it was made; without a tool's name or readable arguments it is invalid."""
    args, raw = read_arguments(arguments)
    draft = InvocationDraft(name if isinstance(name, str) else "", args, raw, as_id(id))
    draft.kind = kind
    if args is None or not draft.name:
        draft.status = "invalid"
        draft.error = "the request names no tool" if not draft.name else None
    return draft


def unreadable(entry: Any) -> InvocationDraft:
    """A request of which not even the tool can be read: it was made all the same."""
    return InvocationDraft("", None, as_json(entry)[:_SHOWN], status="invalid", error="the request cannot be read")


def settle(conversation: Conversation, answer: Answer, *, message: bool = True, message_id: str | None = None) -> InvocationDraft:
    """
    Give an answer to the call that it belongs to.

    Args:
        message: The answer is a message of its own, not part of the assistant's.
        message_id: That message's id.
    """
    if message:
        draft = conversation.result(answer.id, answer.name, answer.text, answer.value, message_id=message_id)
    else:
        draft = conversation.answer(answer.id, answer.name, answer.text, answer.value)
    if answer.server and draft.args is None and draft.raw_args is None:
        draft.kind = "server"
    if answer.failed and draft.status == "success":
        draft.status, draft.error = "error", answer.text
    return draft
