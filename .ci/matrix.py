"""
Counts a session of the matrix and makes the table of all that were counted.

Run in the session's own environment, whose versions it reads: `python .ci/matrix.py SESSION RESULTS.xml [what pytest was told]`.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "quality" / "matrix.json"
SESSIONS = [
    *[("newest", python) for python in ("3.11", "3.12", "3.13")],
    *[(name, "3.11") for name in ("floors", "crewai 1.11.0", "crewai 1.14.7", "crewai newest", "installed")],
]
SHOWN = ("crewai", "langchain-core", "langgraph", "langsmith", "openai", "pydantic", "jsonschema-rs", "regex")
COLUMNS = ["session", "python", "key versions", "passed", "skipped", "failed", "seconds"]
TEXT = (
    "The whole suite, in an environment of its own for each row. `newest` has today's version of everything, `floors` the oldest "
    "versions that pyproject.toml allows, the rows of crewai what it pins, and `installed` the wheel without the checkout's `src` "
    "and `adapters`. Made by `make matrix`."
)


def version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def counted(name: str, results: Path, told: list[str]) -> dict[str, Any]:
    """What a session came to: its counts, its versions, what failed and why tests were skipped."""
    suite = next(ElementTree.parse(results).iter("testsuite"))
    total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
    cases = list(suite.iter("testcase"))
    broken = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    reasons = [str(node.get("message")) for case in cases for node in case.iter("skipped")]
    return {
        "session": name,
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "versions": {each: found for each in SHOWN if (found := version(each))},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "passed": total - skipped - len(broken),
        "skipped": skipped,
        "failed": len(broken),
        "seconds": round(float(suite.get("time", 0))),
        "told": told,
        "broken": [f"{case.get('classname')}.{case.get('name')}" for case in broken],
        "reasons": dict(Counter(re.sub(r"^.*?: (?=\S)", "", reason) if ".py" in reason else reason for reason in reasons)),
    }


def table(found: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    """The sessions that were counted as one table; what was left out or failed is said in its notes."""
    rows, notes = [], []
    for name, python in SESSIONS:
        one = found.get((name, python))
        if one is None:
            notes.append(f"{name} on Python {python} was not run.")
            continue
        versions = ", ".join(f"{each} {number}" for each, number in one["versions"].items())
        rows.append([name, one["python"], versions, one["passed"], one["skipped"], one["failed"], one["seconds"]])
        title = f"{name} on Python {one['python']}"
        if one["told"]:
            notes.append(f"{title} ran in part: pytest {' '.join(one['told'])}.")
        notes += [f"{title} failed: {each}." for each in one["broken"]]
        if one["reasons"]:
            notes.append(f"{title} skipped: {'; '.join(f'{count} {reason}' for reason, count in sorted(one['reasons'].items()))}.")
    return {
        "title": "Versions",
        "date": max(one["date"] for one in found.values()),
        "versions": {
            "toolcall-evals": version("toolcall-evals"),
            "pytest": version("pytest"),
            "machine": ", ".join(sorted({one["machine"] for one in found.values()})),
        },
        "text": TEXT,
        "columns": COLUMNS,
        "rows": rows,
        "notes": notes,
    }


def main(name: str, results: Path, told: list[str]) -> int:
    one = counted(name, results, told)
    results.with_suffix(".json").write_text(json.dumps(one, indent=1), encoding="utf-8")
    every = [json.loads(path.read_text(encoding="utf-8")) for path in results.parent.glob("*.json")]
    found = {(each["session"], each["python"].rpartition(".")[0]): each for each in every}
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(json.dumps(table(found), indent=2) + "\n", encoding="utf-8")
    return 1 if one["broken"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
