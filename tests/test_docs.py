"""The documentation: snippets run and print what is shown, guides show files that tests run, the reference names every export."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
LINK = re.compile(r'\]\(([^ )]+)(?: "([^"]*)")?\)')
INCLUDED = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)
REFERENCE = {
    "core": ["toolcall_evals"],
    "checks": ["toolcall_evals.checks"],
    "scorers": ["toolcall_evals.scorers"],
    "expect": ["toolcall_evals.expect"],
    "judge": ["toolcall_evals.judge"],
    "langsmith": ["toolcall_evals.summary"],
    "bulk": ["toolcall_evals.bulk", "toolcall_evals.report"],
    "langgraph": ["toolcall_evals_langgraph"],
    "crewai": ["toolcall_evals_crewai"],
}
UNLISTED = {"ADAPTER", "VERSION", "MOST_WAYS", "UNSTATED", "checks", "expect", "scorers", "tool_call_accuracy_llm"}
"""What needs no entry of its own: constants, and what another page shows."""


@pytest.mark.parametrize("page", ["index.md", "semantics.md", "stored_runs.md"])
def test_snippets_run_and_print_what_is_shown(page: str) -> None:
    names: dict[str, Any] = {"__name__": page}
    blocks = BLOCKS.findall((DOCS / page).read_text(encoding="utf-8"))
    assert blocks
    for code, shown in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, page, "exec", dont_inherit=True), names)
        assert printed.getvalue().split() == shown.split()


def test_each_guide_shows_whole_files_that_are_here() -> None:
    guides = sorted((DOCS / "guides").glob("*.md"))
    assert len(guides) >= 7
    for guide in guides:
        included = INCLUDED.findall(guide.read_text(encoding="utf-8"))
        assert included and all((ROOT / path).is_file() for path in included), guide.name


def test_each_file_that_a_guide_shows_is_run_by_a_test() -> None:
    shown = {path for guide in (DOCS / "guides").glob("*.md") for path in INCLUDED.findall(guide.read_text(encoding="utf-8"))}
    tests = [path for path in (ROOT / "tests" / "examples").glob("*.py") if path.name != "conftest.py"]
    naming = {path: path.read_text(encoding="utf-8") for path in [*tests, *[ROOT / each for each in shown]]}  # one file imports another
    for path in shown:
        if path.startswith("examples/"):
            assert any(Path(path).stem in text for place, text in naming.items() if place != ROOT / path), path


def test_what_a_guide_shows_is_no_wider_than_its_page() -> None:
    shown = {path for guide in (DOCS / "guides").glob("*.md") for path in INCLUDED.findall(guide.read_text(encoding="utf-8"))}
    lines = [(path, line) for path in sorted(shown) for line in (ROOT / path).read_text(encoding="utf-8").splitlines()]
    assert [(path, line) for path, line in lines if len(line) > 110] == []


def test_a_built_page_fetches_nothing() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (polyfill,) = re.findall(r"polyfills: \[(.+)\]", menu)
    assert "iframe-worker" in polyfill  # by this name the plugin offline knows that it need not fetch its own
    assert (DOCS / polyfill).is_file() and "http" not in menu and "font: false" in menu


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md", "CONTRIBUTING.md"])
def test_a_link_leads_to_what_is_there_and_names_a_test_that_is_in_it(page: str) -> None:
    links = LINK.findall((ROOT / page).read_text(encoding="utf-8"))
    here = [(target.partition("#")[0], title) for target, title in links if not target.startswith(("http", "#"))]
    assert here and [target for target, _ in here if not (ROOT / target).exists()] == []
    held = [(target, title) for target, title in here if target.startswith("tests/") and target.endswith(".py")]
    assert held and all(title for _, title in held), "a link to a test names it in its title"
    assert [title for target, title in held if f"def {title}(" not in (ROOT / target).read_text(encoding="utf-8")] == []


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert [page for page in pages if not re.search(rf"^ +- .*: {re.escape(page)}$", menu, re.MULTILINE)] == []


@pytest.mark.parametrize(("page", "modules"), REFERENCE.items())
def test_the_reference_names_every_export(page: str, modules: list[str]) -> None:
    shown = re.findall(r"^::: (\S+)$", (DOCS / "reference" / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    exported = {f"{module}.{name}" for module in modules for name in importlib.import_module(module).__all__ if name not in UNLISTED}
    own = {name for name in shown if name.rpartition(".")[0] in modules}
    assert own == exported
