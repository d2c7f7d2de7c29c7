"""A group whose parts are sequences and the like, their calls interleaved: what is left of each part, call by call.

Of all the ways that leave the same of every part only the best is kept. Equal remains are one and the same, so that a group of equal
parts has few states; a group of many different ones has a state for every combination, and the number of states is limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._tree import Tree, least_calls, moves

MOST_STATES = 2_000
"""Combinations of remains that are kept after each call; past it the most promising are, and the result is a bound."""

FEW_STATES = 24
"""Combinations that are kept once the work is used up."""

State: TypeAlias = tuple[int, ...]
Value: TypeAlias = tuple[int, int, Any]
Found: TypeAlias = list[tuple[int, int, int, list[tuple[int, int]]]]


def interleavings(tree: Tree, fitting: Sequence[frozenset[int]], start: int, work: int) -> tuple[Found, int, bool]:
    """
    The best result of a group for each position in the calls at which a better one is reached.

    Args:
        tree: The group: ("any", *parts).
        fitting: For each call the places it fits.
        start: The first call.
        work: Steps that may be taken.

    Returns:
        (position after the last call, minus the calls missing, calls taken, pairs) in rising order, the work left, and whether some
        combinations were dropped.
    """
    remains = _Remains()
    states: dict[State, Value] = {tuple(sorted([remains.number(part) for part in tree[1:]])): (0, 0, None)}
    best = (-least_calls(tree), 0)
    found: Found = [(start, best[0], 0, [])]
    cut = False
    for index in range(start, len(fitting)):
        places = fitting[index]
        if not places:
            continue
        reached: dict[State, Value] = {}
        for state, (missing, taken, chain) in states.items():
            work -= 1
            for position, number in enumerate(state):
                if position and state[position - 1] == number:
                    continue
                for place, rest, skipped in remains.moves(number, places):
                    work -= 3
                    others = state[:position] + state[position + 1 :]
                    following = tuple(sorted((*others, rest))) if rest else others
                    value = (missing - skipped, taken + 1, (place, index, chain))
                    known = reached.get(following)
                    if known is None or value[:2] > known[:2]:
                        reached[following] = value
        if not reached:
            continue
        for state, value in reached.items():
            known = states.get(state)
            if known is None or value[:2] > known[:2]:
                states[state] = value
                now = (value[0] - remains.least(state), value[1])
                if now > best:
                    best = now
                    entry = (index + 1, *now, _pairs(value[2]))
                    if found[-1][0] == index + 1:
                        found[-1] = entry
                    else:
                        found.append(entry)
        most = MOST_STATES if work > 0 else FEW_STATES
        if len(states) > most:
            ranked = sorted(states.items(), key=lambda item: (item[1][0] + item[1][1], item[1][1]), reverse=True)
            states, cut = dict(ranked[:most]), True
    return found, work, cut


class _Remains:
    """What may be left of a part, numbered from 1; 0 is nothing."""

    __slots__ = ("_least", "_moves", "_numbers", "_trees")

    def __init__(self) -> None:
        self._numbers: dict[Tree, int] = {(): 0}
        self._trees: list[Tree] = [()]
        self._least: list[int] = [0]
        self._moves: dict[tuple[int, frozenset[int]], list[tuple[int, int, int]]] = {}

    def number(self, tree: Tree) -> int:
        """The number of a remainder."""
        number = self._numbers.get(tree)
        if number is None:
            number = self._numbers[tree] = len(self._trees)
            self._trees.append(tree)
            self._least.append(least_calls(tree))
        return number

    def least(self, state: State) -> int:
        """How many calls a combination still needs."""
        return sum([self._least[number] for number in state])

    def moves(self, number: int, fits: frozenset[int]) -> list[tuple[int, int, int]]:
        """The ways on from a remainder: (place, number of what is left, expected calls skipped)."""
        known = self._moves.get((number, fits))
        if known is None:
            found = moves(self._trees[number], fits)
            known = self._moves[number, fits] = [(place, self.number(rest), skipped) for place, rest, skipped in found]
        return known


def _pairs(chain: Any) -> list[tuple[int, int]]:
    pairs = []
    while chain is not None:
        place, index, chain = chain
        pairs.append((place, index))
    return pairs
