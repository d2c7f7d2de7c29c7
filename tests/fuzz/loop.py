"""The plain mutation loop: a seeded generator makes the choices; each kind of fault is kept once, and the loop goes on."""

from __future__ import annotations

import gc
import signal
import time
import traceback
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from . import laws
from .choices import Choices, Drawn
from .targets import Target

HANG_S = 4.0
"""Seconds of processor time after which one execution is taken for one that does not end."""


class Hang(BaseException):
    """An execution takes far longer than its input explains."""


@dataclass
class Findings:
    """What came of many executions: how many there were, how long they took, and one example of each kind of fault."""

    executions: int = 0
    seconds: float = 0.0
    faults: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, error: BaseException, example: Any) -> None:
        """Note a fault under its kind: what was raised, and where."""
        place = kind_of(error)
        kept = self.faults.setdefault(place, {"count": 0, "example": example, "text": _words(error)})
        kept["count"] += 1


def kind_of(error: BaseException) -> str:
    """What tells faults apart: the law or the exception, and the last place in the package or in this folder."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "toolcall_evals" in f.filename or "tests/fuzz" in f.filename]
    ours = [f for f in frames if "toolcall_evals" in f.filename and "tests/fuzz" not in f.filename]
    at = (ours or frames or [None])[-1]
    where = f"{at.filename.rpartition('/')[2]}:{at.lineno}" if at is not None else "?"
    what = _words(error).partition(":")[0] if isinstance(error, laws.Broken) else type(error).__name__
    return f"{what} @ {where}"


def _words(error: BaseException) -> str:
    try:
        return str(error)[:400]
    except Exception:  # noqa: BLE001 - hostile objects raise exceptions without words
        return "(no words)"


def guarded(target: Target, choices: Choices, findings: Findings, example: Any) -> None:
    """One execution; a fault is noted."""
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_S)
    try:
        target.run(choices)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        findings.add(error, example)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    findings.executions += 1


def watch() -> None:
    """Let an execution that does not end be a `Hang`."""

    def raised(number: int, frame: FrameType | None) -> None:
        raise Hang(f"more than {HANG_S} s of processor time")

    signal.signal(signal.SIGVTALRM, raised)


def loop(target: Target, executions: int, first: int = 0, most_s: float = 1e9) -> Findings:
    """Run a target many times, from the generator's seed `first` on."""
    findings = Findings()
    watch()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
    began = time.perf_counter()
    with laws.silence():
        for seed in range(first, first + executions):
            guarded(target, Drawn(seed), findings, seed)
            if seed % 500 == 0 and time.perf_counter() - began > most_s:
                break
    findings.seconds = time.perf_counter() - began
    return findings
