"""Where in a thread's messages one run of it began: a graph with a checkpointer returns the messages of every run before, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from toolcall_evals.messages import assistant_text

from ._contents import request_in
from ._said import said


def begins_after(outputs: Any, inputs: Any, spoken: Collection[str]) -> str | None:
    """
    The id of the last message that is not the run's own: what it was given, or what was said before it was resumed.

    Args:
        outputs: What the run returned.
        inputs: What it was given; a resume is given no message.
        spoken: The ids of what its models said.

    Returns:
        None when the messages do not tell: they have no ids, or what the run was given or said is not among them.
    """
    messages = outputs.get("messages") if isinstance(outputs, Mapping) else None
    if not spoken or not isinstance(messages, list | tuple):
        return None
    found = [said(message) for message in messages]
    first = next((place for place, each in enumerate(found) if each is not None and each.role == "ai" and each.id in spoken), None)
    if not first:
        return None
    request = request_in(inputs)
    for each in reversed(found[:first]):
        if each is None:
            return None
        if request is None or (each.role == "human" and assistant_text(each.fields.get("content")) == request):
            return each.id
    return None
