"""What SECURITY.md says of all sources at once: nothing reaches out, no file is unpickled, no trace is run or logged."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for folder in ("src", "adapters") for path in (ROOT / folder).rglob("*.py"))
CLIENTS = {
    "aiohttp",
    "ftplib",
    "http",
    "httpx",
    "requests",
    "smtplib",
    "socket",
    "subprocess",
    "telnetlib",
    "urllib",
    "urllib3",
    "websockets",
}
"""What opens a connection or starts a program."""

RUNS_TEXT = {"eval", "exec", "os.system", "os.popen", "yaml.load", "yaml.unsafe_load", "marshal.loads", "shelve.open"}


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def called(path: Path) -> list[str]:
    return [ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)]


def names(places: Iterator[Path] | list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in places]


def imported(path: Path) -> set[str]:
    found = {alias.name for node in nodes(path) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module or "" for node in nodes(path) if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in found}


def test_no_module_has_a_way_out_of_its_own() -> None:
    outward = {path: imported(path) & CLIENTS for path in SOURCES}
    found = [(path.relative_to(ROOT).as_posix(), sorted(ways)) for path, ways in outward.items() if ways]
    assert found == [("src/toolcall_evals/langsmith.py", ["requests"])]  # for the session that refuses every request


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_nothing_is_evaluated_as_code(path: Path) -> None:
    assert [name for name in called(path) if name in RUNS_TEXT] == []


def test_pickles_are_opened_only_where_processes_hand_over_our_own() -> None:
    opening = [path for path in SOURCES if {"pickle.load", "pickle.loads", "pickle.Unpickler"} & set(called(path))]
    assert names(opening) == ["src/toolcall_evals/bulk/_local.py", "src/toolcall_evals/bulk/_ray.py"]


def test_tracebacks_are_logged_at_debug_alone() -> None:
    assert [path for path in SOURCES if any(name.endswith("logger.exception") for name in called(path))] == []
    for path in SOURCES:
        for node in nodes(path):
            if isinstance(node, ast.Call) and any(keyword.arg == "exc_info" for keyword in node.keywords):
                assert ast.unparse(node.func) == "logger.debug", f"{path}:{node.lineno}"
