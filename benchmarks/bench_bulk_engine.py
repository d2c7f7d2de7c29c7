"""
What whole runs over files cost: memory that does not grow with the file, and what a second process gains.

    python -m benchmarks.bench_bulk_engine [--bytes 200M] [--rounds 3]

Each run is a process of its own. Ten checks (those of `bench_bulk`), synthetic traces (`make_traces.py`), Parquet out. Targets: a peak
under 300 MB, at most 1.3 times that of a file a tenth as large; two workers at least 1.6 times faster, where two cores are free (the load
is printed).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import make_traces

RUN = """
import json, resource, sys, time
from benchmarks.bench_bulk import PLACE
from toolcall_evals.bulk import Plan, score_files

if __name__ == "__main__":
    path, out, workers, explain = sys.argv[1:]
    begun, used = time.perf_counter(), time.process_time()
    outcome = score_files([path], Plan(PLACE, explain=explain == "1"), out, workers=int(workers))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([outcome.rows, time.perf_counter() - begun, time.process_time() - used, peak]))
"""


def run(path: Path, workers: int, explain: bool) -> tuple[int, float, float, float]:
    """Rows, seconds, seconds of CPU in the first process, and its peak in MB."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"
        script.write_text(RUN)
        command = [sys.executable, str(script), str(path), str(Path(folder) / "out.parquet"), str(workers), str(int(explain))]
        environment = {**os.environ, "PYTHONPATH": os.getcwd()}
        said: Any = json.loads(subprocess.run(command, check=True, capture_output=True, env=environment).stdout)
        return tuple(said)


def main() -> None:
    parser = argparse.ArgumentParser(description="memory and processes")
    parser.add_argument("--bytes", default="200M")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    large, unit = int(options.bytes[:-1]), options.bytes[-1]
    with tempfile.TemporaryDirectory() as folder:
        files = {size: Path(folder) / f"{size}.jsonl" for size in (f"{large // 10}{unit}", options.bytes)}
        for size, path in files.items():
            make_traces.main(["--bytes", size, "-o", str(path)])  # type: ignore[no-untyped-call]  # a script of the standard library alone
        for explain in (False, True):
            peaks = [run(path, 1, explain)[3] for path in files.values()]
            rounds = [(run(files[options.bytes], 1, explain), run(files[options.bytes], 2, explain)) for _ in range(options.rounds)]
            one, two = (min((pair[number] for pair in rounds), key=lambda each: each[1]) for number in (0, 1))
            print(f"{'with' if explain else 'without'} comments and details (load {os.getloadavg()[0]:.1f}):")
            (small, low), (big, high) = zip(files, peaks, strict=True)
            print(f"  peak {low:.0f} MB for {small}, {high:.0f} MB for {big}: {high / low:.2f} times")
            gain = one[1] / two[1]
            print(f"  one process: {one[0] / one[2]:.0f} rows a core-second, {one[1]:.1f} s; two: {two[1]:.1f} s, {gain:.2f} times faster")


if __name__ == "__main__":
    main()
