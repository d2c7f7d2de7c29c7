"""An expectation in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..matching import UNSTATED, shortened


def words(node: Any) -> str:
    """What the expectation says, as a sentence without its full stop."""
    say: Callable[[Any], str] = _WORDS[type(node).__name__]
    return say(node)


def _call(node: Any) -> str:
    text = str(node.name)
    if isinstance(node.args, Mapping) and node.rule != "ignore":
        listed = ", ".join(f"{name}={shortened(repr(value))}" for name, value in node.args.items())
        text += f"({listed})"
    elif node.args is not UNSTATED and node.rule != "ignore":
        text += "()" if node.args is None else f"({shortened(repr(node.args))})"
    text += f" by {node.agent}" if node.agent else ""
    text += "" if node.success is None else " that succeeds" if node.success else " that fails"
    text += "" if node.result is UNSTATED else f" returning {shortened(repr(node.result))}"
    return text + (f" with inside it ({words(node.inside)})" if node.inside is not None else "")


def _inner(node: Any) -> str:
    return words(node) if type(node).__name__ in ("Call", "Optional", "Times", "Never", "Before", "Nothing") else f"({words(node)})"


def _counted(node: Any) -> str:
    part = _inner(node.part)
    if node.most is None:
        return f"at least {_times(node.least)} {part}"
    if node.least == node.most:
        return f"exactly {_times(node.most)} {part}"
    return f"at most {_times(node.most)} {part}" if node.least == 0 else f"{node.least} to {_times(node.most)} {part}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _never(node: Any) -> str:
    return f"never {(', directly then ' if node.adjacent else ', then ').join([words(call) for call in node.calls])}"


def _sequence(node: Any) -> str:
    return _with_statements(node.parts, ", then ".join) or "an empty sequence"


def _group(node: Any) -> str:
    how = " in parallel" if node.at_once else " in any order"
    said = _with_statements(node.parts, lambda steps: " and ".join(steps) + (how if len(steps) > 1 else ""))
    return said or "an empty group"


def _with_statements(parts: Any, joined: Callable[[list[str]], str]) -> str:
    """The calls as a clause of their own, then each statement about the whole run."""
    statements = [words(part) for part in parts if type(part).__name__ in _STATEMENTS]
    steps = [_inner(part) for part in parts if type(part).__name__ not in _STATEMENTS]
    return "; ".join([*([joined(steps)] if steps else []), *statements])


_STATEMENTS = ("Never", "Before", "Nothing")

_WORDS = {
    "Call": _call,
    "Sequence": _sequence,
    "Group": _group,
    "Optional": lambda node: f"optionally {_inner(node.part)}",
    "Alternatives": lambda node: f"{'either ' if node.trajectories else ''}{' or '.join([_inner(part) for part in node.options])}",
    "Times": _counted,
    "Before": lambda node: f"{words(node.earlier)} before {words(node.later)}",
    "Never": _never,
    "Nothing": lambda node: "no call",
}
