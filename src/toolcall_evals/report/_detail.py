"""How much of a run the page shows: less of runs with much to show, so that the page stays one that a browser opens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import escape

MOST_BYTES = 12_000_000
"""What all runs on the page may take, about; what one leaves is the others'."""

MARKUP = 120
"""Bytes around a text, about."""


class Detail(NamedTuple):
    """
    How much of a run is shown.

    Attributes:
        room: Characters for its arguments and results.
        calls: Its calls: of a longer run the first and the last.
        args: Arguments of a call.
        failures: What is wrong with it.
        lines: Lines of a difference.
        text: Characters of any other text.
    """

    room: int
    calls: int
    args: int
    failures: int
    lines: int
    text: int


DETAILS = (Detail(16_000, 30, 60, 20, 12, 1_000), Detail(4_000, 10, 20, 10, 6, 300), Detail(0, 0, 0, 3, 2, 100))
"""From all to the least."""


def weight_of(shown: Any) -> int:
    """How many bytes a run takes on the page, about."""
    if isinstance(shown, str):
        return MARKUP + len(escape(shown).encode("utf-8", "replace"))
    if isinstance(shown, Mapping):
        return sum(map(weight_of, shown.values()))
    return sum(map(weight_of, shown)) if isinstance(shown, list | tuple) else 0
