"""A trajectory as JSON, and back: the form in which runs are kept beside a test or sent between programs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import TraceFormatError
from ._json import json_ready
from ._model import Trajectory

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
    return {MARK: VERSION, **json_ready(_adapter().dump_python(trajectory, exclude_defaults=True))}


def stored_in(raw: Any) -> Mapping[str, Any] | None:
    """What `stored` made: itself, or the outputs of a LangSmith run whose target returned it; None for anything else."""
    if isinstance(raw, Mapping):
        if MARK in raw:
            return raw
        outputs = raw.get("outputs")
    else:
        outputs = getattr(raw, "outputs", None)
    return outputs if isinstance(outputs, Mapping) and MARK in outputs else None


def restored(raw: Mapping[str, Any]) -> Trajectory:
    """
    The trajectory that was stored.

    Raises:
        TraceFormatError: Another version, or fields that do not fit; names the first of them.
    """
    from pydantic import ValidationError

    if raw[MARK] != VERSION:
        raise TraceFormatError(f"expected a stored trajectory of version {VERSION}, found {raw[MARK]!r}; update toolcall-evals")
    try:
        return _adapter().validate_python({name: value for name, value in raw.items() if name != MARK})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise TraceFormatError(f"expected a stored trajectory, found a bad value at {place}: {first['msg']}") from error


@functools.cache
def _adapter() -> TypeAdapter[Trajectory]:
    from pydantic import TypeAdapter

    return TypeAdapter(Trajectory)
