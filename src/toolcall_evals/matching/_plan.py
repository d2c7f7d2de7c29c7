"""An expectation, ready to be matched: the places to fill, how they are arranged, and what must not happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ._edges import Row
from ._tree import Tree, is_simple
from ._wanted import Wanted

Shape = Literal["sequence", "group", "tree"]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """
    Calls that must not be made.

    Attributes:
        calls: One call, or several that must not follow each other in this order.
        adjacent: Only where nothing is called in between.
        text: The statement in words.
    """

    calls: tuple[Wanted, ...]
    adjacent: bool
    text: str


@dataclass(frozen=True, slots=True)
class Precedence:
    """No call of `later` before the first of `earlier`."""

    earlier: Wanted
    later: Wanted
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """
    One way to meet an expectation.

    Attributes:
        rows: The places, each with the calls of which one will do.
        tree: How they are arranged, as in `_structure`; a leaf names an index of `rows`.
        shape: What the arrangement comes to: a plain sequence, a plain group in any order, or a tree of both.
        need: How often each place must be filled.
        most: How often each place may be filled; None without limit.
        forbidden: What must not be called.
        precedence: What must come first.
        limited: Calls of which one more than the places take is one too many.
        silent: No call at all is expected.
    """

    rows: tuple[Row, ...]
    tree: Tree
    shape: Shape
    need: tuple[int, ...]
    most: tuple[int | None, ...]
    forbidden: tuple[Forbidden, ...] = ()
    precedence: tuple[Precedence, ...] = ()
    limited: tuple[tuple[Wanted, str], ...] = ()
    silent: bool = False

    @property
    def least(self) -> int:
        """How many calls it needs at least."""
        return sum(self.need)

    def names(self) -> tuple[str, ...]:
        """The tools it names, in order of first appearance."""
        return tuple(dict.fromkeys(wanted.name for row in self.rows for wanted in row))


def plain_plan(wanted: Sequence[Wanted]) -> Plan:
    """A plain list of calls, each once."""
    count = len(wanted)
    tree = ("then", *[("leaf", index) for index in range(count)])
    return Plan(tuple([(one,) for one in wanted]), tree, "sequence", (1,) * count, (1,) * count)


def arranged_plan(
    rows: Sequence[Row],
    tree: Tree,
    forbidden: Sequence[Forbidden] = (),
    precedence: Sequence[Precedence] = (),
    limited: Sequence[tuple[Wanted, str]] = (),
    silent: bool = False,
) -> Plan:
    """The plan of a tree; sees whether it is a plain sequence or group."""
    need, most = [0] * len(rows), [0] * len(rows)
    unlimited: set[int] = set()
    _count(tree, 1, 1, need, most, unlimited)
    limits = tuple([None if index in unlimited else number for index, number in enumerate(most)])
    return Plan(tuple(rows), tree, _shape(tree), tuple(need), limits, tuple(forbidden), tuple(precedence), tuple(limited), silent)


def _count(tree: Tree, least: int, most: int | None, need: list[int], limit: list[int], unlimited: set[int]) -> None:
    if not tree:
        return
    if tree[0] == "leaf":
        need[tree[1]] += least
        limit[tree[1]] += most or 0
        if most is None:
            unlimited.add(tree[1])
    elif tree[0] == "maybe":
        _count(tree[1], 0, most, need, limit, unlimited)
    elif tree[0] == "times":
        _count(tree[1], least * tree[2], None if most is None or tree[3] is None else most * tree[3], need, limit, unlimited)
    else:
        for part in tree[1:]:
            _count(part, least, most, need, limit, unlimited)


def _shape(tree: Tree) -> Shape:
    if not tree:
        return "sequence"
    if tree[0] == "leaf":
        return "sequence"
    if tree[0] == "then" and all(part[0] == "leaf" for part in tree[1:]):
        return "sequence"
    parts = tree[1:] if tree[0] == "any" else (tree,)
    return "group" if all(map(is_simple, parts)) else "tree"

