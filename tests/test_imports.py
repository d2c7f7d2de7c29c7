"""Who may import whom inside the package, and what importing it loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolcall_evals

SOURCE = Path(toolcall_evals.__file__).parent
PARTS = ("messages", "expect", "matching", "checks", "scorers", "judge", "report")
MAY_USE = {
    "core": {"core"},
    "messages": {"core", "messages"},
    "matching": {"core", "matching"},
    "expect": {"core", "matching", "expect"},
    "checks": {"core", "matching", "expect", "checks"},
    "scorers": {"core", "matching", "expect", "judge", "scorers"},
    "judge": {"core", "matching", "expect", "messages", "judge"},
}
"""The parts that each part imports; what is not named here (the faces) may import all of them."""

OF_FACES = {"_repeat.py", "_report.py", "_tally.py"}
"""Private modules that are part of a face."""

AT_USE = {"_available.py": {"messages"}, "_convert.py": {"messages"}, "_stored.py": {"messages"}}
"""What a module of the core imports only when it is used."""


def part_of(names: list[str]) -> str:
    """The part that a module belongs to: a package, the core (private modules), or a face."""
    return names[0] if names[0] in PARTS else "core" if names[0].startswith("_") else "faces"


def imported(path: Path) -> Iterator[str]:
    """The part of each relative import of a module."""
    package = list(path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            for alias in node.names:
                yield part_of([*base, alias.name])


MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    part = part_of(list(path.relative_to(SOURCE).parts))
    if part in MAY_USE and path.name not in OF_FACES:
        assert set(imported(path)) - AT_USE.get(path.name, set()) <= MAY_USE[part]


@pytest.mark.parametrize("name", ["_model.py", "_errors.py", "_json.py", "_represented.py"])
def test_the_model_stands_on_nothing_of_ours(name: str) -> None:
    tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
    used = {node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.level}
    assert used <= {"_json", "_errors", "_represented"}


def test_no_module_of_ours_is_imported_by_its_full_name() -> None:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not [name for name in names if name.split(".")[0] == "toolcall_evals"], path


HEAVY = (
    "asyncio",
    "difflib",
    "importlib.metadata",
    "multiprocessing",
    "numpy",
    "pydantic",
    "regex",
    "toolcall_evals_crewai",
    "toolcall_evals_langgraph",
)


def loaded_by(code: str, tmp_path: Path) -> set[str]:
    """What a fresh interpreter has loaded after the code, beyond what it had before."""
    program = f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_by("from toolcall_evals import Evaluator, Trajectory, checks, scorers, to_trajectory", tmp_path)
    assert "toolcall_evals._evaluator" in loaded
    assert not loaded & set(HEAVY)


def test_building_a_check_loads_neither_langsmith_nor_an_adapter(tmp_path: Path) -> None:
    loaded = loaded_by("from toolcall_evals import checks; checks.matches('x'); checks.called_tool('x').score(5)", tmp_path)
    assert {"regex", "toolcall_evals_crewai", "toolcall_evals_langgraph"} <= loaded  # the adapters at the first conversion
    assert not {name.split(".")[0] for name in loaded} & {"langsmith", "langchain_core", "langgraph", "crewai", "openai", "pydantic"}
    alone = loaded_by("from toolcall_evals import checks, Trajectory; checks.called_tool('x').score(Trajectory())", tmp_path)
    assert not alone & set(HEAVY)
