"""The tree by which expected calls are arranged."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

Tree: TypeAlias = tuple[Any, ...]
"""("leaf", place) | ("then", *parts) | ("any", *parts) | ("maybe", part) | ("times", part, least, most or None) | () when none is left."""

DONE: Tree = ()


@lru_cache(maxsize=10_000)
def least_calls(tree: Tree) -> int:
    """How many calls the structure needs at least."""
    if not tree or tree[0] == "maybe":
        return 0
    if tree[0] == "leaf":
        return 1
    if tree[0] == "times":
        return int(tree[2]) * least_calls(tree[1])
    return sum(map(least_calls, tree[1:]))


def is_simple(tree: Tree) -> bool:
    """
    Is it one place, at most optional or repeated, so that every call of it is needed or free by itself?

    What may be left out as a whole but needs two calls or more once it is begun is not: half of it is no match.
    """
    if tree[0] == "leaf":
        return True
    if tree[0] not in ("maybe", "times") or not is_simple(tree[1]):
        return False
    return (tree[0] == "times" and tree[2] == tree[3]) or least_calls(tree[1]) <= 1


def moves(tree: Tree, fits: frozenset[int]) -> list[tuple[int, Tree, int]]:
    """The ways in which a call can take a place: (place, what is left of the structure, expected calls skipped on the way)."""
    if not tree:
        return []
    kind = tree[0]
    if kind == "leaf":
        return [(tree[1], DONE, 0)] if tree[1] in fits else []
    if kind == "maybe":
        return moves(tree[1], fits)
    if kind == "times":
        _, part, least, most = tree
        again = DONE if most == 1 else ("times", part, max(least - 1, 0), None if most is None else most - 1)
        return [(place, joined("then", (rest, again)), skipped) for place, rest, skipped in moves(part, fits)]
    found, skipped_before = [], 0
    for position in range(1, len(tree)):
        part = tree[position]
        for place, rest, skipped in moves(part, fits):
            if kind == "then":
                found.append((place, joined("then", (rest, *tree[position + 1 :])), skipped + skipped_before))
            else:
                found.append((place, joined("any", (*tree[1:position], rest, *tree[position + 1 :])), skipped))
        if kind == "then":
            skipped_before += least_calls(part)
    return found


def joined(kind: str, parts: tuple[Tree, ...]) -> Tree:
    """The parts as one structure, without those of which nothing is left."""
    kept = [part for part in parts if part]
    return (kind, *kept) if len(kept) > 1 else kept[0] if kept else DONE
