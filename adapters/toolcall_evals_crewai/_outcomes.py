"""What came of a call that the framework took up, written into its draft."""

from __future__ import annotations

from typing import Any

from toolcall_evals import InvocationDraft

from ._fields import field, shown
from ._names import draft_of, same_tool
from ._told import REASONS, fails_schema, settle, status_told, without_tail
from ._usages import Usage


def write_outcome(draft: InvocationDraft, usage: Usage, told: str | None = None) -> None:
    """Write what came of a usage into the draft of its request."""
    status, result, error = _outcome(usage, told)
    if draft.args is None and status == "success" and usage.executed_args is not None and draft.raw_args is None:
        draft.args = usage.executed_args
    settle(draft, status, result)
    if error is not None:
        draft.error = error
    if status == "pending":
        draft.executed = None
    draft.cached = usage.cached
    if usage.cached:
        draft.executed = False
    draft.attempts = usage.attempts
    draft.started_at, draft.duration_s = usage.started_at, usage.duration_s
    if usage.output is not None and not isinstance(usage.output, str):
        draft.raw_result = usage.output
    if usage.executed_name is not None and not usage.refused:
        if same_tool(draft.name, usage.executed_name):
            draft.name = draft_of(usage.executed_name).name
        else:
            draft.executed_name = usage.executed_name
            draft.kind = draft_of(usage.executed_name).kind
    asked, _ = usage.args
    if asked is not None and usage.executed_args is not None and usage.executed_args != asked:
        draft.executed_args = usage.executed_args
    if told is not None and (seen := without_tail(told)) != result:
        draft.extra = {**draft.extra, "told": seen}
    if usage.server:
        draft.extra = {**draft.extra, **usage.server}
    if usage.step is not None:
        draft.extra = {**draft.extra, "plan_step": usage.step}
    if draft.id is None and usage.starts:
        draft.id = usage.starts[0]


def _outcome(usage: Usage, told: str | None) -> tuple[str, str | None, str | None]:
    """(status, result, error) of a usage."""
    output = shown(usage.output)
    result = None if output is None else without_tail(output)
    message = field(usage.failure, "message")
    message = without_tail(message) if isinstance(message, str) else None
    if usage.refused:
        told = None if told is None else without_tail(told)
        text = told or message or usage.error
        status = status_told(told) if told else "invalid"
        return status if status in ("rejected", "error") else "invalid", text, usage.error or message or text
    if usage.failure is not None:
        status = REASONS.get(_reason(usage.failure), "error")
        if status == "error" and fails_schema(message or usage.error or ""):
            status = "invalid"
        return status, result if result is not None else message or usage.error, message or usage.error
    if usage.error is not None:
        return "invalid" if fails_schema(usage.error) else "error", usage.error, usage.error
    if result is not None:
        return status_told(result), result, None
    if usage.ended:
        return "success", None, None
    if told is not None:
        told = without_tail(told)
        return status_told(told), told, None
    return "pending", None, None


def _reason(failure: Any) -> str:
    reason = field(failure, "reason")
    value = reason if isinstance(reason, str) and type(reason) is str else field(reason, "value")
    return value if isinstance(value, str) else str(reason)
