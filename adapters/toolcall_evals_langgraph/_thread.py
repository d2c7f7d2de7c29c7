"""Where in a thread's messages one run of it began: a graph with a checkpointer returns the messages of every run before, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from toolcall_evals.messages import assistant_text, message_fields

from ._contents import request_in


def begins_after(outputs: Any, inputs: Any, said: Collection[str]) -> str | None:
    """
    The id of the last message that is not the run's own: what it was given, or what was said before it was resumed.

    Args:
        outputs: What the run returned.
        inputs: What it was given; a resume is given no message.
        said: The ids of what its models said.

    Returns:
        None when the messages do not tell: they have no ids, or what the run was given or said is not among them.
    """
    messages = outputs.get("messages") if isinstance(outputs, Mapping) else None
    if not isinstance(messages, list | tuple):
        return None
    found = [message_fields(message) for message in messages]
    first = next((place for place, each in enumerate(found) if each is not None and each[0] == "ai" and each[1].get("id") in said), None)
    if not first:
        return None
    request = request_in(inputs)
    for each in reversed(found[:first]):
        if each is None:
            return None
        role, fields = each
        if request is None or (role == "human" and assistant_text(fields.get("content")) == request):
            id = fields.get("id")
            return id if isinstance(id, str) else None
    return None
