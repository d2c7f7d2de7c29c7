"""Texts that any file takes."""

from __future__ import annotations

import json
from typing import Any

import orjson

from .._json import DEPTH, json_ready
from .._model import Score

_PLAIN = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def as_json(details: Any) -> str:
    """Details as JSON text."""
    try:
        return orjson.dumps(details).decode()
    except (TypeError, orjson.JSONEncodeError):  # integers of more than 64 bits
        return json.dumps(json_ready(details), ensure_ascii=False)


def explained(score: Score) -> tuple[str, str]:
    """A score's comment, and what `as_json` says of its details; mostly without the copy that reading them makes."""
    comment, details = score._told()
    try:
        text = orjson.dumps(details, option=_PLAIN)
    except (TypeError, RecursionError):  # something that is not plain JSON
        return comment, as_json(score.details)
    if b"null" in text or text.count(b"{") + text.count(b"[") >= DEPTH:  # perhaps a NaN, or deeper than is kept
        return comment, as_json(score.details)
    return comment, text.decode()


def writable_text(text: str) -> str:
    """A text with lone surrogates replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
