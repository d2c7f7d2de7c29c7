"""What the pytest plugin costs a suite that does not use it, as a ratio to pytest's own start.

    python benchmarks/bench_plugin.py [ROUNDS]

CPU time of whole sessions with every other plugin blocked, by turns with this one and without it, so that both meet the same load. The
exit code is 1 where importing the plugin takes more than 5 ms, or both the median and the least session show such a difference: sessions
on a busy machine differ by more than that of themselves.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

LIMIT_MS = 5.0
OURS = "toolcall_evals"
BLOCKED = [option for each in entry_points(group="pytest11") if each.name != OURS for option in ("-p", f"no:{each.name}")]
IMPORT = "import time, pytest; t = time.process_time(); import toolcall_evals.pytest_plugin; print(1000 * (time.process_time() - t))"


def session_ms(folder: str, *options: str) -> float:
    """User and system time of one session of one empty test."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *BLOCKED, *options]
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def import_ms() -> float:
    """CPU time of importing the plugin where pytest is there already."""
    return float(subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True).stdout)


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_empty.py").write_text("def test_empty():\n    pass\n", encoding="utf-8")
        ways = {"with": [], "without": ["-p", f"no:{OURS}"]}
        session_ms(folder, *ways["with"])  # compiles what is not compiled yet
        times: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(rounds):
            for name in sorted(ways, reverse=bool(number % 2)):
                times[name].append(session_ms(folder, *ways[name]))
    alone, plugin = statistics.median(times["without"]), min(import_ms() for _ in range(rounds))
    least = min(times["with"]) - min(times["without"])
    median = statistics.median([one - other for one, other in zip(times["with"], times["without"], strict=True)])
    print(f"pytest alone {alone:.0f} ms; with the plugin {median:+.1f} ms by the median of {rounds} rounds, {least:+.1f} ms by the least")
    print(f"ratio to pytest's own start {(alone + median) / alone:.3f}")
    print(f"importing the plugin {plugin:.2f} ms, {plugin / alone:.4f} of pytest's start; the limit is {LIMIT_MS:g} ms")
    return int(max(plugin, min(median, least)) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 15))
