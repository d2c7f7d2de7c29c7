"""Matching a structure of expected calls: sequences, groups in any order, parts that may be absent, repeated parts.

A structure is a tree of tuples. Reading the calls one by one, each either is left out or takes the place of an expected call,
which leaves a smaller structure; of all the ways that lead to the same structure only the best is kept. That is exact; the
number of structures kept is limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

Tree: TypeAlias = tuple[Any, ...]
"""("leaf", place) | ("then", *parts) | ("any", *parts) | ("maybe", part) | ("times", part, least, most or None) | ()."""

DONE: Tree = ()

MOST_STATES = 1_100
"""Partly matched structures kept after each call; beyond it the best are kept and the result is a bound."""

MOST_STEPS = 300_000
"""Steps from one structure to the next; beyond it fewer are kept."""


def least_calls(tree: Tree) -> int:
    """How many calls the structure needs at least."""
    return _least(tree)


@lru_cache(maxsize=50_000)
def _least(tree: Tree) -> int:
    if not tree or tree[0] == "maybe":
        return 0
    if tree[0] == "leaf":
        return 1
    if tree[0] == "times":
        return int(tree[2]) * _least(tree[1])
    return sum(map(_least, tree[1:]))


def best_match(tree: Tree, fitting: Sequence[dict[int, int]]) -> tuple[list[tuple[int, int]], int, bool]:
    """
    The match that leaves the fewest expected calls missing, then takes the most calls, then the most alike.

    Args:
        tree: The structure.
        fitting: For each call the places it fits, with how alike it is.

    Returns:
        Pairs (place, call), the number of expected calls missing, and whether that is only a bound.
    """
    states: dict[Tree, tuple[int, int, int, Any]] = {tree: (0, 0, 0, None)}
    steps, bound = 0, False
    memo: dict[tuple[Tree, frozenset[int]], list[tuple[int, Tree, int]]] = {}
    for index, places in enumerate(fitting):
        if not places:
            continue
        following, key = dict(states), frozenset(places)
        for state, (missing, taken, alike, past) in states.items():
            moves = memo.get((state, key))
            if moves is None:
                moves = memo[state, key] = _moves(state, key)
            steps += len(moves) + 1
            for place, rest, skipped in moves:
                value = (missing - skipped, taken + 1, alike + places[place], (past, place, index))
                known = following.get(rest)
                if known is None or value[:3] > known[:3]:
                    following[rest] = value
        most = MOST_STATES if steps < MOST_STEPS else 16
        if len(following) > most:
            ranked = sorted(following.items(), key=lambda item: (item[1][0], item[1][1], item[1][2]), reverse=True)
            following, bound = dict(ranked[:most]), True
        states = following
    best = max(states.items(), key=lambda item: (item[1][0] - _least(item[0]), item[1][1], item[1][2]))
    pairs, past = [], best[1][3]
    while past is not None:
        past, place, index = past
        pairs.append((place, index))
    pairs.reverse()
    return pairs, _least(best[0]) - best[1][0], bound


def _moves(tree: Tree, fits: frozenset[int]) -> list[tuple[int, Tree, int]]:
    """The ways to take a call: (place, structure that is left, expected calls skipped on the way)."""
    if not tree:
        return []
    kind = tree[0]
    if kind == "leaf":
        return [(tree[1], DONE, 0)] if tree[1] in fits else []
    if kind == "maybe":
        return _moves(tree[1], fits)
    if kind == "times":
        _, part, least, most = tree
        again = DONE if most == 1 else ("times", part, max(least - 1, 0), None if most is None else most - 1)
        return [(place, _joined("then", (rest, again)), skipped) for place, rest, skipped in _moves(part, fits)]
    found, skipped_before = [], 0
    for position in range(1, len(tree)):
        part = tree[position]
        for place, rest, skipped in _moves(part, fits):
            if kind == "then":
                found.append((place, _joined("then", (rest, *tree[position + 1 :])), skipped + skipped_before))
            else:
                found.append((place, _joined("any", (*tree[1:position], rest, *tree[position + 1 :])), skipped))
        if kind == "then":
            skipped_before += _least(part)
    return found


def _joined(kind: str, parts: Sequence[Tree]) -> Tree:
    kept = [part for part in parts if part]
    if kind == "any":
        kept.sort(key=repr)
    return (kind, *kept) if len(kept) > 1 else kept[0] if kept else DONE
