"""
Tries mutants of matching, checks and the message parsers against the tests that run their lines: `make mutation`.

`python -m tests.quality.mutation [--per-file N] [NAME ...]`: of each file N mutants, evenly spread; NAMES are parts of paths. What was
found before is kept in build/mutation.json while the file stays as it is.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from tests.quality.figures import ROOT
from tests.quality.mutants import Mutant, mutant_of, number_of_mutants, put_in

FOLDERS = ("matching", "messages", "checks")
TESTS = ("tests/matching", "tests/messages", "tests/checks", "tests/scorers")
OPTIONS = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=few", "--tb=no", "--no-header")
FORKED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""In a forked process plugins are imported before pytest can rewrite them."""
SLOW = "not thousand and not seconds and not threads_may_share and not client"
"""Tests that a fault in one line cannot be found by more cheaply than by others: they are left out."""
MOST_SECONDS = 3.0
"""Of the tests that run a line, the quickest ones up to so many seconds are tried."""
FIRST_FILES = 2
"""So many files of tests, those that run the line most often, are tried first: most mutants end there."""
MOST_CPU_S = 8
"""Beyond which a mutant is one that never ends."""
FOUND = ROOT / "build" / "mutation.json"
LINES = ROOT / "build" / "mutation_tests.json"


def files() -> list[str]:
    return [str(path.relative_to(ROOT)) for folder in FOLDERS for path in sorted((ROOT / "src/toolcall_evals" / folder).glob("*.py"))]


def record_tests() -> None:
    """Which tests run which line, and how long each takes; into `LINES`."""
    import coverage
    import pytest

    measured = coverage.Coverage(data_file=None, config_file=False, source=[str(ROOT / "src/toolcall_evals" / each) for each in FOLDERS])
    seconds: dict[str, float] = {}

    class Recorder:
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item: Any) -> Any:
            measured.switch_context(item.nodeid)
            began = time.process_time()
            result = yield
            seconds[item.nodeid] = time.process_time() - began
            measured.switch_context("")
            return result

    measured.start()
    code = pytest.main([*OPTIONS, "-k", SLOW, *TESTS], plugins=[Recorder()])
    measured.stop()
    if code != 0:
        sys.exit(f"the tests do not pass without a mutant: {code}")
    data = measured.get_data()
    lines = {
        str(Path(path).relative_to(ROOT)): {line: sorted(set(names) - {""}) for line, names in data.contexts_by_lineno(path).items()}
        for path in data.measured_files()
    }
    LINES.write_text(json.dumps({"seconds": seconds, "lines": lines}), encoding="utf-8")


def quickest(tests: list[str], seconds: dict[str, float]) -> list[str]:
    """The quickest tests, up to `MOST_SECONDS` of them."""
    chosen, left = [], MOST_SECONDS
    for test in sorted(tests, key=lambda test: seconds[test]):
        left -= seconds[test]
        if left < 0 and chosen:
            break
        chosen.append(test)
    return chosen


def module_of(path: str) -> str:
    """`src/toolcall_evals/checks/_read.py` is `toolcall_evals.checks._read`."""
    return ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")


class Only:
    """Runs some tests of what is collected, in the order given: quicker than to name each to pytest."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid])


def outcome(mutant: Mutant | None, tests: list[str]) -> str:
    """`killed`, `survived`, `timeout` or `not run`, tried in a process of its own; without a mutant the tests must pass."""
    if not tests:
        return "not run"
    child = os.fork()
    if child == 0:
        code = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S + 5))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            if mutant is not None and not put_in(importlib.import_module(module_of(mutant.path)), mutant):
                os._exit(71)
            import pytest

            code = int(pytest.main([*OPTIONS, *FORKED, *sorted({test.partition("::")[0] for test in tests})], plugins=[Only(tests)]))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) == signal.SIGXCPU else "killed"
    return {0: "survived", 71: "out of reach"}.get(os.waitstatus_to_exitcode(status), "killed")


def sample(whole: int, count: int) -> list[int]:
    """So many numbers of a file's mutants, evenly spread."""
    return [(2 * number + 1) * whole // (2 * count) for number in range(count)] if whole > count else list(range(whole))


def is_recorded() -> bool:
    """Whether what tests run which line is known since the last change of any."""
    last = LINES.stat().st_mtime if LINES.is_file() else 0.0
    return all(path.stat().st_mtime < last for folder in (*TESTS, "src") for path in (ROOT / folder).rglob("*.py"))


def main() -> None:
    """Try the sample, file by file; what is found is written after each file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-file", type=int, default=10)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    os.chdir(ROOT)
    FOUND.parent.mkdir(exist_ok=True)
    if not is_recorded():
        subprocess.run([sys.executable, "-c", "from tests.quality.mutation import record_tests; record_tests()"], check=True)
    recorded = json.loads(LINES.read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.is_file() else {}
    for each in ("hypothesis", "regex", "toolcall_evals.checks", "toolcall_evals.scorers", "toolcall_evals.expect"):
        importlib.import_module(each)  # once for all mutants, as pytest's plugins are
    for point in entry_points(group="pytest11"):
        point.load()
    for path in files():
        source = Path(path).read_text(encoding="utf-8")
        digest = hashlib.sha256(source.encode()).hexdigest()[:12]
        whole = number_of_mutants(source)
        known = found.get(path, {})
        tried = known.get("tried", {}) if known.get("source") == digest else {}
        found[path] = {"source": digest, "mutants": whole, "tried": tried}
        if asked.names and not any(name in path for name in asked.names):
            continue
        lines = recorded["lines"].get(path, {})
        every = sorted({test for names in lines.values() for test in names})
        if every and outcome(None, quickest(every, recorded["seconds"])) != "survived":
            sys.exit(f"the tests of {path} do not pass without a mutant")
        for mutant in [mutant_of(path, source, number) for number in sample(whole, asked.per_file)]:
            if mutant is None:
                continue
            name = f"{mutant.function}:{mutant.line}: {mutant.before} -> {mutant.after}"
            if tried.get(name, "survived") in ("survived", "not run"):
                tests = quickest(lines.get(str(mutant.line), []), recorded["seconds"])
                first = {file for file, _ in Counter(test.partition("::")[0] for test in tests).most_common(FIRST_FILES)}
                tried[name] = outcome(mutant, [test for test in tests if test.partition("::")[0] in first])
                if tried[name] == "survived":
                    tried[name] = outcome(mutant, tests)
        FOUND.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
