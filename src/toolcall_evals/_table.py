"""Text in columns that fits a terminal, whatever is in it: wide scripts, line breaks, control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

ELLIPSIS = "…"


def one_line(text: str) -> str:
    """The text with white space folded and control characters shown as "?": what a tool returned may hold terminal codes."""
    return "".join([character if character.isprintable() else "?" for character in " ".join(text.split())])


def width_of(text: str) -> int:
    """How many columns a terminal needs for a printable text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def cut(text: str, width: int) -> str:
    """The text in at most `width` columns, ending in an ellipsis where it was cut."""
    return text if width_of(text) <= width else _head(text, width - 1) + ELLIPSIS


def padded(text: str, width: int) -> str:
    """The text in exactly `width` columns."""
    shown = cut(text, width)
    return shown + " " * (width - width_of(shown))


def wrapped(text: str, width: int, most: int) -> list[str]:
    """The text in 1 to `most` lines of at most `width` columns, broken at spaces where there are any; an ellipsis where more is left."""
    lines: list[str] = []
    rest = text
    while rest and len(lines) < most - 1:
        head = _head(rest, width)
        if len(head) < len(rest) and (space := rest[: len(head) + 1].rfind(" ")) > 0:
            head = rest[:space]
        lines.append(head)
        rest = rest[len(head) :].lstrip()
    return [*lines, cut(rest, width)] if rest or not lines else lines


def columns(rows: Sequence[Sequence[str]], gap: str = "  ") -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(width_of(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [gap.join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _head(text: str, width: int) -> str:
    used = 0
    for position, character in enumerate(text):
        used += width_of(character)
        if used > width:
            return text[: max(position, 1)]
    return text
