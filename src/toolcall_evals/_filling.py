"""Settings that were left out, completed from an example's reference outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import CouldNotScore, SettingError
from . import _settings as setting
from ._reference import Reference


def one_name(name: str, settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The setting `name` from `expected_tool`, or from the one tool that the reference calls."""
    stated = reference.get("expected_tool") if reference else None
    if stated is None and reference is not None:
        called = {call.name for call in reference.calls() or ()}
        stated = called.pop() if len(called) == 1 else None
    if stated is None:
        raise CouldNotScore("no tool is expected: give the tool's name, or 'expected_tool' in reference_outputs")
    try:
        return {**settings, name: setting.text("reference 'expected_tool'", stated)}
    except SettingError as error:
        raise CouldNotScore(str(error)) from error
