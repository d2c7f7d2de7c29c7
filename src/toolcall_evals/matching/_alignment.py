"""Aligning two sequences: as many pairs as possible that cross no other pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

_Chain: TypeAlias = "tuple[int, int, _Chain | None]"


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
    The alignment with the greatest total weight: O(pairs that fit * log(items of the first)), by a tree of running maxima.

    Args:
        weights: For each item of the second sequence the items of the first that it may be paired with, with weights above 0.
        length: The number of items of the first sequence.

    Returns:
        Pairs (first, second), rising in both.
    """
    best = [0] * (length + 1)
    ends: list[_Chain | None] = [None] * (length + 1)
    for second, line in enumerate(weights):
        for first in sorted(line, reverse=True):
            value, chain, index = 0, None, first
            while index:
                if best[index] > value:
                    value, chain = best[index], ends[index]
                index &= index - 1
            value += line[first]
            index = first + 1
            while index <= length:
                if value > best[index]:
                    best[index], ends[index] = value, (first, second, chain)
                index += index & -index
    value, chain, index = 0, None, length
    while index:
        if best[index] > value:
            value, chain = best[index], ends[index]
        index &= index - 1
    pairs: list[tuple[int, int]] = []
    while chain is not None:
        first, second, chain = chain
        pairs.append((first, second))
    pairs.reverse()
    return pairs
