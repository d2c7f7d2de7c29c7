"""`to_trajectory`: one reading of whatever record of a run people have."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from ._errors import TraceFormatError, said
from ._model import Trajectory
from ._stored import kept_in
from ._turns import one_turn

Turns: TypeAlias = Literal["all", "last"] | int

ENTRY_POINTS = "toolcall_evals.adapters"


@dataclass(frozen=True, slots=True)
class Reading:
    """
    How a trace is to be read.

    Attributes:
        form: What was recorded, where that cannot be seen: `stream_updates`, `stream_values`, `openai_chunks`...
        turns: `all`, `last`, or the index of one turn, negative from the end.
        after: The id of a message; only what follows it is scored.
        inputs: What the run was given; the messages in it are history, not the run's own.
        named: The caller named this adapter, so it may read what it would otherwise leave to others.
    """

    form: str | None = None
    turns: Turns = "all"
    after: str | None = None
    inputs: Any = None
    named: bool = False


_WHOLE = Reading()


class Adapter(Protocol):
    """
    What an entry point of the group `toolcall_evals.adapters` names: an object that knows one framework's traces.
    """

    name: str

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        """
        Read a trace, or None when it is surely not one of this framework's. Must not change `raw`.

        Raises:
            TraceFormatError: It is one of ours and cannot be read.
        """


@functools.cache
def adapters() -> dict[str, Adapter]:
    """
    The installed adapters by name, in order of name; looked up at the first conversion.

    One that cannot be loaded is left out, with a warning in the log.
    """
    from importlib.metadata import entry_points

    found: dict[str, Adapter] = {}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:  # noqa: BLE001 - somebody's broken package must not end every conversion
            logging.getLogger("toolcall_evals").warning("the adapter %r cannot be loaded: %s: %s", point.name, type(error).__name__, error)
    return found


def to_trajectory(
    raw: Any,
    *,
    adapter: str | None = None,
    form: str | None = None,
    turns: Turns = "all",
    after: str | None = None,
    inputs: Any = None,
) -> Trajectory:
    """
    Read the record of a run, in any form, as a `Trajectory`.

    Args:
        raw: A LangGraph state or stream, a list of messages (LangChain objects or any JSON form of them, OpenAI,
            Responses, Anthropic, Gemini), a LangSmith run, a CrewAI output or event list, a plain text, or a
            `Trajectory`. It is never changed.
        adapter: The name of an adapter, where that matters: CrewAI's text protocol is no tool call elsewhere.
        form: What was recorded, where that cannot be seen from the record, as in `Reading.form`.
        turns: `all`, `last`, or the index of one turn (from 0, negative from the end). A turn begins at a message of
            the user's.
        after: The id of a message; only what follows it is read.
        inputs: What the run was given: messages that the record repeats from it are history and are not read.

    Raises:
        TraceFormatError: Nothing recognises the record; says what was expected and what was found.
    """
    if turns == "all" and adapter is None and form is None and after is None and inputs is None:
        try:
            if (found := _chat_reader()(raw)) is not None:  # the usual case, told here for the sake of speed
                return found
        except Exception:  # noqa: BLE001 - the general way says what is wrong
            pass
    if not (turns in ("all", "last") or (isinstance(turns, int) and not isinstance(turns, bool))):
        raise ValueError(f"turns must be 'all', 'last' or the index of a turn, got {_shown(turns)}")
    if adapter is not None and (not isinstance(adapter, str) or adapter not in adapters()):
        raise ValueError(f"adapter must be one of {sorted(adapters())}, got {_shown(adapter)}")
    if form is not None and not isinstance(form, str):
        raise ValueError(f"form must be the name of what was recorded, got {_shown(form)}")
    try:
        whole = turns == "all" and adapter is None and form is None and after is None and inputs is None
        return _read(raw, adapter, _WHOLE if whole else Reading(form, turns, after, inputs, adapter is not None))
    except TraceFormatError:
        raise
    except RecursionError as error:
        raise TraceFormatError("expected a trace, found one nested deeper than can be followed") from error
    except Exception as error:  # an object of somebody's that fails when it is looked at is no trace either
        raise TraceFormatError(f"expected a trace that can be read, found one that fails: {said(error)}") from error


@functools.cache
def _chat_reader() -> Callable[[Any], Trajectory | None]:
    from .messages import usual_chat

    return usual_chat


def _read(raw: Any, adapter: str | None, reading: Reading) -> Trajectory:
    whole = raw if isinstance(raw, Trajectory) else kept_in(raw)
    if whole is not None:
        if reading.after is not None:
            raise TraceFormatError(f"expected messages with ids (after={_shown(reading.after)}), found a trajectory, which keeps none")
        return whole if reading.turns == "all" else one_turn(whole, reading.turns)
    if adapter is not None:
        found = adapters()[adapter].convert(raw, reading)
        if found is None:
            raise TraceFormatError(f"expected a trace that the adapter {adapter!r} reads, found {describe(raw)}")
        return found
    if not _is_chat(raw):
        for candidate in adapters().values():
            if (found := candidate.convert(raw, reading)) is not None:
                return found
    from .messages import convert

    if (found := convert(raw, reading)) is not None:
        return found
    raise TraceFormatError(f"expected messages, a run or a framework's output, found {describe(raw)}; pass the run's output or its run")


def _is_chat(raw: Any) -> bool:
    """Whether it is a list that begins with a provider's chat message: no framework's record does, so no adapter is asked."""
    return type(raw) is list and bool(raw) and type(raw[0]) is dict and "role" in raw[0] and "type" not in raw[0]


def _shown(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:  # noqa: BLE001 - as in said
        return f"an object of type {type(value).__name__}"


def describe(raw: Any) -> str:
    """What was found, in a few words: for error messages."""
    if isinstance(raw, Mapping):
        keys = [str(key)[:40] for key in list(raw)[:8]]
        return f"a mapping with the keys {keys}{' and more' if len(raw) > 8 else ''}" if keys else "an empty mapping"
    if isinstance(raw, list | tuple):
        kinds = sorted({type(item).__name__ for item in raw[:20]})
        return f"a {type(raw).__name__} of {len(raw)} ({', '.join(kinds)})" if raw else f"an empty {type(raw).__name__}"
    return "None" if raw is None else f"an object of type {type(raw).__name__}"
