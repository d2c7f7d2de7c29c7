"""How comments show what was found: short, and never longer for a longer run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from ._model import ToolInvocation, Trajectory
from ._settings import Scope

NAME_LENGTH = 40
NAMES_LENGTH = 300
TEXT_LENGTH = 200


def cut(text: str, length: int = NAME_LENGTH) -> str:
    """The beginning of a text, and a mark where the rest is left out."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


def amount(number: int, noun: str) -> str:
    """How many, as "1 call" and "2 calls"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def quoted(text: str, length: int = TEXT_LENGTH) -> str:
    """A text in quotes, its middle left out when it is long; control characters are escaped."""
    if len(text) <= length:
        return repr(text)
    half = (length - 5) // 2
    return f"{text[:half]!r} ... {text[-half:]!r} ({len(text):,} characters)"


def around(text: str, start: int, end: int, length: int = TEXT_LENGTH) -> str:
    """The part of a text around text[start:end], in quotes, with marks where it goes on."""
    room = max(length - (end - start), 0) // 2
    first, last = max(start - room, 0), min(max(end + room, start + 1), start + length, len(text))
    return f"{'... ' if first else ''}{text[first:last]!r}{' ...' if last < len(text) else ''}"


def named(call: ToolInvocation) -> str:
    """A call's name, also where it has none."""
    return cut(call.name) or "(no name)"


def listed(names: Iterable[str]) -> str:
    """Names in order, as many as fit; "none" for none."""
    return _listed(tuple(names))


@lru_cache(maxsize=4)  # the checks of a run list the same names
def _listed(names: tuple[str, ...]) -> str:
    shown: list[str] = []
    room = NAMES_LENGTH
    for name in names:
        room -= min(len(name), NAME_LENGTH) + 2
        if room < 0:
            break
        shown.append(cut(name) or "(no name)")
    rest = len(names) - len(shown)
    return (", ".join(shown) or "none") + (f" and {rest:,} more" if rest else "")


def place(calls: Sequence[ToolInvocation], index: int) -> str:
    """Which call it is: its number, its name and, where known, its id and the message that asked for it."""
    call = calls[index]
    facts = [f"id {cut(call.id)}"] if call.id else []
    facts += [] if call.message_index is None else [f"message {call.message_index}"]
    where = ", ".join(facts)
    return f"call {index + 1} of {len(calls)}, {named(call)}{where and f' ({where})'}"


def uncounted(run: Trajectory, scope: Scope, besides: str | None = None) -> str:
    """
    What a check did not look at, and why, as the end of a comment; empty where there is nothing.

    Args:
        besides: The tool that it looked at whatever the kind.
    """
    if scope.agents is None and len(scope.calls(run)) == len(run.invocations):
        return ""
    reasons: dict[str, list[str]] = {}
    for call in run.invocations:
        if call.status == "hallucinated":
            reasons.setdefault("stated by the model but never run", []).append(call.name)
        elif scope.kinds is not None and call.kind not in scope.kinds and call.name != besides:
            reasons.setdefault(f"of kind {call.kind}", []).append(call.name)
        elif scope.agents is not None and call.agent not in scope.agents:
            reasons.setdefault("by other agents", []).append(call.name)
    parts = [f"{len(names)} {reason} ({_few(names)})" for reason, names in reasons.items()]
    return f"; not counted: {', '.join(parts)}" if parts else ""


def _few(names: Sequence[str]) -> str:
    return ", ".join(cut(name, 30) for name in islice(dict.fromkeys(names), 2)) + (", ..." if len(set(names)) > 2 else "")
