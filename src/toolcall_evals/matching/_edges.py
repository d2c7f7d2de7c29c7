"""Which call fits which expected call: looked up by equality where plain values decide, tried one by one elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from .._model import ToolInvocation
from ._equality import NotComparable, frozen, loosened
from ._matchers import Fields, Is
from ._wanted import Defaults, Wanted, stand_in

Row: TypeAlias = Sequence[Wanted]
"""One expected place: the calls of which one will do."""

MOST_TRIALS = 150_000
"""Pairs that are tried one by one; beyond it only calls near the expected place are tried, and the result is a bound."""

FEW_TRIALS = 400
"""Pairs of one tool below which looking them up costs more than trying them."""


class Edges:
    """
    The calls that fit each expected place.

    Attributes:
        of_row: For each place the indexes of the calls that fit, rising.
        bound: Not every pair could be tried.
    """

    __slots__ = ("_by_name", "_calls", "_defaults", "_left", "_lookups", "bound", "of_row")

    def __init__(self, rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> None:
        self._calls, self._defaults, self._left, self.bound = calls, defaults, MOST_TRIALS, False
        self._by_name: dict[str, list[int]] = {}
        for index, call in enumerate(calls):
            self._by_name.setdefault(call.name, []).append(index)
        rows_of: dict[str, int] = {}
        for row in rows:
            for wanted in row:
                rows_of[wanted.name] = rows_of.get(wanted.name, 0) + 1
        self._lookups: dict[str, _Lookup | None] = {
            name: _Lookup([(j, calls[j]) for j in indexes], defaults)
            for name, indexes in self._by_name.items()
            if rows_of.get(name, 0) * len(indexes) > FEW_TRIALS
        }
        self.of_row = [self._fitting(index, row, len(rows)) for index, row in enumerate(rows)]

    def _fitting(self, place: int, row: Row, places: int) -> list[int]:
        if len(row) == 1:
            return self._of_one(place, row[0], places)
        return sorted({index for wanted in row for index in self._of_one(place, wanted, places)})

    def _of_one(self, place: int, wanted: Wanted, places: int) -> list[int]:
        indexes = self._by_name.get(wanted.name)
        if indexes is None:
            return []
        lookup = self._lookups.get(wanted.name)
        if lookup is not None:
            if is_open(wanted):
                return indexes
            indexes = lookup.candidates(wanted)
        if len(indexes) > self._left:
            indexes = _nearest(indexes, place * len(self._calls) // max(places, 1), max(self._left // 2, 16))
            self.bound = True
        self._left -= len(indexes)
        calls, defaults = self._calls, self._defaults
        return [index for index in indexes if wanted.fits(calls[index], defaults)]


class _Lookup:
    """The calls of one tool by their arguments, as a whole and one by one."""

    __slots__ = ("_by_args", "_by_folded", "_by_value", "_calls", "_defaults", "_indexes", "_unhashed")

    def __init__(self, calls: Sequence[tuple[int, ToolInvocation]], defaults: Defaults | None) -> None:
        self._defaults, self._indexes = defaults, [index for index, _ in calls]
        self._by_args: dict[Hashable, list[int]] = {}
        self._by_value: dict[tuple[str, Hashable], list[int]] = {}
        self._by_folded: dict[Hashable, list[int]] | None = None
        self._calls, self._unhashed = calls, list[int]()
        for index, call in calls:
            stamp = None if call.args is None else stand_in(call.name, call.args, defaults)
            if stamp is None or call.args is None:
                self._unhashed.append(index)
                continue
            self._by_args.setdefault(stamp, []).append(index)
            for name, value in call.args.items():
                self._by_value.setdefault((name, frozen(value)), []).append(index)

    def candidates(self, wanted: Wanted) -> list[int]:
        """The calls that may fit; no other does."""
        if wanted.literal is not None and (stamp := wanted.stand_in(self._defaults)) is not None:
            found = self._by_args.get(stamp, [])
            return sorted([*found, *self._unhashed]) if self._unhashed else found
        if wanted.rule == "loose" and self._defaults is None and not self._unhashed and (folded := wanted.folded()) is not None:
            return self._folded().get(folded, [])
        shortest = self._indexes
        if self._defaults is None and not self._unhashed and isinstance(wanted.matcher, Fields) and wanted.matcher.closed != "subset":
            for name, matcher in wanted.matcher.fields.items():
                if isinstance(matcher, Is) and name.isascii():
                    try:
                        listed = self._by_value.get((name, frozen(matcher.value)), [])
                    except NotComparable:
                        continue
                    shortest = listed if len(listed) < len(shortest) else shortest
        return shortest

    def _folded(self) -> dict[Hashable, list[int]]:
        """The calls by their loosened arguments."""
        if self._by_folded is None:
            self._by_folded = {}
            for index, call in self._calls:
                self._by_folded.setdefault(frozen(loosened(call.args)), []).append(index)
        return self._by_folded


def is_open(wanted: Wanted) -> bool:
    """Does every call of the tool fit?"""
    return wanted.matcher is None and wanted.result is None and wanted.success is None and wanted.agent is None


def _nearest(indexes: list[int], middle: int, count: int) -> list[int]:
    return sorted(sorted(indexes, key=lambda index: abs(index - middle))[:count])
