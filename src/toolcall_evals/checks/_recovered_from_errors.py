"""Did the agent get over its failed calls?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import NotApplicable
from .._evaluator import Evaluator, Finding
from .._model import COUNTED_KINDS, ToolInvocation, Trajectory
from .._shown import amount, place, quoted, uncounted
from ..matching import succeeded

_SHOWN = 3
_IN_WORDS = {
    "same_tool": "a successful call of the same tool",
    "any_tool": "a successful call of any tool",
    "text": "a successful call or a text",
}


def recovered_from_errors(
    *,
    by: str = "same_tool",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Is each failed call followed by a successful one?

    A call failed where its status is error or invalid, where it was never answered, or where its result states an error. One that was not
    allowed to run did not fail. What was asked for in the same message does not follow.

    Args:
        by: What must follow: `same_tool`: a successful call of the same tool. `any_tool`: of any tool. `text`: that, or something that the
            assistant says.
        kinds: The kinds of calls to look at; tools and server tools unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of `recovered_from_errors`.

    Returns:
        An evaluator that scores 1.0 or 0.0; not applicable where no call failed.

    Raises:
        ValueError: An unknown word for `by`.
    """
    settings = {"by": setting.choice("by", by, _IN_WORDS), "scope": setting.scope(kinds, agent, COUNTED_KINDS)}
    return Evaluator("recovered_from_errors", _measure, settings, key=key, variant=[] if by == "same_tool" else [by])


def _measure(run: Trajectory, by: str, scope: setting.Scope) -> Finding:
    calls = scope.calls(run)
    failed = [index for index, call in enumerate(calls) if _failed(call)]
    if not failed:
        raise NotApplicable(f"none of {amount(len(calls), 'call')}{scope} failed")
    last_text = _last_text(run) if by == "text" else -1
    followed = _followed(calls, any_tool=by != "same_tool")
    left = [index for index in failed if index not in followed and not _is_spoken_of(run, calls[index], last_text, by)]
    return not left, partial(_explained, run, scope, calls, by, failed, left)


def _failed(call: ToolInvocation) -> bool:
    return call.status != "rejected" and not succeeded(call)


def _followed(calls: Sequence[ToolInvocation], any_tool: bool) -> set[int]:
    """The calls after which, in a later message, a call of the same or any tool succeeded."""
    found: set[int] = set()
    later: set[str] = set()
    same_message: list[str] = []
    message: int | None = None
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        if call.message_index is None or call.message_index != message:
            later.update(same_message)
            same_message.clear()
            message = call.message_index
        if call.name in later or (any_tool and later):
            found.add(index)
        if succeeded(call):
            same_message.append(call.name)
    return found


def _last_text(run: Trajectory) -> int:
    """Where the assistant's last text is among the messages; -1 where there is none."""
    for position in range(len(run.messages) - 1, -1, -1):
        role, text = run.messages[position]
        if role == "assistant" and text.strip():
            return position
    return -1


def _is_spoken_of(run: Trajectory, call: ToolInvocation, last_text: int, by: str) -> bool:
    """Does the assistant say something after the call? Where its place is not known, the run's last text is after it."""
    if by != "text":
        return False
    return last_text > call.message_index if call.message_index is not None else bool(run.final_text.strip())


def _explained(
    run: Trajectory, scope: setting.Scope, calls: Sequence[ToolInvocation], by: str, failed: Sequence[int], left: Sequence[int]
) -> tuple[str, dict[str, Any]]:
    shown = "; ".join([f"{place(calls, index)}{_reason(calls[index])}" for index in left[:_SHOWN]])
    rest = f"; and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    comment = f"{len(failed) - len(left)} of {amount(len(failed), 'failed call')}{scope} followed by {_IN_WORDS[by]}"
    comment += f"; not followed: {shown}{rest}" if left else ""
    details = {
        "calls": len(calls),
        "by": by,
        "failed": list(failed),
        "not_recovered": [
            {"index": index, "name": calls[index].name, "id": calls[index].id, "status": calls[index].status} for index in left
        ],
    }
    return comment + uncounted(run, scope), details


def _reason(call: ToolInvocation) -> str:
    text = call.error or call.result
    return f": {call.status}, {quoted(text, 80)}" if text else f": {call.status}"
