"""LangSmith calls every evaluator of a row with the same run: it is read once."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from ._convert import to_trajectory
from ._errors import TraceFormatError
from ._model import Trajectory

KEPT = 32
"""Runs whose reading is kept while they live; `aevaluate` interleaves as many rows as it has in flight."""

_lock = threading.Lock()
_readings: dict[int, tuple[weakref.ref[Any], tuple[Any, ...], Trajectory | TraceFormatError]] = {}


def read_run(run: Any, inputs: Any) -> Trajectory:
    """
    The reading of a run, made again when the run is another object or has changed since.

    Raises:
        TraceFormatError: As `to_trajectory`.
    """
    stamp = _stamp(run, inputs)
    kept = _readings.get(id(run))
    if kept is not None and kept[0]() is run and _same(kept[1], stamp):
        return _given(kept[2])
    reading: Trajectory | TraceFormatError
    try:
        reading = to_trajectory(run, inputs=inputs)
    except TraceFormatError as error:
        reading = error.with_traceback(None)
    _keep(run, stamp, reading)
    return _given(reading)


def _given(reading: Trajectory | TraceFormatError) -> Trajectory:
    if isinstance(reading, TraceFormatError):
        raise TraceFormatError(*reading.args)
    return reading


def _keep(run: Any, stamp: tuple[Any, ...], reading: Trajectory | TraceFormatError) -> None:
    place = id(run)
    try:
        reference = weakref.ref(run, lambda _: _readings.pop(place, None))
    except TypeError:  # a mapping, say: it is read anew each time
        return
    with _lock:
        while len(_readings) >= KEPT:
            _readings.pop(next(iter(_readings)))
        _readings[place] = (reference, stamp, reading)


def _stamp(run: Any, inputs: Any) -> tuple[Any, ...]:
    """What tells that a run has changed since: cheap, and as much as evaluators and tracers usually change."""
    outputs = getattr(run, "outputs", None)
    values = list(outputs.values()) if type(outputs) is dict else []
    sizes = [len(value) if type(value) in (list, dict) else -1 for value in values]
    return outputs, inputs, values, sizes, len(getattr(run, "child_runs", None) or ()), getattr(run, "error", None)


def _same(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    if before[0] is not now[0] or before[1] is not now[1] or before[3:] != now[3:]:
        return False
    return all(old is new for old, new in zip(before[2], now[2], strict=True))
