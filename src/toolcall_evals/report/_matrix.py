"""Which tool was called where another was expected, as a table."""

from __future__ import annotations

from typing import Any

from ..summary._confusion import NOTHING
from ._names import OTHERS
from ._overview import MOST_NAME, first
from ._shown import breakable, count, plain, share
from ._survey import Survey

MOST_CELLS = 24
"""Tools that have a row, or a column."""

ELSE = "other tools"
"""Heads the column of tools that have none of their own."""


def matrix(survey: Survey) -> dict[str, Any] | None:
    """The confusion of expected and called tools, or None where no reference stated calls."""
    if not survey.cells and not survey.unexpected:
        return None
    wanted = _most_common(survey, 0)[:MOST_CELLS]
    columns = [name for name in wanted if (name, name) in survey.cells and name != OTHERS]
    columns += [name for name in _most_common(survey, 1) if name not in (*columns, NOTHING, OTHERS)][: MOST_CELLS - len(columns)]
    called = [NOTHING, *columns, ELSE]
    most = max(survey.cells.values(), default=1)
    rows = []
    for name in wanted:
        numbers = {other: number for (expected, other), number in survey.cells.items() if expected == name}
        every, right = sum(numbers.values()), numbers.get(name, 0)
        numbers[ELSE] = sum([number for other, number in numbers.items() if other not in called])
        cells = [_cell(name == other, numbers.get(other, 0), most) for other in called]
        rows.append({"name": breakable(plain(name, MOST_NAME)), "cells": cells, "right": "–" if name == OTHERS else share(right, every)})
    return {
        "called": ["nothing" if name == NOTHING else breakable(plain(name, MOST_NAME)) for name in called],
        "rows": rows,
        "total": count(survey.expected),
        "right": count(survey.right),
        "share": share(survey.right, survey.expected),
        "left_out": len({name for name, _ in survey.cells}) - len(wanted),
        "unexpected": [(plain(name, MOST_NAME), count(number)) for name, number in first(survey.unexpected, MOST_CELLS)],
    }


def _most_common(survey: Survey, side: int) -> list[str]:
    """The expected (0) or called (1) tools, the most frequent first."""
    sums: dict[str, int] = {}
    for pair, number in survey.cells.items():
        sums[pair[side]] = sums.get(pair[side], 0) + number
    return [name for name, _ in first(sums, len(sums))]


def _cell(right: bool, number: int, most: int) -> dict[str, Any]:
    return {"count": count(number), "right": right, "level": min(4, 1 + 4 * (number - 1) // most), "some": number > 0}
