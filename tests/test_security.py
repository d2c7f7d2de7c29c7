"""What SECURITY.md says of all sources at once: nothing reaches out, no file is unpickled, no trace is run or logged."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolcall_evals
import toolcall_evals_crewai
import toolcall_evals_langgraph

PACKAGES = [Path(package.__file__).parent for package in (toolcall_evals, toolcall_evals_langgraph, toolcall_evals_crewai)]
SOURCES = {path.relative_to(package.parent).as_posix(): path for package in PACKAGES for path in sorted(package.rglob("*.py"))}
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


def imported(path: Path) -> set[str]:
    found = {alias.name for node in nodes(path) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module or "" for node in nodes(path) if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in found}


def test_no_module_has_a_way_out_of_its_own() -> None:
    outward = {name: sorted(imported(path) & CLIENTS) for name, path in SOURCES.items()}
    found = {name: ways for name, ways in outward.items() if ways}
    assert found == {"toolcall_evals/langsmith.py": ["requests"]}  # for the session that refuses every request


@pytest.mark.parametrize("path", SOURCES.values(), ids=SOURCES)
def test_nothing_is_evaluated_as_code(path: Path) -> None:
    assert [name for name in called(path) if name in RUNS_TEXT] == []


def test_pickles_are_opened_only_where_processes_hand_over_our_own() -> None:
    opening = [name for name, path in SOURCES.items() if {"pickle.load", "pickle.loads", "pickle.Unpickler"} & set(called(path))]
    assert opening == ["toolcall_evals/bulk/_local.py", "toolcall_evals/bulk/_ray.py"]


def test_tracebacks_are_logged_at_debug_alone() -> None:
    assert [path for path in SOURCES.values() if any(name.endswith("logger.exception") for name in called(path))] == []
    for path in SOURCES.values():
        for node in nodes(path):
            if isinstance(node, ast.Call) and any(keyword.arg == "exc_info" for keyword in node.keywords):
                assert ast.unparse(node.func) == "logger.debug", f"{path}:{node.lineno}"
