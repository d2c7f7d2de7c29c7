"""What must hold, whatever comes in; a broken law is a `Broken`."""

from __future__ import annotations

import json
import logging
import marshal
from collections import UserDict, UserList, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import GeneratorType, MappingProxyType
from typing import Any

from toolcall_evals import Score, ToolInvocation, Trajectory
from toolcall_evals._model import KINDS, MOST_COMMENT, STATUSES

MOST_REPR = 4_000
"""Characters of the longest `repr` of a trajectory, a tool invocation or a score."""


class Broken(AssertionError):
    """A law does not hold."""


def expect(law: str, held: Any, found: Any = "") -> None:
    """Hold a law."""
    if not held:
        raise Broken(f"{law}{f': {found}' if found != '' else ''}"[:600])


def digest(value: Any) -> Any:
    """What two looks at a value are compared by: all that is in it, and which objects those are that JSON does not know."""
    try:
        return marshal.dumps(value, 2)
    except ValueError:  # objects of other classes, or nesting without end
        return _seen(value)


def _seen(value: Any) -> list[Any]:
    found: list[Any] = []
    known: set[int] = set()
    waiting: list[Any] = [value]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in (str, bytes, int, bool, type(None)):
            found.append(value)
            continue
        if kind in (float, complex):
            found.append(repr(value))
            continue
        found.append(kind if kind is list or kind is dict else (kind, id(value)))
        if id(value) in known:
            continue
        known.add(id(value))
        if kind is GeneratorType:
            found.append(None if value.gi_frame is None else value.gi_frame.f_lasti)
        elif issubclass(kind, dict):
            _pairs(found, waiting, dict.items(value))
        elif kind in (MappingProxyType, UserDict):
            _pairs(found, waiting, value.items())
        elif issubclass(kind, list):
            waiting.extend(list.__iter__(value))
        elif kind in (tuple, deque, UserList):
            waiting.extend(value)
        elif kind.__name__ == "list_iterator":
            found.append(value.__length_hint__())
        else:
            try:
                fields = object.__getattribute__(value, "__dict__")
            except AttributeError:
                continue
            if type(fields) is dict and kind is not type:
                _pairs(found, waiting, fields.items())
    return found


def _pairs(found: list[Any], waiting: list[Any], items: Any) -> None:
    for key, item in items:
        found.append(key if type(key) is str else (type(key), id(key)))
        waiting.append(item)


def is_sound(run: Any) -> None:
    """A trajectory holds what its fields say, and can be shown in little room."""
    expect("a trajectory comes back", type(run) is Trajectory, type(run))
    expect("input is a text or None", run.input is None or isinstance(run.input, str), type(run.input))
    expect("error is a text or None", run.error is None or isinstance(run.error, str), type(run.error))
    expect("usage is a mapping or None", run.usage is None or isinstance(run.usage, Mapping), type(run.usage))
    expect("texts are texts", type(run.texts) is tuple and all(isinstance(text, str) for text in run.texts), run.texts)
    expect("warnings are texts", type(run.warnings) is tuple and all(isinstance(text, str) for text in run.warnings), run.warnings)
    expect("messages are pairs of texts", all(isinstance(role, str) and isinstance(text, str) for role, text in run.messages))
    for call in run.invocations:
        _is_sound_call(call)


def _is_sound_call(call: Any) -> None:
    expect("an invocation is one", type(call) is ToolInvocation, type(call))
    expect("name is a text", isinstance(call.name, str), type(call.name))
    expect("args are a dict or None", call.args is None or isinstance(call.args, dict), type(call.args))
    expect("status is known", call.status in STATUSES, call.status)
    expect("kind is known", call.kind in KINDS, call.kind)
    expect("turn counts from 0", type(call.turn) is int and call.turn >= 0, call.turn)
    expect("attempts count from 1", type(call.attempts) is int and call.attempts >= 0, call.attempts)
    expect("extra is a mapping", isinstance(call.extra, Mapping), type(call.extra))
    for field in ("raw_args", "id", "result", "error", "agent", "node", "task", "parent_id", "executed_name"):
        value = getattr(call, field)
        expect(f"{field} is a text or None", value is None or isinstance(value, str), type(value))
    expect("executed_args are a dict or None", call.executed_args is None or isinstance(call.executed_args, dict))


def is_bounded(value: Any) -> None:
    """A `repr` of little room."""
    expect("repr is bounded", len(repr(value)) <= MOST_REPR, len(repr(value)))


def is_fair(score: Any, key: str) -> None:
    """A score is in 0..1 or says why there is none, and goes into JSON as it is."""
    expect("a score comes back", type(score) is Score, type(score))
    expect("its key is the evaluator's", score.key == key, score.key)
    expect("a score is in 0..1, or None", score.score is None or 0.0 <= score.score <= 1.0, score.score)
    expect("status goes with the score", (score.score is None) == (score.status != "scored"), score.status)
    expect("there is a comment", isinstance(score.comment, str) and score.comment, score.key)
    expect("the comment is bounded", len(score.comment) <= MOST_COMMENT, len(score.comment))
    excused = any(words in score.comment for words in ("cannot be compared", "Failure", "Wordless"))  # which then is what there is to say
    expect("the explanation does not fail", excused or "explanation failed" not in score.comment, score.comment)
    json.dumps([score.comment, score.details], allow_nan=False)
    score.comment.encode()


class _Loud(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        raise Broken(f"nothing is logged above DEBUG: {record.name} {record.msg}"[:200])


@contextmanager
def silence() -> Iterator[None]:
    """No record of a log above DEBUG inside, of anybody's: what is in a trace may be a secret."""
    root, handler, before = logging.getLogger(), _Loud(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
