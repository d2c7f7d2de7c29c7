"""Aligning two sequences: as many pairs as possible that cross no other pair."""

from __future__ import annotations

from collections.abc import Sequence


def longest_alignment(masks: Sequence[int], length: int) -> list[tuple[int, int]]:
    """
    A longest common subsequence by bit-parallel rows (Crochemore et al. 2001), for any yes/no relation.

    Args:
        masks: For each item of the second sequence the set of items of the first that it fits, as bits.
        length: The number of items of the first sequence.

    Returns:
        Pairs (first, second), rising in both; as many as possible.
    """
    full = (1 << length) - 1
    row, rows = full, []
    for mask in masks:
        if mask:
            rising = row & mask
            row = ((row + rising) | (row - rising)) & full
        rows.append(row)
    return _traced(rows, masks, length)


def alignment_length(masks: Sequence[int], length: int) -> int:
    """How many pairs `longest_alignment` has, without the pairs."""
    full = (1 << length) - 1
    row = full
    for mask in masks:
        if mask:
            rising = row & mask
            row = ((row + rising) | (row - rising)) & full
    return length - row.bit_count()


def _traced(rows: Sequence[int], masks: Sequence[int], length: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    second, first = len(rows) - 1, length - 1
    while second >= 0 and first >= 0:
        if rows[second] >> first & 1:
            first -= 1
        elif second > 0 and not rows[second - 1] >> first & 1:
            second -= 1
        else:
            pairs.append((first, second))
            first -= 1
            second -= 1
    pairs.reverse()
    return pairs


def heaviest_alignment(weights: Sequence[dict[int, int]], length: int) -> list[tuple[int, int]]:
    """
    The alignment with the greatest total weight, by dynamic programming: O(items of the first * items of the second).

    Args:
        weights: For each item of the second sequence the items of the first that it may be paired with, with weights above 0.
        length: The number of items of the first sequence.

    Returns:
        Pairs (first, second), rising in both.
    """
    rows = [[0] * (length + 1)]
    for line in weights:
        above, best = rows[-1], 0
        row = [0]
        for first in range(length):
            value = above[first + 1]
            weight = line.get(first)
            if weight is not None and above[first] + weight > value:
                value = above[first] + weight
            best = value if value > best else best
            row.append(best)
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    first, second = length, len(weights)
    while first and second:
        value = rows[second][first]
        if value == rows[second][first - 1]:
            first -= 1
        elif value == rows[second - 1][first]:
            second -= 1
        else:
            first -= 1
            second -= 1
            pairs.append((first, second))
    pairs.reverse()
    return pairs
