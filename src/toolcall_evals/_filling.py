"""Settings that were left out, completed from an example's reference outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from . import _settings as setting
from ._errors import CouldNotScore, SettingError
from ._reference import Reference

Value = TypeVar("Value")


def one_name(name: str, settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The setting `name` from `expected_tool`, or from the one tool that the reference calls."""
    stated = reference.get("expected_tool") if reference else None
    if stated is None and reference is not None:
        called = {call.name for call in reference.calls(settings["scope"]) or ()}
        stated = called.pop() if len(called) == 1 else None
    if stated is None:
        raise CouldNotScore("no tool is expected: give the tool's name, or 'expected_tool' in reference_outputs")
    return {**settings, name: taken("expected_tool", stated, setting.text)}


def several_names(name: str, settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The setting `name` from `expected_tool_order`, or from the calls of the reference."""
    stated = reference.get("expected_tool_order") if reference else None
    if stated is None and reference is not None and (calls := reference.calls(settings["scope"])) is not None:
        stated = [call.name for call in calls]
    if stated is None:
        raise CouldNotScore("no order is expected: give the tools' names, or 'expected_tool_order' in reference_outputs")
    return {**settings, name: taken("expected_tool_order", stated, setting.names)}


def most_calls(name: str, settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The setting `name` from `max_tool_calls`, or from how many calls the reference makes."""
    stated = reference.get("max_tool_calls") if reference else None
    if stated is None and reference is not None and (calls := reference.calls(settings["scope"])) is not None:
        stated = len(calls)
    if stated is None:
        raise CouldNotScore("no limit is set: give the number of calls, or 'max_tool_calls' in reference_outputs")
    return {**settings, name: taken("max_tool_calls", stated, lambda setting_name, value: setting.count(setting_name, value, 0))}


def one_text(
    name: str, read: Callable[[str, Any], Any], settings: Mapping[str, Any], reference: Reference | None
) -> Mapping[str, Any]:
    """
    The setting `name` from `expected_output`, or from what the assistant says in a reference run.

    Args:
        read: Makes the setting's value of (setting, text), and refuses what it cannot be made of.
    """
    stated = reference.get("expected_output") if reference else None
    if stated is None and reference is not None and (run := reference.run()) is not None and run.texts:
        stated = run.output if settings["text"] == "all" else run.final_text
    if stated is None:
        raise CouldNotScore("no text is expected: give the text, or 'expected_output' in reference_outputs")
    return {**settings, name: taken("expected_output", stated, read)}


def taken(key: str, value: Any, read: Callable[[str, Any], Value]) -> Value:
    """
    A value of the reference, made a setting by the same rules as one given at construction.

    Raises:
        CouldNotScore: It breaks them; names the key.
    """
    try:
        return read(f"reference {key!r}", value)
    except SettingError as error:
        raise CouldNotScore(str(error)) from error
