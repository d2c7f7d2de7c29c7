"""The public names and their signatures, as a list that is kept: a change of it is a choice.

After one that is meant: `python -m tests.test_public_api > tests/public_api.txt`, and say it in CHANGELOG.md.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MODULES = [
    "toolcall_evals",
    "toolcall_evals.checks",
    "toolcall_evals.expect",
    "toolcall_evals.gates",
    "toolcall_evals.judge",
    "toolcall_evals.langsmith",
    "toolcall_evals.regression",
    "toolcall_evals.results",
    "toolcall_evals.scorers",
    "toolcall_evals.statistics",
    "toolcall_evals.summary",
    "toolcall_evals.testing",
    "toolcall_evals_crewai",
    "toolcall_evals_langgraph",
]


def listed() -> Iterator[str]:
    for module in MODULES:
        for name, value in _public(importlib.import_module(module)):
            yield f"{module}.{name}{_signature(value)}"
            if inspect.isclass(value):
                fields = getattr(value, "__dataclass_fields__", {})  # slots may be those of a private class beneath
                slots = {key: member for base in value.__mro__ for key, member in vars(base).items() if key in fields}
                own = {**slots, **{key: member for key, member in vars(value).items() if not key.startswith("_")}}
                yield from (f"{module}.{name}.{key}{_signature(member)}" for key, member in sorted(own.items()))


def _public(module: Any) -> list[tuple[str, Any]]:
    names = getattr(module, "__all__", None)
    if names is None:  # a module of its own: what it defines
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
        names = [name for name in own if not name.startswith("_")]
    found = [(name, getattr(module, name)) for name in sorted(names)]
    return [(name, value) for name, value in found if not inspect.ismodule(value)]


def _signature(value: Any) -> str:
    value = getattr(value, "__func__", value)
    if not callable(value) or getattr(value, "__module__", "").startswith(("typing", "abc")):
        return ""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"<([^\s>]+)[^>]*>", r"<\1>", text.replace("'", "").replace("typing.", ""))  # which Python 3.12 leaves out
    return re.sub(r"\{([^{}]*)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}", text)  # a set's order is chance


def test_public_names_and_signatures_are_those_that_are_kept() -> None:
    kept = Path(__file__).with_name("public_api.txt").read_text(encoding="utf-8").splitlines()
    found = list(listed())
    assert [line for line in kept if line not in found] == [], "gone or changed"
    assert [line for line in found if line not in kept] == [], "new"


if __name__ == "__main__":
    print("\n".join(listed()))  # noqa: T201 - it is what this is for
