"""What a kickoff returns: `CrewOutput`, `TaskOutput`, `LiteAgentOutput`, as objects or as the dicts that `model_dump` makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from toolcall_evals import Reading, Trajectory

from ._fields import field, text_field
from ._messages import Chat, apply_failures, read_chat

OutputKind = Literal["crew", "task", "agent"]

LOSSY = "task messages show neither delegated work, plan steps nor earlier attempts; capture the run's events to see them"
NO_FINAL = "the final completion is not in the messages (text path, crewai 1.14.5 and newer): an invented result in it cannot be seen"


def output_kind(raw: Any) -> OutputKind | None:
    """Which of CrewAI's outputs this is, or None."""
    if raw is None or isinstance(raw, str | list | tuple):
        return None
    has = raw.__contains__ if isinstance(raw, Mapping) else (lambda name: hasattr(raw, name))
    if not has("raw"):
        return None
    if has("tasks_output"):
        return "crew"
    if has("agent") and has("description") and (has("messages") or has("expected_output")):
        return "task"
    if has("agent_role") and (has("messages") or has("usage_metrics")):
        return "agent"
    return None


def read_output(raw: Any, kind: OutputKind, reading: Reading) -> Trajectory:
    """Read one output."""
    if kind == "agent":
        return _read_part(raw, reading, text_field(raw, "agent_role"), None, "crewai.lite_agent_output")
    if kind == "task":
        return _read_task(raw, reading)
    tasks = field(raw, "tasks_output")
    parts = [_read_task(task, Reading()) for task in tasks] if isinstance(tasks, list | tuple) else []
    whole = joined(parts, "crewai.crew_output")
    final = text_field(raw, "raw")
    texts = whole.texts if final is None or (whole.texts and whole.texts[-1] == final) else (*whole.texts, final)
    warnings = whole.warnings if parts else ("the output holds no task's output",)
    return replace(whole, texts=texts, usage=_tokens(field(raw, "token_usage")), warnings=warnings)


def joined(parts: Sequence[Trajectory], source: str) -> Trajectory:
    """Several parts of one run as one trajectory, in their order."""
    requests = [part.input for part in parts if part.input]
    return Trajectory(
        input="\n\n".join(dict.fromkeys(requests)) or None,
        messages=tuple(pair for part in parts for pair in part.messages),
        texts=tuple(text for part in parts for text in part.texts),
        invocations=tuple(call for part in parts for call in part.invocations),
        has_call_record=any(part.has_call_record for part in parts),
        source=source,
        warnings=tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
    )


def losses(chat: Chat, messages: Sequence[Any]) -> list[str]:
    """What a task's messages cannot show, in words."""
    return [LOSSY, NO_FINAL] if chat.taught and field(messages[-1], "role") == "user" else [LOSSY]


def _read_task(raw: Any, reading: Reading) -> Trajectory:
    task = text_field(raw, "name") or text_field(raw, "description")
    part = _read_part(raw, reading, text_field(raw, "agent"), task, "crewai.task_output")
    return replace(part, input=text_field(raw, "description") or part.input)


def _read_part(raw: Any, reading: Reading, agent: str | None, task: str | None, source: str) -> Trajectory:
    messages = field(raw, "messages")
    final = text_field(raw, "raw") or ""
    if not isinstance(messages, list | tuple) or not messages:
        warning = "the output holds no messages (crewai 1.5 and newer has them): it cannot show calls"
        return Trajectory(texts=(final,) if final else (), has_call_record=False, source=source, warnings=(warning,))
    chat = read_chat(messages, agent=agent, task=task, single_request=source == "crewai.task_output")
    failures = field(raw, "tool_failures")
    if isinstance(failures, list | tuple):
        apply_failures(chat, failures)
    if final and chat.said != final:
        chat.say(final)
    chat.conversation.warnings += losses(chat, messages)
    part = chat.conversation.trajectory(source, reading)
    return replace(part, usage=_tokens(field(raw, "usage_metrics")))


def _tokens(usage: Any) -> Mapping[str, Any] | None:
    fields = usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", None)
    if not isinstance(fields, Mapping):
        return None
    counts = {str(name): count for name, count in fields.items() if isinstance(count, int) and not isinstance(count, bool) and count}
    return counts or None
