"""Targets driven by hypothesis, which shrinks what it finds."""

from __future__ import annotations

import time

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from . import laws
from .loop import Findings
from .targets import Target


class Chosen:
    """Decisions that hypothesis draws."""

    __slots__ = ("_data",)

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def below(self, count: int) -> int:
        return self._data.draw(st.integers(0, count - 1)) if count > 1 else 0


def examples(target: Target, count: int) -> Findings:
    """Run a target on examples that are new each time; the first fault ends it, shrunk."""
    findings = Findings()

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        findings.executions += 1
        target.run(Chosen(data))

    began = time.perf_counter()
    with laws.silence():
        try:
            run()
        except Exception as error:  # noqa: BLE001 - whatever comes out of a target is a fault
            findings.add(error, "as hypothesis says")
    findings.seconds = time.perf_counter() - began
    return findings
