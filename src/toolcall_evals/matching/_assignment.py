"""Pairing by matching in bipartite graphs: as many pairs as possible, and the heaviest assignment."""

from __future__ import annotations

from collections.abc import Sequence


def maximum_matching(accepts: Sequence[Sequence[int]], first: int | None = None) -> dict[int, int]:
    """
    As many pairs (left, right) as possible, by Hopcroft and Karp: O(edges * sqrt(vertices)).

    Args:
        accepts: For each left vertex the right vertices it accepts.
        first: The first so many left vertices come before the rest: as many of them as possible are matched, then as many of
            the others as possible. None: all alike.

    Returns:
        The right vertex of each matched left vertex.
    """
    right_of: dict[int, int] = {}
    left_of: dict[int, int] = {}
    for count in [len(accepts)] if first is None else [first, len(accepts)]:
        while _augment_shortest(accepts, count, right_of, left_of):
            pass
    return right_of


def _augment_shortest(accepts: Sequence[Sequence[int]], count: int, right_of: dict[int, int], left_of: dict[int, int]) -> bool:
    """Flip a maximal set of shortest augmenting paths that begin at the first `count` left vertices; False when there is none."""
    layer = {left: 0 for left in range(count) if left not in right_of}
    frontier, found = list(layer), False
    while frontier and not found:
        following = []
        for left in frontier:
            for right in accepts[left]:
                holder = left_of.get(right)
                if holder is None:
                    found = True
                elif holder not in layer:
                    layer[holder] = layer[left] + 1
                    following.append(holder)
        frontier = following
    if not found:
        return False
    seen: set[int] = set()
    for root in [left for left, depth in layer.items() if depth == 0]:
        _augment(root, accepts, layer, seen, right_of, left_of)
    return True


def _augment(
    root: int, accepts: Sequence[Sequence[int]], layer: dict[int, int], seen: set[int], right_of: dict[int, int], left_of: dict[int, int]
) -> None:
    """Walk from `root` down the layers to a free right vertex and flip the path; without recursion, for long paths."""
    path: list[tuple[int, int]] = []
    steps = [iter(accepts[root])]
    lefts = [root]
    while steps:
        for right in steps[-1]:
            if right in seen:
                continue
            holder = left_of.get(right)
            if holder is None:
                seen.add(right)
                path.append((lefts[-1], right))
                for left, end in path:
                    right_of[left], left_of[end] = end, left
                return
            if layer.get(holder) == layer[lefts[-1]] + 1:
                seen.add(right)
                path.append((lefts[-1], right))
                lefts.append(holder)
                steps.append(iter(accepts[holder]))
                break
        else:
            steps.pop()
            lefts.pop()
            if path:
                path.pop()


def heaviest_assignment(weights: Sequence[Sequence[float]]) -> list[int]:
    """
    The assignment of rows to columns with the greatest total weight, by the Hungarian method: O(rows^2 * columns).

    Args:
        weights: A matrix with at most as many rows as columns. Integers keep it exact.

    Returns:
        The column of each row; among equally heavy assignments always the same one.
    """
    rows, columns = len(weights), len(weights[0]) if weights else 0
    row_price: list[float] = [0] * (rows + 1)
    column_price: list[float] = [0] * (columns + 1)
    row_of = [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        slack: list[float | None] = [None] * (columns + 1)
        came_from, used = [0] * (columns + 1), [False] * (columns + 1)
        while row_of[column] != 0:
            used[column] = True
            current, nearest, delta = row_of[column], 0, None
            line, price = weights[current - 1], row_price[current]
            for candidate in range(1, columns + 1):
                if used[candidate]:
                    continue
                reduced = -line[candidate - 1] - price - column_price[candidate]
                known = slack[candidate]
                if known is None or reduced < known:
                    slack[candidate], came_from[candidate], known = reduced, column, reduced
                if delta is None or known < delta:
                    delta, nearest = known, candidate
            step = delta or 0
            for candidate in range(columns + 1):
                if used[candidate]:
                    row_price[row_of[candidate]] += step
                    column_price[candidate] -= step
                else:
                    known = slack[candidate]
                    if known is not None:
                        slack[candidate] = known - step
            column = nearest
        while column:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    chosen = [0] * rows
    for column in range(1, columns + 1):
        if row_of[column]:
            chosen[row_of[column] - 1] = column - 1
    return chosen
