"""The texts by which CrewAI tells its model what became of a call (`translations/en.json`, crewai 1.5 to 1.15).

They are the only sign of an outcome in messages, and of a refused call in the events of the text path.
"""

from __future__ import annotations

import re

from toolcall_evals import InvocationDraft

REJECTIONS = (
    re.compile(r"I tried reusing the same input, I must stop using this action input"),
    re.compile(r"Tool execution blocked by hook"),
    re.compile(r"Tool '[^\n]{0,200}' has reached its (?:maximum )?usage limit of \d+ times"),
)
INVALID = (
    re.compile(r"Tool not found\Z"),
    re.compile(r"Error: Failed to parse tool arguments as JSON"),
    re.compile(r"Error: the Action Input is not a valid key, value dictionary"),
    re.compile(r"I encountered an error: Action '.{0,300}?' don't exist", re.DOTALL),
    re.compile(r"You tried to use the tool .{0,300}?, but it doesn't exist", re.DOTALL),
)
ERRORS = (
    re.compile(r"Error executing tool"),
    re.compile(r"Error executing task with agent"),
    re.compile(r"I encountered an error"),
)
_SCHEMA = re.compile(r"\b[Aa]rguments validation failed\b")

TAILS = (
    "\n\n\nYou ONLY have access to the following tools",
    "\n\n\nNow it's time you MUST give your absolute best final answer",
)
FAILURE_TAIL = "\nMoving on then."
"""What CrewAI appends for its model: behind any result, and behind a failure."""

REASONS = {
    "tool_reported": "error",
    "exception": "error",
    "mcp_error": "error",
    "usage_limit": "rejected",
    "repeated_call": "rejected",
    "unknown_tool": "invalid",
    "invalid_input": "invalid",
}
"""A `ToolFailure`'s reason (crewai 1.15.9), as a status."""


def without_tail(text: str) -> str:
    """A result without what CrewAI appends to it for its model: every third time the tool list, after a failure the format."""
    for tail in TAILS:
        at = text.rfind(tail)
        if at >= 0:
            text = text[:at]
    if text.lstrip().startswith("I encountered an error"):
        at = text.find(FAILURE_TAIL)
        if at >= 0:
            text = text[:at]
    return text


def fails_schema(text: str) -> bool:
    """Whether an exception's text says that the arguments did not pass the tool's schema, so that the body never ran."""
    return _SCHEMA.search(text) is not None


def status_told(text: str) -> str:
    """The status that a result's text shows; `success` for what is no text of CrewAI's."""
    start = text.lstrip()
    if any(pattern.match(start) for pattern in REJECTIONS):
        return "rejected"
    if any(pattern.match(start) for pattern in INVALID):
        return "invalid"
    if any(pattern.match(start) for pattern in ERRORS):
        return "invalid" if fails_schema(start) else "error"
    return "success"


def settle(draft: InvocationDraft, status: str, result: str | None) -> None:
    """Write an outcome into a draft."""
    draft.status = status  # type: ignore[assignment]  # one of the statuses of this module
    draft.result = result
    draft.error = result if status in ("error", "invalid", "rejected") else None
    draft.executed = status in ("success", "error")
