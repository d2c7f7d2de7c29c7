"""Matching a structure of expected calls: sequences, groups in any order, parts that may be absent, repeated parts.

Part by part, the best result is kept for each position in the calls: the fewest expected calls missing, then the most taken. A group
of single calls is a matching in a bipartite graph that grows call by call; a group with larger parts in it is read as the set of what
is left of each part (`_interleaved`). All of it is exact; the work is limited, and past the limit the result is a bound.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from ._interleaved import interleavings
from ._tree import Tree, is_simple

MOST_WORK = 400_000
"""Steps of the search; past it only the best few partial results are kept, and the result is a bound."""

FEW = 4
"""Partial results that are kept past the limit."""

Point: TypeAlias = tuple[int, int, int, Any]
"""(position in the calls, minus the calls missing, calls taken, chain of the pairs)."""


def best_match(tree: Tree, fitting: Sequence[frozenset[int]]) -> tuple[list[tuple[int, int]], bool]:
    """
    The match that leaves the fewest expected calls missing and then takes the most calls.

    Args:
        tree: The structure.
        fitting: For each call the places it fits.

    Returns:
        Pairs (place, call), and whether that is only a bound.
    """
    search = _Search(fitting)
    points = search.advance([(0, 0, 0, None)], tree)
    _, missing, taken, chain = max(points, key=lambda point: (point[1], point[2]))
    pairs = []
    while chain is not None:
        more, chain = chain
        pairs += more
    best_possible = missing == 0 and (taken == len(fitting) or not _may_take_more(tree))
    return sorted(pairs, key=lambda pair: pair[1]), search.bound and not best_possible


def _may_take_more(tree: Tree) -> bool:
    if not tree or tree[0] == "leaf":
        return False
    return tree[0] in ("maybe", "times") or any(map(_may_take_more, tree[1:]))


class _Search:
    """One search through the calls, with the work it has left."""

    __slots__ = ("_fitting", "_positions", "_work", "bound")

    def __init__(self, fitting: Sequence[frozenset[int]]) -> None:
        self._fitting, self._work, self.bound = fitting, MOST_WORK, False
        self._positions: dict[int, list[int]] = {}
        for index, places in enumerate(fitting):
            for place in places:
                self._positions.setdefault(place, []).append(index)

    def advance(self, points: list[Point], tree: Tree) -> list[Point]:
        """The points that are reached by matching the structure from each point on."""
        if not tree:
            return points
        kind = tree[0]
        if kind == "leaf":
            return self._kept(self._leaf(points, tree[1]))
        if kind == "then":
            for part in tree[1:]:
                points = self.advance(points, part)
            return points
        if kind == "maybe":
            return self._kept([*points, *self.advance(points, tree[1])])
        if kind == "times" and not is_simple(tree):
            return self._repeated(points, tree)
        if kind == "any" and not all(map(is_simple, tree[1:])):
            return self._kept(self._interleaved(points, tree))
        slots = [slot for part in (tree[1:] if kind == "any" else (tree,)) for slot in self._slots(part)]
        return self._kept([reached for point in points for reached in self._group(point, slots)])

    def _leaf(self, points: list[Point], place: int) -> Iterator[Point]:
        positions = self._positions.get(place, [])
        for position, missing, taken, chain in points:
            yield position, missing - 1, taken, chain
            index = bisect_left(positions, position)
            if index < len(positions):
                yield positions[index] + 1, missing, taken + 1, ([(place, positions[index])], chain)

    def _repeated(self, points: list[Point], tree: Tree) -> list[Point]:
        _, part, least, most = tree
        for _ in range(least):
            points = self.advance(points, part)
        for _ in range(len(self._fitting) if most is None else most - least):
            longer = self._kept([*points, *self.advance(points, part)])
            if longer == points:
                break
            points = longer
        return points

    def _slots(self, tree: Tree, needed: bool = True) -> list[tuple[int, bool]]:
        """The places of a simple part, each as often as it may be filled, and whether it must be."""
        if tree[0] == "leaf":
            return [(tree[1], needed)]
        if tree[0] == "maybe":
            return self._slots(tree[1], False)
        inner: list[tuple[int, bool]] = self._slots(tree[1], needed)
        fitting = len(self._positions.get(inner[0][0], ())) if inner else 0
        least = int(tree[2])
        most = least + fitting if tree[3] is None else min(int(tree[3]), least + fitting)
        return inner * least + [(place, False) for place, _ in inner] * (most - least)

    def _group(self, point: Point, slots: list[tuple[int, bool]]) -> Iterator[Point]:
        """The points reached by filling slots in any order from a point on: one for each call that fills one more."""
        position, missing, taken, chain = point
        open_need = sum([needed for _, needed in slots])
        yield position, missing - open_need, taken, chain
        of_place: dict[int, list[int]] = {}
        for slot, (place, _) in enumerate(slots):
            of_place.setdefault(place, []).append(slot)
        holder: dict[int, int] = {}
        for index in range(position, len(self._fitting)):
            if len(holder) == len(slots):
                break
            self._work -= 1
            places = self._fitting[index]
            if places and not places.isdisjoint(of_place) and (filled := self._fill(index, slots, of_place, holder)) is not None:
                open_need -= slots[filled][1]
                pairs = [(slots[slot][0], call) for slot, call in holder.items()]
                yield index + 1, missing - open_need, taken + len(holder), (pairs, chain)

    def _fill(self, index: int, slots: list[tuple[int, bool]], of_place: dict[int, list[int]], holder: dict[int, int]) -> int | None:
        """Give the call a slot, moving others if need be; the slot that is filled in the end, one that must be filled if there is one."""
        came: dict[int, int | None] = {}
        waiting: list[tuple[int, int | None]] = [(index, None)]
        spare: int | None = None
        target: int | None = None
        while waiting and target is None:
            call, before = waiting.pop()
            for place in self._fitting[call]:
                for slot in of_place.get(place, ()):
                    if slot in came:
                        continue
                    self._work -= 1
                    came[slot] = before
                    if slot in holder:
                        waiting.append((holder[slot], slot))
                    elif slots[slot][1]:
                        target = slot
                    elif spare is None:
                        spare = slot
        target = spare if target is None else target
        step = target
        while step is not None:
            before = came[step]
            holder[step] = index if before is None else holder[before]
            step = before
        return target

    def _interleaved(self, points: list[Point], tree: Tree) -> Iterator[Point]:
        for position, missing, taken, chain in points:
            found, self._work, cut = interleavings(tree, self._fitting, position, self._work)
            self.bound = self.bound or cut
            for end, less, more, pairs in found:
                yield end, missing + less, taken + more, (pairs, chain) if pairs else chain

    def _kept(self, reached: Iterable[Point]) -> list[Point]:
        """The points that no earlier point equals or betters."""
        best: dict[int, Point] = {}
        for point in reached:
            known = best.get(point[0])
            self._work -= 1
            if known is None or (point[1], point[2]) > (known[1], known[2]):
                best[point[0]] = point
        kept: list[Point] = []
        for position in sorted(best):
            point = best[position]
            if not kept or (point[1], point[2]) > (kept[-1][1], kept[-1][2]):
                kept.append(point)
        if self._work < 0 and len(kept) > FEW:
            self.bound = True
            return kept[-FEW:]
        return kept
