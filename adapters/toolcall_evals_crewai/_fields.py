"""Reads records that are mappings in a file and objects in a live run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def field(record: Any, name: str) -> Any:
    """The value under a name: a mapping's key or an object's attribute; None where there is none."""
    if isinstance(record, Mapping):
        return record.get(name)
    try:
        return getattr(record, name, None)
    except Exception:  # noqa: BLE001 - a property of somebody's object may raise anything
        return None


def text_field(record: Any, name: str) -> str | None:
    """As `field`, but only a non-empty text counts."""
    value = field(record, name)
    return value if isinstance(value, str) and value else None


def shown(value: Any) -> str | None:
    """A value as CrewAI shows it to its model: its `str`; None for None."""
    if value is None or isinstance(value, str):
        return value
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - as may its __str__
        return f"<{type(value).__name__}>"
