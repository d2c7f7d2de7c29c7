"""
The answer that a model gives in a form: langchain's `ToolStrategy` has it ask for a tool that is none (langchain 1.5.2).

The usual texts of its answers tell; they can be customised, and then only the state's `structured_response` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_evals import InvocationDraft

KEY = "structured_response"
"""The key of a state, and of the update that ends a run, under which the answer lies."""


def answer_in(update: Any) -> Any:
    """The answer inside a state, an update, a `Command` or a list of these; None without one."""
    for each in update if isinstance(update, list | tuple) else (update,):
        inner = each.get("update", each) if isinstance(each, Mapping) else getattr(each, "update", None)
        if isinstance(inner, Mapping) and inner.get(KEY) is not None:
            return inner[KEY]
    return None


def mark_structured(calls: Sequence[InvocationDraft], answer: Any, *, by_arguments: bool = True) -> None:
    """
    Mark the calls by which a model gave its answer; those that it had to give again are errors.

    Args:
        calls: Those that may be, in order: no tool was seen to run for them.
        answer: A state's `structured_response`.
        by_arguments: Go by equal arguments too, where the name is not that of the answer's class.
    """
    if answer is None:
        return
    fields = answer if isinstance(answer, Mapping) else getattr(answer, "__dict__", None)
    name = next((call.name for call in reversed(calls) if _gave(call, type(answer).__name__, fields if by_arguments else None)), None)
    if name is None:
        return
    again: set[int] = set()  # turns in which a later call gives the answer
    for call in reversed(calls):
        if call.name != name or call.kind not in ("tool", "structured_output"):
            continue
        if call.kind == "tool" and call.result is not None:
            call.kind, call.executed = "structured_output", False
            if call.turn in again and call.status == "success":
                call.status, call.error = "error", call.result
        again.add(call.turn)


def _gave(call: InvocationDraft, title: str, fields: Any) -> bool:
    if call.result is None:
        return False
    return call.kind == "structured_output" or (call.kind == "tool" and (call.name == title or (bool(call.args) and call.args == fields)))
