"""What the pytest plugin costs a suite that does not use it, as a ratio to pytest's own start.

    python benchmarks/bench_plugin.py [ROUNDS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:langsmith_plugin", "-p", "no:asyncio", "-p", "no:xdist", "-p", "no:anyio"]


def cpu_seconds(folder: str, *options: str) -> float:
    """User and system time of one session of one empty test."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, *options]
    before = os.times()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_empty.py").write_text("def test_empty():\n    pass\n", encoding="utf-8")
        pairs = [(cpu_seconds(folder), cpu_seconds(folder, "-p", "no:toolcall_evals")) for _ in range(rounds)]
    with_plugin, without = min(each for each, _ in pairs), min(each for _, each in pairs)
    program = "import time, pytest; t = time.process_time(); import toolcall_evals.pytest_plugin; print(time.process_time() - t)"
    imports = [float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout) for _ in range(rounds)]
    print(f"pytest alone {without * 1000:.0f} ms, with the plugin {with_plugin * 1000:.0f} ms: ratio {with_plugin / without:.3f}")
    print(f"importing the plugin {min(imports) * 1000:.2f} ms, {min(imports) / without:.4f} of pytest's start")


if __name__ == "__main__":
    started = time.perf_counter()
    main(int(sys.argv[1]) if sys.argv[1:] else 10)
    print(f"{time.perf_counter() - started:.0f} s")
