"""The README's snippets run, in order, in one namespace, as a reader would type them."""

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
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

pytestmark = [
    pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta"),
    pytest.mark.filterwarnings("ignore:::crewai"),
]


def test_every_python_snippet_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "readme"}
    snippets = [code for language, code in BLOCKS if language == "python"]
    crews = [code for code in snippets if "crew.kickoff" in code]
    assert len(snippets) >= 8 and len(crews) == 1
    if find_spec("crewai") is None:
        snippets.remove(crews[0])
    for code in snippets:
        exec(compile(code, "README.md", "exec", dont_inherit=True), names)
        for test in [names.pop(name) for name in list(names) if name.startswith("test_")]:
            assert isinstance(test, Callable)  # type: ignore[arg-type]  # a snippet for pytest is run as pytest would
            test()


@pytest.mark.crewai
def test_the_snippet_with_a_crew_runs_in_a_plain_interpreter_in_the_checkout() -> None:
    if find_spec("crewai") is None:
        pytest.skip("crewai is not installed")
    (snippet,) = [code for language, code in BLOCKS if language == "python" and "crew.kickoff" in code]
    program = f"from toolcall_evals import checks\n{snippet}"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_command_that_is_shown_exists() -> None:
    commands = [line.split("#")[0].split() for language, code in BLOCKS if language == "bash" for line in code.splitlines()]
    targets = {target for command in commands if command[0] == "make" for target in command[1:]}
    assert {"demo", "test"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)] == []
    shown = [word for command in commands if command[0] == "toolcall-evals" for word in command if word.startswith("--")]
    page = (ROOT / "docs" / "stored_runs.md").read_text(encoding="utf-8")  # whose options a test holds against the command's own
    assert shown and [option for option in shown if f"`{option}" not in page and f" {option}" not in page] == []


def test_every_fenced_block_says_its_language() -> None:
    assert {language for language, _ in BLOCKS} <= {"python", "bash", "text", "json", "toml", "yaml"}
    assert README.count("```") == 2 * len(BLOCKS)
