"""The setting `expected=` of checks and scorers: at construction, or per example from the reference outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import CouldNotScore, SettingError
from .._model import Tool
from .._reference import Reference
from .._settings import Scope
from ..matching import Defaults, Plan, Rules
from ._compile import is_plain, plans_of
from ._language import Expectation, Sequence
from ._read import read, recorded


class Expected:
    """
    An expectation with the plans that meet it.

    Attributes:
        expectation: What should have been done.
        rules: How arguments are compared.
        plans: The ways to do it.
        plain: The only plan, where that is a plain list of calls; None otherwise.
        nested: Some call says what should have been done inside it.
    """

    __slots__ = ("expectation", "nested", "plain", "plans", "rules")

    def __init__(self, expectation: Expectation, rules: Rules) -> None:
        self.expectation, self.rules = expectation, rules
        self.plans: tuple[Plan, ...] = plans_of(expectation, rules)
        self.plain: Plan | None = self.plans[0] if is_plain(expectation) else None
        self.nested = any(wanted.inside is not None for plan in self.plans for row in plan.rows for wanted in row)

    def __getstate__(self) -> Any:
        return None, {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return repr(self.expectation)

    def names(self) -> tuple[str, ...]:
        """The tools it names, in order of first appearance."""
        return tuple(dict.fromkeys(name for plan in self.plans for name in plan.names()))


def expected_setting(value: Any, rules: Rules, where: str = "expected", nested: bool = False) -> Expected:
    """
    What `expected=` states.

    Args:
        value: An expectation, or plain data that states one.
        rules: How arguments are compared.
        where: What the value is, for error messages.
        nested: Whether the scorer looks inside calls.

    Raises:
        SettingError: It states none.
    """
    try:
        found = Expected(read(value, where), rules)
    except RecursionError as error:
        raise SettingError(f"{where} is nested in itself or too deep to be read") from error
    if found.nested and not nested:
        raise SettingError(f"{where} says what is done inside a call, which trajectory_accuracy and trajectory_quality look at")
    return found


def filled_expected(settings: Mapping[str, Any], reference: Reference | None, nested: bool = False) -> Mapping[str, Any]:
    """The setting `expected` from the reference outputs' `expect` or `tool_calls`, or from the calls of a reference run."""
    return {**settings, "expected": expected_of(reference, settings["rules"], settings.get("scope"), nested)}


def expected_of(reference: Reference | None, rules: Rules, scope: Scope | None = None, nested: bool = False) -> Expected:
    """
    What one example expects.

    Raises:
        CouldNotScore: It says nothing of calls, or what it says cannot be read.
    """
    if reference is None:
        raise CouldNotScore("no calls are expected: give 'expected', or 'expect' or 'tool_calls' in reference_outputs")
    key, stated = reference.stated()
    if key is not None:
        try:
            return expected_setting(stated, rules, f"reference {key!r}", nested)
        except SettingError as error:
            raise CouldNotScore(str(error)) from error
    calls = reference.calls() if scope is None else reference.calls(scope)
    if calls is None:
        raise CouldNotScore("no calls are expected: 'expect' and 'tool_calls' are not in reference_outputs, which are no run either")
    try:
        return Expected(Sequence(tuple([recorded(call) for call in calls])), rules)
    except SettingError as error:
        raise CouldNotScore(f"the reference run: {error}") from error


def argument_defaults(tools: Iterable[Tool] | None) -> Defaults | None:
    """The defaults of the arguments of each tool, from their JSON schemas; None where there are none."""
    if not tools:
        return None
    found: dict[str, dict[str, Any]] = {}
    for tool in tools:
        properties = tool.parameters.get("properties") if isinstance(tool.parameters, Mapping) else None
        if not isinstance(properties, Mapping):
            continue
        for name, schema in properties.items():
            if isinstance(schema, Mapping) and "default" in schema:
                found.setdefault(tool.name, {})[str(name)] = schema["default"]
    return found or None
