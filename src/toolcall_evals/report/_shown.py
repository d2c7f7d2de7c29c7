"""Texts and numbers as the page shows them: everything of a trace is made harmless and bounded here."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup, escape

MOST_TEXT = 600

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters, and those that hide or turn what follows; joiners of emoji and of Persian are none of them."""

_BREAKS = re.compile(r"([_:./\-]+)")


def plain(value: Any, most: int = MOST_TEXT) -> str:
    """A text of a trace as a page can show it: bounded, every letter visible, in the order in which it is written."""
    text = value if isinstance(value, str) else str(value)
    whole, text = len(text), text[:most]
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8").replace("\u2028", "\n").replace("\u2029", "\n")
    text = _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))
    return text if whole <= most else f"{text} … ({whole - most:,} more characters)"


def breakable(text: str) -> Markup:
    """A name that may be broken after its punctuation."""
    return Markup(_BREAKS.sub(r"\1<wbr>", str(escape(text))))


def count(number: int) -> str:
    """A count with separators."""
    return f"{number:,}"


def share(part: int, whole: int) -> str:
    """A share in per cent; a dash of nothing."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    return f"{percent:.0f} %" if percent in (0, 100) else "<0.1 %" if percent < 0.1 else ">99.9 %" if percent > 99.9 else f"{percent:.1f} %"


def duration(seconds: float | None) -> str:
    """A duration in the unit that suits it."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"
