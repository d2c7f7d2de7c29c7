"""What is shipped, and the rule of who may import whom."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolcall_evals
import toolcall_evals.messages
import toolcall_evals_crewai
import toolcall_evals_langgraph

ROOT = Path(__file__).parents[1]
PACKAGE, *OTHERS = [Path(str(module.__file__)).parent for module in (toolcall_evals, toolcall_evals_langgraph, toolcall_evals_crewai)]
"""Where they are imported from: the checkout, or the environment that the wheel was installed into."""
SOURCES = sorted(PACKAGE.rglob("*.py"))
ADAPTERS = sorted(path for package in OTHERS for path in package.rglob("*.py"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FRAMEWORKS = {"openai", "langsmith", "langchain", "langchain_core", "langgraph", "crewai", "pytest", "ray", "rich", "requests"}
REQUIRED = {"pydantic", "pydantic_core", "typing_extensions", "regex"}  # pydantic itself requires the two that follow it
CLI = {"jinja2", "markupsafe", "orjson", "pyarrow", "rich", "typer", "zstandard"}
EXTRAS = {"pytest_plugin.py": {"pytest"}, "bulk": CLI, "cli": CLI, "report": CLI}
"""What the faces may import beyond that: nothing of the core imports them."""
FACES = {"cli", "pytest_plugin", "testing"}
INNER = {"checks", "scorers", "expect", "matching", "messages"}


def name_of(path: Path) -> str:
    return next(str(path.relative_to(package.parent)) for package in (PACKAGE, *OTHERS) if path.is_relative_to(package))


def imports(path: Path, *, only_at_import: bool) -> Iterator[tuple[str, str]]:
    """(module, name) of every import; `only_at_import` leaves out those of functions and of type checking."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if only_at_import:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                waiting += node.orelse
                continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (("." * node.level + (node.module or ""), alias.name) for alias in node.names)
        waiting += ast.iter_child_nodes(node)


def roots(path: Path, *, only_at_import: bool) -> set[str]:
    """The top-level packages that are imported and are neither of the standard library nor relative."""
    found = {module.split(".")[0] for module, _ in imports(path, only_at_import=only_at_import) if not module.startswith(".")}
    return found - set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_importing_a_module_of_ours_needs_only_pydantic_and_regex(path: Path) -> None:
    place = path.relative_to(PACKAGE).parts[0]
    assert roots(path, only_at_import=True) <= REQUIRED | EXTRAS.get(place, set())


@pytest.mark.parametrize("path", [path for path in SOURCES if path.parent.name in INNER and not path.stem.endswith("_llm")], ids=name_of)
def test_checks_scorers_and_wire_formats_name_no_framework_at_all(path: Path) -> None:
    assert roots(path, only_at_import=False) & FRAMEWORKS == set()


@pytest.mark.parametrize("path", [path for path in SOURCES if path.stem not in FACES], ids=name_of)
def test_the_core_never_names_an_adapter(path: Path) -> None:
    assert not {root for root in roots(path, only_at_import=False) if root.startswith("toolcall_evals_")}


@pytest.mark.parametrize("path", ADAPTERS, ids=name_of)
def test_an_adapter_uses_only_public_names_and_never_the_other_adapter(path: Path) -> None:
    own = name_of(path).split("/")[0]
    public = {"toolcall_evals": {*toolcall_evals.__all__, "messages"}, "toolcall_evals.messages": set(toolcall_evals.messages.__all__)}
    for module, name in imports(path, only_at_import=False):
        if module.split(".")[0].startswith("toolcall_evals_"):
            assert module.split(".")[0] == own, f"imports {module}"
        elif module.split(".")[0] == "toolcall_evals":
            assert module in public, f"imports {module}, which is private"
            assert not name or name in public[module], f"imports {name} of {module}, which is private"


FRESH = """
import sys, {module}
loaded = sorted(set({frameworks!r}) & set(sys.modules))
print(loaded)
"""


@pytest.mark.parametrize(
    "module",
    [
        "toolcall_evals",
        "toolcall_evals.checks",
        "toolcall_evals.scorers",
        "toolcall_evals.messages",
        "toolcall_evals.langsmith",
        "toolcall_evals_langgraph",
        "toolcall_evals_crewai",
    ],
)
def test_a_fresh_interpreter_imports_it_without_any_framework(module: str, tmp_path: Path) -> None:
    code = FRESH.format(module=module, frameworks=sorted(FRAMEWORKS))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.strip() == "[]"


SCORED = """
import sys
from toolcall_evals import checks
run = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
assert checks.called_tool("search").score(run).score == 0.0
print(sorted(set(%r) & set(sys.modules)))
"""


def test_scoring_a_stored_trace_imports_no_framework(tmp_path: Path) -> None:
    code = SCORED % sorted(FRAMEWORKS)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_stated_once_in_two_places() -> None:
    assert PYPROJECT["project"]["version"] == toolcall_evals.__version__ == importlib.metadata.version("toolcall-evals")


def test_the_changelog_has_a_dated_section_of_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(toolcall_evals.__version__)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert changelog.index("## [Unreleased]") < changelog.index(f"## [{toolcall_evals.__version__}]")


@pytest.mark.parametrize("group", sorted(PYPROJECT["project"]["entry-points"]))
def test_every_entry_point_is_installed_and_loads(group: str) -> None:
    stated = PYPROJECT["project"]["entry-points"][group]
    distribution = importlib.metadata.distribution("toolcall-evals")
    installed = {point.name: point for point in distribution.entry_points if point.group == group}
    assert {name: point.value for name, point in installed.items()} == stated
    for point in installed.values():
        assert point.load() is not None


def test_an_adapter_has_the_name_of_its_entry_point() -> None:
    for point in importlib.metadata.entry_points(group="toolcall_evals.adapters"):
        assert point.load().name == point.name


@pytest.mark.parametrize("package", [PACKAGE, *OTHERS], ids=lambda package: package.name)
def test_each_package_is_marked_as_typed(package: Path) -> None:
    assert (package / "py.typed").is_file()


@pytest.mark.parametrize("folder", ["src", "adapters"])
def test_no_package_of_the_checkout_has_the_name_of_a_framework(folder: str) -> None:
    if not (ROOT / folder).is_dir():
        pytest.skip("the wheel is tested, without the checkout")
    assert not {package.name for package in (ROOT / folder).iterdir()} & FRAMEWORKS


def test_the_extra_all_holds_every_other_extra() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(everything.removeprefix("toolcall-evals[").removesuffix("]").split(",")) == set(extras) - {"all"}


@pytest.mark.parametrize("package", ["toolcall_evals", "toolcall_evals.checks", "toolcall_evals.scorers", "toolcall_evals.messages"])
def test_every_public_name_is_there(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
