"""The difference between expected and made calls, as lines."""

from __future__ import annotations

from typing import Any

from ..matching._diff import diff_text
from ._names import kept_text

MOST_LINES = 12
MOST_LINE = 240

KINDS = (("violations", "broken"), ("missing", "missing"), ("wrong_arguments", "differs"), ("moved", "moved"), ("extra", "unexpected"))
"""The parts of a diff, and what a line of each is called."""


def diff_lines(details: Any) -> tuple[tuple[str, str], ...]:
    """
    The diff among a score's details as (kind, text) lines.

    Returns:
        At most `MOST_LINES`; none where the details have no diff.
    """
    diff = details.get("diff") if isinstance(details, dict) else None
    if not isinstance(diff, dict):
        return ()
    empty: dict[str, Any] = {part: [] for part, _ in KINDS}
    found: list[tuple[str, str]] = []
    try:
        for part, kind in KINDS:
            found += [(kind, _words(diff_text({**empty, part: [item]}))) for item in diff[part][: MOST_LINES - len(found)]]
    except (KeyError, TypeError):  # another evaluator's "diff"
        return ()
    return tuple(found)


def _words(text: str) -> str:
    """The words for one difference without those that name its kind."""
    for begin in ("missing ", "wrong arguments: ", "out of order ", "unexpected "):
        text = text.removeprefix(begin)
    return kept_text(text, MOST_LINE)
