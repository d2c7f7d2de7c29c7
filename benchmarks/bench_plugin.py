"""What the pytest plugin costs a suite that does not use it, as a ratio to pytest's own start.

    python benchmarks/bench_plugin.py [ROUNDS]

CPU time inside sessions of one empty test, every other plugin blocked: loading and registering the plugin, against the rest of the session.
(Whole sessions with and without it differ by more than that of themselves.) By turns as usual, and where Python may not keep what it
compiles, so that pytest rewrites the plugin's file each time. The exit code is 1 where a median is above 5 ms.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_MS = 5.0

SESSION = """
import time
from importlib.metadata import EntryPoint, entry_points
import pytest

spent = 0.0

def timed(owner, name, is_ours):
    wrapped = getattr(owner, name)
    def call(self, *args, **kwargs):
        global spent
        began = time.process_time()
        try:
            return wrapped(self, *args, **kwargs)
        finally:
            spent += (time.process_time() - began) * is_ours(self, *args)
    setattr(owner, name, call)

timed(EntryPoint, "load", lambda point: point.name == "toolcall_evals")
timed(pytest.PytestPluginManager, "register", lambda manager, plugin, name=None: name == "toolcall_evals")
blocked = [option for each in entry_points(group="pytest11") if each.name != "toolcall_evals" for option in ("-p", f"no:{each.name}")]
assert pytest.main(["-q", "-p", "no:cacheprovider", *blocked]) == 0 and spent
print(1000 * spent, 1000 * time.process_time())
"""


def session_ms(folder: str, environment: dict[str, str]) -> tuple[float, float]:
    """CPU time of the plugin's start and of the whole session."""
    command = [sys.executable, "-c", SESSION]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, check=True, capture_output=True, text=True)
    plugin, session = done.stdout.splitlines()[-1].split()
    return float(plugin), float(session)


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_empty.py").write_text("def test_empty():\n    pass\n", encoding="utf-8")
        compiled = {"PYTHONPYCACHEPREFIX": str(Path(folder, "compiled")), "PYTHONDONTWRITEBYTECODE": ""}
        ways = {"as usual": compiled, "without compiled files": {"PYTHONDONTWRITEBYTECODE": "1"}}
        session_ms(folder, compiled)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, environment in ways.items():
                times[name].append(session_ms(folder, environment))
    worst = 0.0
    for name, pairs in times.items():
        plugin = statistics.median([each for each, _ in pairs])
        ratio = statistics.median([each / (session - each) for each, session in pairs])
        print(f"{name}: the plugin {plugin:.2f} ms, {ratio:.4f} of pytest's own start; median of {rounds}, limit {LIMIT_MS:g} ms")
        worst = max(worst, plugin)
    return int(worst > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 15))
