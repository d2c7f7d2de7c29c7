"""LangSmith calls every evaluator of a row with the same run: it is read once."""

from __future__ import annotations

import threading
from typing import Any

from ._convert import to_trajectory
from ._model import Trajectory

KEPT = 32
"""Runs whose reading is kept; `aevaluate` interleaves as many rows as it has in flight."""

_lock = threading.Lock()
_readings: dict[int, tuple[Any, Any, Trajectory]] = {}


def read_run(run: Any, inputs: Any) -> Trajectory:
    """The reading of a run, made again when the run is another object or has changed since."""
    stamp = _stamp(run, inputs)
    kept = _readings.get(id(run))
    if kept is not None and kept[0] is run and kept[1] == stamp:
        return kept[2]
    trajectory = to_trajectory(run, inputs=inputs)
    with _lock:
        while len(_readings) >= KEPT:
            _readings.pop(next(iter(_readings)))
        _readings[id(run)] = (run, stamp, trajectory)
    return trajectory


def _stamp(run: Any, inputs: Any) -> tuple[Any, ...]:
    """What tells that a run has changed: cheap, and as much as a program usually changes."""
    outputs = getattr(run, "outputs", None)
    return id(outputs), len(outputs or ()), len(getattr(run, "child_runs", None) or ()), getattr(run, "error", None), id(inputs)
