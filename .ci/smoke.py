"""Run by check-wheel in an environment that holds nothing but the wheel and what it requires."""

from __future__ import annotations

import importlib
import importlib.metadata
import pathlib
import sys
import sysconfig

site = pathlib.Path(sysconfig.get_path("purelib"))
for name in ("toolcall_evals", "toolcall_evals_langgraph", "toolcall_evals_crewai"):
    module = importlib.import_module(name)
    assert module.__file__, name
    folder = pathlib.Path(module.__file__).parent
    assert folder.parent == site, f"{name} was imported from {folder}, not from the wheel"
    assert (folder / "py.typed").is_file(), f"{name} is not marked as typed"

import toolcall_evals  # noqa: E402 - after the check of where it comes from

version = importlib.metadata.version("toolcall-evals")
assert version == toolcall_evals.__version__, (version, toolcall_evals.__version__)
unwanted = {path.name for path in site.iterdir()} & {"tests", "examples", "benchmarks", "src", "adapters"}
assert not unwanted, f"the wheel installs {sorted(unwanted)}"

run = {
    "messages": [
        {"role": "user", "content": "Is it raining in Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "rain"},
        {"role": "assistant", "content": "It is raining."},
    ]
}
score = toolcall_evals.checks.called_tool("get_weather").score(run)
assert score.score == 1.0, score
assert toolcall_evals.checks.called_tool("search").score(run).score == 0.0
frameworks = {"langsmith", "langchain_core", "langgraph", "crewai", "openai"} & set(sys.modules)
assert not frameworks, f"scoring imported {sorted(frameworks)}"
print(f"toolcall-evals {version}: {score.comment}")
