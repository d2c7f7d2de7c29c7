"""What a run should have done, as an example of a dataset states it: `reference_outputs`, or a reference run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ._convert import describe, to_trajectory
from ._errors import CouldNotScore, TraceFormatError
from ._model import InvocationDraft, ToolInvocation, Trajectory
from ._represented import represented
from ._settings import Scope

KEYS = ("expected_tool", "expected_tool_order", "expected_output", "max_tool_calls", "tool_calls", "expect", "turns")
"""The keys of `reference_outputs` that evaluators read where a setting is left out."""

MISTAKEN_FOR_ARGS = frozenset(
    {"arg", "params", "param", "input", "kwargs", "parameters", "tool_args", "tool_input", "argument", "inputs"}
)
"""What a call's arguments are called elsewhere."""

KEYS_OF_A_CALL = frozenset([field.name for field in fields(InvocationDraft)]) | {
    "arguments", "call_id", "content", "description", "expected", "function", "index", "inside", "output", "reason", "result_contains",
    "rule", "state", "success", "toolUseId", "tool_call_id", "tool_use_id", "toolCallId", "tool", "type",
}  # fmt: skip
"""What stands in the calls of reference data, recorded ones included; anything else is taken for a slip."""

_OF_MESSAGES = frozenset({"role", "type", "content"})


class Reference:
    """One example's reference outputs."""

    __slots__ = ("_raw",)

    def __init__(self, raw: Any) -> None:
        """
        Args:
            raw: A mapping with some of `KEYS`, a list of {"name", "args"} (the calls), or a reference run in any form
                that `to_trajectory` reads; a mapping may hold both.
        """
        self._raw = raw

    def get(self, key: str) -> Any:
        """The value under a key, or None."""
        return self._raw.get(key) if isinstance(self._raw, Mapping) else None

    def stated(self) -> tuple[str | None, Any]:
        """What is stated of the calls as it stands: the key (`expect` before `tool_calls`) and its value; (None, None) for none."""
        for key in ("expect", "tool_calls"):
            if (value := self.get(key)) is not None:
                return key, value
        return ("tool_calls", self._raw) if _is_call_list(self._raw) else (None, None)

    def calls(self, scope: Scope = Scope()) -> tuple[ToolInvocation, ...] | None:  # noqa: B008 - frozen
        """
        The calls that were expected: of `tool_calls`, of a list of {"name", "args"}, or of a reference run; None without any of these.

        Args:
            scope: Which calls of a reference run to look at; a stated list is taken as it is.

        Raises:
            CouldNotScore: They are there and cannot be read.
        """
        stated = self._raw if _is_call_list(self._raw) else self.get("tool_calls")
        if stated is not None:
            return tuple(_call(item) for item in _listed(stated))
        run = self.run()
        return scope.calls(run) if run is not None and run.has_call_record else None

    def run(self) -> Trajectory | None:
        """The reference run, or None where there is none that can be read."""
        raw = self._raw
        if _is_call_list(raw):
            return None
        if isinstance(raw, Mapping):
            raw = {key: value for key, value in raw.items() if key not in KEYS}
            if not raw:
                return None
        try:
            return to_trajectory(raw)
        except TraceFormatError:
            return None


def reference_of(raw: Any) -> Reference | None:
    """The reference; None where there is none. An empty list is one: it says that no call is expected."""
    if raw is None or isinstance(raw, Reference):
        return raw
    return None if isinstance(raw, Mapping) and not raw else Reference(raw)


def _is_call_list(raw: Any) -> bool:
    return isinstance(raw, list | tuple) and all(isinstance(item, ToolInvocation) or _is_stated_call(item) for item in raw)


def _is_stated_call(item: Any) -> bool:
    return isinstance(item, Mapping) and "name" in item and not _OF_MESSAGES & item.keys()


def _listed(stated: Any) -> list[Any]:
    if not isinstance(stated, list | tuple):
        raise CouldNotScore(f"reference 'tool_calls' must be a list of {{'name', 'args'}}, found {describe(stated)}")
    return list(stated)


def _call(item: Any) -> ToolInvocation:
    if isinstance(item, ToolInvocation):
        return item
    if isinstance(item, Mapping) and (unknown := unknown_key(item, "args" not in item and "arguments" not in item)) is not None:
        hint = "; name it args" if unknown in MISTAKEN_FOR_ARGS else ""
        raise CouldNotScore(f"a call of the reference has no {represented(unknown, 80)}{hint}")
    name = item.get("name") if isinstance(item, Mapping) else None
    if isinstance(name, str) and name and isinstance(item.get("args", {}), Mapping | None):
        return ToolInvocation(name=name, args=None if item.get("args") is None else dict(item["args"]))
    raise CouldNotScore(f"a call of the reference must have a 'name' and, if it has any, 'args' as a mapping, found {describe(item)}")


def unknown_key(call: Mapping[Any, Any], without_args: bool) -> str | None:
    """The first key that no call has, or None; one that means the arguments is known beside the arguments themselves."""
    for key in call:
        if not isinstance(key, str) or (key not in KEYS_OF_A_CALL and (without_args or key not in MISTAKEN_FOR_ARGS)):
            return str(key) if isinstance(key, str) else represented(key, 80)
    return None
