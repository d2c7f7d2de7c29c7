"""Targets driven by atheris: choices are read from bytes, and bytes that reach new code are kept and varied further.

A program of its own, since libFuzzer ends the process: `python -m tests.fuzz.coverage TARGET EXECUTIONS SECONDS REPORT`.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import atheris

EVERY_S = 1.0
"""Seconds between two writings of the report."""

TIMEOUT_S = 3_600
"""Seconds of wall clock; 0 does not mean none to atheris 3.0, which then ends at an execution of a second. `loop.HANG_S` tells a hang."""

LONGEST = 160
"""Bytes of the longest input: as many choices."""

PACKAGES = ["toolcall_evals", "toolcall_evals_langgraph", "toolcall_evals_crewai"]


def main() -> None:
    """Fuzz one target, and leave what was found in the report."""
    name, executions, seconds, report = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    folder = tempfile.mkdtemp()
    with atheris.instrument_imports(include=PACKAGES):
        from . import laws
        from .choices import Drawn, Read
        from .loop import Findings, guarded, watch
        from .targets import named

        (target,) = named([name], folder)
        for seed in range(200):  # what is imported late is imported here
            guarded(target, Drawn(seed), Findings(), seed)
    findings, began = Findings(), time.perf_counter()

    def one_input(data: bytes) -> None:
        guarded(target, Read(data), findings, data.hex())
        seconds = time.perf_counter() - began
        if seconds - findings.seconds > EVERY_S or findings.executions == executions:
            findings.seconds = seconds
            report.write_text(json.dumps(asdict(findings)), encoding="utf-8")

    watch()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
    options = [f"-runs={executions}", f"-max_total_time={seconds}", f"-timeout={TIMEOUT_S}"]
    options += [f"-max_len={LONGEST}", "-len_control=0", "-verbosity=0"]
    with laws.silence():
        atheris.Setup([sys.argv[0], *options], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
