"""The text of a message's content: a string, or a list of blocks in any provider's form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._json import json_ready, shown

TEXT_BLOCKS = frozenset({"text", "input_text", "output_text", "refusal"})
"""The types of blocks that hold text (OpenAI, Responses, Anthropic); Bedrock's blocks have no type."""


def assistant_text(content: Any) -> str:
    """What the assistant says: its text blocks, joined without separator; a block alone is a list of one."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content) or ""
    return "".join(_texts(content)) if isinstance(content, list | tuple) else ""


def result_text(content: Any) -> str | None:
    """
    A tool's result as the model saw it: text blocks joined with newlines, other blocks and values as JSON; None for None.
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list | tuple) and content and all(isinstance(block, str | Mapping) for block in content):
        parts = [block if isinstance(block, str) else _text(block) for block in content]
        if any(part is not None for part in parts):
            return "\n".join(as_json(block) if part is None else part for part, block in zip(parts, content, strict=True))
    return as_json(content)


def as_json(value: Any) -> str:
    """A value as JSON text, in its own order and alphabet; what JSON does not know by `str`."""
    try:
        return json.dumps(value, ensure_ascii=False, default=shown)
    except Exception:  # noqa: BLE001 - too deep, or an object that raises lies somewhere in it
        pass
    try:
        return str(value)
    except RecursionError:
        return f"a {type(value).__name__} nested deeper than can be shown"
    except Exception:  # noqa: BLE001 - an integer too long for Python to write, or an object that raises, lies somewhere in it
        return json.dumps(json_ready(value), ensure_ascii=False)


def _texts(content: Any) -> list[str]:
    found = [block if isinstance(block, str) else _text(block) for block in content]
    return [text for text in found if text is not None]


def _text(block: Any) -> str | None:
    if not isinstance(block, Mapping):
        return None
    kind = block.get("type")
    if not (kind is None or (isinstance(kind, str) and kind in TEXT_BLOCKS)):
        return None
    text = block.get("refusal" if kind == "refusal" else "text")
    return text if isinstance(text, str) else None
