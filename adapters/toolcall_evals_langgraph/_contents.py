"""Messages and texts inside what went into a run or came out of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_evals import Reading, TraceFormatError
from toolcall_evals.messages import message_fields, read_messages

DEPTH = 8
"""Levels of containers inside which messages are looked for."""

TEXT_KEYS = ("output", "answer", "response", "result", "text", "content", "final_output", "final_answer")
"""Keys that hold the answer of a target with several texts in its outputs."""


def messages_in(value: Any, depth: int = DEPTH, seen: set[int] | None = None) -> list[Any]:
    """
    Every message inside a value, in order: states, updates, lists of updates, `Command` and `Send`, live or as JSON.
    """
    found: list[Any] = []
    _walk(value, depth, set() if seen is None else seen, found)
    return found


_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def _walk(value: Any, depth: int, seen: set[int], found: list[Any]) -> None:
    kind = type(value)
    if kind in _PLAIN or depth < 0 or id(value) in seen:
        return
    if kind is list or kind is tuple:
        seen.add(id(value))
        for item in value:
            if type(item) not in _PLAIN:
                _walk(item, depth - 1, seen, found)
    elif message_fields(value) is not None:  # the same message twice in a list is a matter of its reader
        found.append(value)
    elif kind is dict or isinstance(value, Mapping):
        seen.add(id(value))
        if "goto" in value and "update" in value:
            _command(value["update"], value["goto"], depth, seen, found)
            return
        for item in value.values():
            if type(item) not in _PLAIN:
                _walk(item, depth - 1, seen, found)
    elif hasattr(value, "goto") and hasattr(value, "update"):
        seen.add(id(value))
        _command(value.update, value.goto, depth, seen, found)
    elif hasattr(kind, "model_fields") or hasattr(kind, "__dataclass_fields__"):
        seen.add(id(value))
        _walk(getattr(value, "__dict__", None), depth - 1, seen, found)


def _command(update: Any, goto: Any, depth: int, seen: set[int], found: list[Any]) -> None:
    _walk(update, depth - 1, seen, found)
    for jump in goto if isinstance(goto, list | tuple) else [goto]:
        argument = jump.get("arg") if isinstance(jump, Mapping) else getattr(jump, "arg", None)
        _walk(argument, depth - 1, seen, found)


def command_of(value: Any) -> bool:
    """Whether a value is a `Command` that goes somewhere, live or as JSON."""
    if isinstance(value, Mapping):
        return "goto" in value and "update" in value and bool(value["goto"])
    return hasattr(value, "goto") and hasattr(value, "update") and bool(value.goto)


def model_message(outputs: Any) -> Any:
    """
    What a model's run answered: the message of LangChain's generations or of a wrapped provider's response; None without one.
    """
    generations = field_of(outputs, "generations")
    while isinstance(generations, list | tuple) and generations:
        generations = generations[0]
    if generations is not None and not isinstance(generations, list | tuple):
        inner, text = field_of(generations, "message"), field_of(generations, "text")
        return inner if inner is not None else {"role": "assistant", "content": text} if isinstance(text, str) else None
    choices = field_of(outputs, "choices")
    if isinstance(choices, list | tuple) and choices:
        return field_of(choices[0], "message")
    if not isinstance(outputs, Mapping):
        return None
    if "role" in outputs or message_fields(outputs) is not None:
        return outputs
    for key in ("message", "output"):
        inner = outputs.get(key)
        if isinstance(inner, Mapping) and ("role" in inner or message_fields(inner) is not None):
            return inner
        if inner is not None and not isinstance(inner, Mapping | list | str) and message_fields(inner) is not None:
            return inner
    return None


def field_of(value: Any, name: str) -> Any:
    """A field of a mapping or of an object; None where it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def text_in(value: Any) -> str | None:
    """The one text that a value is or holds, such as the output of a target that returns a text; None when it is not plain."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        return None
    texts = {str(key): item for key, item in value.items() if isinstance(item, str)}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return next((texts[key] for key in TEXT_KEYS if key in texts), None)


def request_in(inputs: Any) -> str | None:
    """What the user asked: the last message of the inputs that no framework wrote, or the one text in them."""
    messages = inputs.get("messages") if isinstance(inputs, Mapping) else inputs
    if isinstance(messages, list | tuple) and messages:
        try:
            return read_messages(messages).trajectory("", Reading(turns="last")).input
        except TraceFormatError:
            return None
    return text_in(inputs)
