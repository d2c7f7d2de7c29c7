"""A trajectory as JSON, and back: the form in which runs are kept beside a test or sent between programs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ._errors import TraceFormatError
from ._json import json_ready
from ._model import Trajectory
from ._represented import is_default

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MARK = "toolcall_evals"
"""The key by which a stored trajectory is recognised; its value is the version of the form."""

VERSION = 1


def stored(trajectory: Trajectory) -> dict[str, Any]:
    """
    A trajectory as a mapping that any JSON writer takes; fields at their defaults are left out.

    Values that JSON does not know (a result object, say) are kept as their `repr`.
    """
    kept = _fields(trajectory)
    for name in ("invocations", "available_tools", "turns"):
        if name in kept:
            kept[name] = [_fields(item) for item in kept[name]]
    return {MARK: VERSION, **json_ready(kept)}


def _fields(value: Any) -> dict[str, Any]:
    """The fields that are not at their defaults. Not by pydantic, which would run through a generator that is a tool's result."""
    return {each.name: found for each in fields(value) if not is_default(found := getattr(value, each.name), each)}


def kept_in(raw: Any) -> Trajectory | None:
    """
    The trajectory in what `stored` made, or in the outputs of a LangSmith run whose target returned one, stored or live.

    None for anything else.

    Raises:
        TraceFormatError: It was stored, and cannot be read.
    """
    if isinstance(raw, Mapping) and MARK in raw:
        return restored(raw)
    outputs = raw.get("outputs", raw) if isinstance(raw, Mapping) else getattr(raw, "outputs", None)
    if not isinstance(outputs, Mapping):
        return None
    if MARK in outputs:
        return restored(outputs)
    live = outputs.get("output")  # where LangSmith puts what is no mapping
    return live if isinstance(live, Trajectory) else None


def restored(raw: Mapping[str, Any]) -> Trajectory:
    """
    The trajectory that was stored.

    Raises:
        TraceFormatError: Another version, or fields that do not fit; names the first of them.
    """
    from pydantic import ValidationError

    # made ready for JSON again, since pydantic takes whatever can be run through for a tuple, and would use a generator up
    if raw[MARK] != VERSION:
        raise TraceFormatError(f"expected a stored trajectory of version {VERSION}, found {raw[MARK]!r}; update toolcall-evals")
    try:
        run = _adapter().validate_python(json_ready({name: value for name, value in raw.items() if name != MARK}))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise TraceFormatError(f"expected a stored trajectory, found a bad value at {place}: {first['msg']}") from error
    for at, call in enumerate(run.invocations):
        for name in ("turn", "attempts"):
            if (count := getattr(call, name)) < 0:
                raise TraceFormatError(f"expected a stored trajectory, found a bad value at invocations.{at}.{name}: {count} is below 0")
    return run


@functools.cache
def _adapter() -> TypeAdapter[Trajectory]:
    from pydantic import TypeAdapter

    return TypeAdapter(Trajectory)
