"""The adapter: which record of CrewAI's is this?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import Reading, Trajectory

from ._callbacks import is_step, is_tools_result, read_steps, read_tools_results
from ._events import read_events
from ._fields import text_field
from ._messages import read_chat, read_plain
from ._outputs import joined, losses, output_kind, read_output
from ._rows import is_row
from ._spans import is_ours, is_span, read_spans

_KEYS = frozenset({"raw", "events", "event_record", "nodes", "state", "output", "outputs"})
"""The keys of the mappings that are read without the adapter's name."""

_PACKAGES = frozenset({"crewai", "opentelemetry", "langsmith"})
"""Where live outputs, events, steps, spans and runs come from; what else is asked for its attributes only when the adapter is named."""


class CrewAIAdapter:
    """Reads events, outputs, messages, steps and spans of CrewAI, 1.5 to 1.15."""

    name = "crewai"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        """Read a record, or None when it is surely not one of CrewAI's."""
        if not reading.named and not _may_be_ours(raw):
            return None
        if isinstance(raw, list | tuple):
            return _of_list(raw, reading) if raw else None
        if (kind := output_kind(raw)) is not None:
            return read_output(raw, kind, reading)
        if isinstance(raw, Mapping):
            return _of_mapping(raw, reading)
        outputs = getattr(raw, "outputs", None)
        return _of_outputs(outputs, reading) if isinstance(outputs, Mapping) else None


def _may_be_ours(raw: Any) -> bool:
    """Whether a record may be CrewAI's: told apart fast, since every other framework's records come by here first."""
    kind = type(raw)
    if kind is dict:
        return not _KEYS.isdisjoint(raw)
    if kind is list or kind is tuple:
        if not raw:
            return False
        first = raw[0]
        return "role" not in first if type(first) is dict else type(first).__module__.partition(".")[0] in _PACKAGES
    return isinstance(raw, Mapping) or kind.__module__.partition(".")[0] in _PACKAGES


def _of_list(items: Sequence[Any], reading: Reading) -> Trajectory | None:
    first = items[0]
    if _is_message(first):
        return read_plain(items, reading, trusted=True) if reading.named else None
    if is_row(first) or (reading.named and any(is_row(item) for item in items)):
        return read_events(items, reading)
    if is_span(first) or (reading.named and any(is_span(item) for item in items)):
        return read_spans(items, reading) if reading.named or is_ours(items) else None
    if all(output_kind(item) for item in items):
        return _of_each(items, reading)
    if is_tools_result(first):
        return read_tools_results(items, reading)
    if all(is_step(item) for item in items):
        return read_steps(items, reading)
    return read_plain(items, reading, trusted=True) if reading.named else None


def _is_message(item: Any) -> bool:
    """Whether a list that begins with this is one of messages, not of events: told without asking for a single attribute."""
    fields = item if type(item) is dict else getattr(item, "__dict__", None)
    return type(fields) is dict and ("role" in fields or ("content" in fields and "event_id" not in fields))


def _of_each(items: Sequence[Any], reading: Reading) -> Trajectory:
    """Several outputs, such as those of `kickoff_for_each`."""
    parts = [read_output(item, kind, reading) for item in items if (kind := output_kind(item)) is not None]
    return joined(parts, parts[0].source)


def _of_mapping(raw: Mapping[str, Any], reading: Reading) -> Trajectory | None:
    events = raw.get("events")
    if isinstance(events, list | tuple) and events and is_row(events[0]):
        return read_events(events, reading)
    if (nodes := _checkpoint(raw)) is not None:
        return read_events(nodes, reading, source="crewai.checkpoint")
    messages = raw.get("messages")
    if isinstance(messages, list | tuple) and messages and reading.named:
        return _of_messages(raw, messages, reading)
    if "outputs" in raw:
        return _of_outputs(raw["outputs"], reading)
    return _of_outputs(raw, reading) if "output" in raw else None


def _of_messages(raw: Mapping[str, Any], messages: Sequence[Any], reading: Reading) -> Trajectory:
    """
    A mapping whose reader named CrewAI: a task's messages with its agent and task, or nothing but messages.

    The latter is what goes over the wire to any provider, so a tool message's text is taken for the tool's own there.
    """
    if not isinstance(raw.get("agent"), str) and not isinstance(raw.get("task"), str):
        return read_plain(messages, reading, trusted=False)
    chat = read_chat(messages, agent=text_field(raw, "agent"), task=text_field(raw, "task"), single_request=True)
    whole = chat.conversation.trajectory("crewai.messages", reading)
    return replace(whole, warnings=(*whole.warnings, *losses(chat, messages)))


def _of_outputs(outputs: Any, reading: Reading) -> Trajectory | None:
    """The outputs of a LangSmith run whose target returned a crew's output: dumped in their place, or under `output`."""
    if not isinstance(outputs, Mapping):
        return None
    for candidate in (outputs, outputs.get("output")):
        if (kind := output_kind(candidate)) is not None:
            return read_output(candidate, kind, reading)
    return None


def _checkpoint(raw: Mapping[str, Any]) -> list[Any] | None:
    """The event records of a checkpoint (crewai 1.14)."""
    record = raw.get("event_record") or (raw if "nodes" in raw else None)
    if record is None and isinstance(raw.get("state"), Mapping):
        record = raw["state"].get("event_record")
    nodes = record.get("nodes") if isinstance(record, Mapping) else None
    items = list(nodes.values()) if isinstance(nodes, Mapping) else nodes
    if not isinstance(items, list) or not items:
        return None
    events = [item["event"] if isinstance(item, Mapping) and isinstance(item.get("event"), Mapping) else item for item in items]
    return events if any(is_row(event) for event in events) else None


ADAPTER = CrewAIAdapter()
