"""The JSON schema of the plain form of an expectation, version 1."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    from ._document import Document

    return TypeAdapter(Document)


def json_schema() -> dict[str, Any]:
    """The JSON schema of {"version", "expect"}, as `to_json` writes it."""
    schema: dict[str, Any] = _adapter().json_schema()
    return schema
