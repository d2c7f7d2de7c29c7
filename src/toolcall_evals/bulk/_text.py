"""Texts that any file takes."""

from __future__ import annotations

import json
from typing import Any

import orjson

from .._json import json_ready


def as_json(details: Any) -> str:
    """Details as JSON text."""
    try:
        return orjson.dumps(details).decode()
    except (TypeError, orjson.JSONEncodeError):  # integers of more than 64 bits
        return json.dumps(json_ready(details), ensure_ascii=False)


def writable_text(text: str) -> str:
    """A text with lone surrogates replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
