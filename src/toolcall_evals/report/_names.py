"""Counts by name, of bounded size: which names are kept depends on the names alone, never on the order in which they came."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

MOST_NAMES = 1000
"""Names of a kind that are told apart; the rest is counted as `OTHERS`."""

OTHERS = "(others)"
MOST_TEXT = 200


def trim(counts: dict[Any, Any], most: int = MOST_NAMES, others: Any = OTHERS) -> None:
    """
    Keep `most` names, those of the smallest digests, and add up the rest under `others`.

    A name that is kept at the end was kept all along, wherever counts were trimmed on the way: its count is exact, and parts add up to the
    whole in any order. The names that are kept are a fair sample, not the most frequent ones.
    """
    names = [name for name in counts if name != others]
    if len(names) <= most:
        return
    for name in sorted(names, key=_digest)[most:]:
        count = counts.pop(name)
        counts[others] = counts[others] + count if others in counts else count


def add_counts(counts: dict[Any, Any], more: dict[Any, Any]) -> None:
    """Add counts to counts, name by name."""
    for name, count in more.items():
        counts[name] = counts[name] + count if name in counts else count


def kept_name(text: str) -> str:
    """A text of a trace as a name: bounded, and writable in any file."""
    return kept_text(text, MOST_TEXT)


def kept_text(text: str, most: int) -> str:
    """The beginning of a text of a trace, writable in any file; lone surrogates are replaced."""
    text = text if len(text) <= most else f"{text[:most]} …"
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _digest(name: Any) -> tuple[bytes, Any]:
    text = name if isinstance(name, str) else "\0".join(name)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), name
