"""The snippets of the README and the tour run, in order, in one namespace, as a reader would type them; what they name exists."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = ["README.md", "docs/tour.md"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

pytestmark = [
    pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta"),
    pytest.mark.filterwarnings("ignore:::crewai"),
]


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str]]:
    return FENCED.findall(text(page))


def python(page: str) -> list[str]:
    return [code for language, code in blocks(page) if language == "python"]


@pytest.mark.parametrize("page", PAGES)
def test_every_python_snippet_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "readme"}
    snippets = [code for code in python(page) if "crew.kickoff" not in code or find_spec("crewai") is not None]
    assert len(snippets) >= 3
    for code in snippets:
        exec(compile(code, page, "exec", dont_inherit=True), names)
        for test in [names.pop(name) for name in list(names) if name.startswith("test_")]:
            assert isinstance(test, Callable)  # type: ignore[arg-type]  # a snippet for pytest is run as pytest would
            test()


def test_what_a_snippet_says_it_prints_is_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    code = python("README.md")[0]
    exec(compile(code, "README.md", "exec", dont_inherit=True), {})
    assert capsys.readouterr().out.strip() == code.rsplit("# ", 1)[1].strip()


@pytest.mark.crewai
def test_the_snippet_with_a_crew_runs_in_a_plain_interpreter_in_the_checkout() -> None:
    if find_spec("crewai") is None:
        pytest.skip("crewai is not installed")
    (snippet,) = [code for code in python("docs/tour.md") if "crew.kickoff" in code]
    program = f"from toolcall_evals import checks\n{snippet}"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_target_that_is_shown_exists(page: str) -> None:
    targets = set(re.findall(r"\bmake ([a-z][a-z-]*)", "\n".join(re.findall(r"```bash.*?```|`[^`\n]+`", text(page), re.DOTALL))))
    assert {"demo", "docs"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_option_of_the_command_that_is_shown_exists(page: str) -> None:
    commands = [line.split() for language, code in blocks(page) if language == "bash" for line in code.splitlines()]
    shown = [word for command in commands if command[0] == "toolcall-evals" for word in command if word.startswith("--")]
    options = text("docs/stored_runs.md")  # whose options a test holds against the command's own
    assert shown and [option for option in shown if f"`{option}" not in options and f" {option}" not in options] == []


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_every_fenced_block_says_its_language(page: str) -> None:
    assert {language for language, _ in blocks(page)} <= {"python", "bash", "text", "json", "toml", "yaml"}
    assert text(page).count("```") == 2 * len(blocks(page))


def test_the_pictures_are_small_and_fetch_nothing() -> None:
    pictures = re.findall(r"docs/images/[\w.]+", text("README.md"))
    assert len(pictures) == 3 and max((ROOT / path).stat().st_size for path in pictures) < 150_000
    assert "url(http" not in text("docs/images/demo.svg") and 'url("http' not in text("docs/images/demo.svg")
