"""Where in a stored row the trace, its id and its reference stand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._convert import describe, to_trajectory
from .._errors import TraceFormatError
from .._model import Trajectory

IDS = ("id", "run_id", "trace_id", "thread_id")
TRACES = ("trace", "trajectory", "run", "outputs", "output")
REFERENCE = "reference_outputs"

_ABSENT: Any = object()


@dataclass(frozen=True, slots=True)
class Fields:
    """
    The fields of a row that matter; dots lead into mappings.

    Attributes:
        trace: The field that holds the trace. None: the whole row is one, or else the first of `TRACES` that is.
        id: The field that holds the row's id. None: the first of `IDS` that is a text or a number.
        reference: The field that holds what is expected. None: `reference_outputs`, where the row has it.
    """

    trace: str | None = None
    id: str | None = None
    reference: str | None = None

    def columns(self, others: Iterable[str] = ()) -> set[str] | None:
        """The columns of a table that matter, these `others` too; None where any may hold the trace."""
        if self.trace is None:
            return None
        asked = [self.trace, self.reference or REFERENCE, *([self.id] if self.id is not None else IDS), *others]
        return {*asked, *[name.partition(".")[0] for name in asked]}

    def id_of(self, row: Any) -> str | None:
        """The row's id as text, or None."""
        if self.id is not None:
            return _as_id(at(row, self.id))
        if type(row) is dict:
            for name in IDS:
                if name in row and (found := _as_id(row[name])) is not None:
                    return found
        return None

    def reference_of(self, row: Any) -> Any:
        """What the row says that was expected, or None."""
        if self.reference is None:
            return decoded(row[REFERENCE]) if type(row) is dict and REFERENCE in row else None
        found = at(row, self.reference)
        return None if found is _ABSENT else decoded(found)

    def trajectory_of(self, row: Any, **reading: Any) -> Trajectory:
        """
        The run that the row holds.

        Raises:
            TraceFormatError: There is none; says what was found.
        """
        if self.trace is not None:
            found = at(row, self.trace)
            if found is _ABSENT:
                raise TraceFormatError(f"expected a trace in the field {self.trace!r}, found {describe(row)}")
            value = decoded(found)
            if isinstance(value, str) and value[:1] in ("{", "["):
                raise TraceFormatError(f"expected JSON in the field {self.trace!r}, found a text that is none: {value[:60]!r}")
            return to_trajectory(value, **reading)
        if type(row) is str:
            row = decoded(row)
        if type(row) is dict and (self.reference or REFERENCE) in row:
            row = {name: value for name, value in row.items() if name != (self.reference or REFERENCE)}
        try:
            return to_trajectory(row, **reading)
        except TraceFormatError:
            for name in TRACES if isinstance(row, Mapping) else ():
                if isinstance(value := decoded(row.get(name)), Mapping | list | str) and value:
                    try:
                        return to_trajectory(value, **reading)
                    except TraceFormatError:
                        continue
            raise


def _as_id(value: Any) -> str | None:
    if type(value) is str:
        return value or None
    return str(value) if type(value) is int else None


def at(row: Any, path: str) -> Any:
    """The value that a dotted path leads to, or `_ABSENT`; a name that has dots itself is found too."""
    if isinstance(row, Mapping):
        if path in row:
            return row[path]
        first, _, rest = path.partition(".")
        if rest and first in row:
            return at(decoded(row[first]), rest)
    return _ABSENT


def is_absent(value: Any) -> bool:
    return value is _ABSENT


def decoded(value: Any) -> Any:
    """A JSON object or array that stands in a row as text, as exports to tables have it; anything else as it is."""
    if type(value) is str and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
