"""
Counts a session of the version matrix, and makes one table of all that were counted.

Run in the session's own environment, whose versions it reads: `python -m tests.quality.matrix_table SESSION RESULTS.xml [what pytest was
told]`. What a session came to stays beside its results, so that sessions may run on different days.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from xml.etree import ElementTree

from tests.quality import page
from tests.quality.figures import Figures, today, versions

SESSIONS = [
    *[("newest", python) for python in ("3.11", "3.12", "3.13")],
    *[(name, "3.11") for name in ("floors", "crewai 1.11.0", "crewai 1.14.7", "crewai newest", "installed")],
]
"""The rows and their order, as noxfile.py names them."""
SHOWN = ("crewai", "langchain-core", "langgraph", "langsmith", "openai", "pydantic", "jsonschema-rs", "typer", "pytest")
COLUMNS = ["session", "python", "key versions", "passed", "skipped", "failed", "seconds"]
TEXT = (
    "The whole suite, in an environment of its own for each row: `newest` has today's version of everything, `floors` the oldest versions "
    "that pyproject.toml allows, the rows of crewai what it pins, and `installed` the wheel, without the checkout's `src` and `adapters`."
)


@dataclass(frozen=True, kw_only=True)
class Session:
    """What one session came to."""

    name: str
    date: str
    python: str
    versions: dict[str, str]
    machine: str
    seconds: int
    passed: int
    skipped: dict[str, int] = field(default_factory=dict)
    """How many tests were skipped, by reason."""
    failed: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What pytest was told: with anything here, the session did not run the whole suite."""

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.python.rpartition(".")[0]


def counted(name: str, results: Path, told: list[str]) -> Session:
    """What the results of pytest (`--junitxml`) say, with the versions of this environment."""
    suite = next(ElementTree.parse(results).iter("testsuite"))
    cases = list(suite.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = Counter(str(node.get("message")) for case in cases for node in case.iter("skipped"))
    return Session(
        name=name,
        date=today(),
        python=platform.python_version(),
        versions={each: number for each in SHOWN if (number := _version(each))},
        machine=f"{platform.system()} {platform.machine()} with {os.cpu_count()} processors",
        seconds=round(float(suite.get("time", 0))),
        passed=len(cases) - len(failed) - skipped.total(),
        skipped=dict(sorted(skipped.items())),
        failed=[f"{case.get('classname')}.{case.get('name')}" for case in failed],
        told=told,
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def table(sessions: list[Session]) -> Figures:
    """A row a session; its notes say what failed, what was skipped and why, and what was not run."""
    found = {session.key: session for session in sessions}
    ran = [found[key] for key in SESSIONS if key in found]
    notes = [f"{name} on Python {python} was not run." for name, python in SESSIONS if (name, python) not in found]
    for session in ran:
        title = f"{session.name} on Python {session.key[1]}"
        if session.told:
            notes.append(f"{title} ran in part: `pytest {' '.join(session.told)}`.")
        notes += [f"{title} failed: `{each}`." for each in session.failed]
        if session.skipped:
            notes.append(f"{title} skipped {', '.join(f'{count}: {reason}' for reason, count in session.skipped.items())}.")
    return Figures(
        title="Versions",
        date=max(session.date for session in ran),
        versions={**versions("toolcall-evals"), "machine": ", ".join(sorted({session.machine for session in ran}))},
        text=TEXT,
        columns=COLUMNS,
        rows=[_row(session) for session in ran],
        notes=notes,
    )


def _row(session: Session) -> list[str | int]:
    numbers = ", ".join(f"{name} {number}" for name, number in session.versions.items())
    counts = [session.passed, sum(session.skipped.values()), len(session.failed), session.seconds]
    return [session.name, session.python, numbers, *counts]


def main(name: str, results: Path, told: list[str]) -> int:
    session = counted(name, results, told)
    results.with_suffix(".json").write_text(json.dumps(asdict(session), indent=1), encoding="utf-8")
    table([Session(**json.loads(path.read_text(encoding="utf-8"))) for path in results.parent.glob("*.json")]).write("matrix")
    page.write()  # which the sessions that follow hold against the figures
    return 1 if session.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
